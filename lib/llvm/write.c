/* From a profile in memory to bytes: chooses the writer, and the version. */
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "partial/partial.h"
#include "llvm/format.h"
#include "llvm/frontend_hash.h"
#include "llvm/indexed.h"
#include "llvm/local_names.h"
#include "llvm/partial.h"
#include "llvm/text.h"

/* ---- the version ---- */

unsigned an_llvm_version_of_release(unsigned release)
{
    static const struct {
        unsigned release, version;
    } since[] = {{23, 14}, {22, 13}, {19, 12}, {18, 11}, {17, 10},
                 {16, 9},  {15, 8},  {12, 7},  {11, 6}};
    for (size_t i = 0; i < sizeof since / sizeof *since; i++)
        if (release >= since[i].release)
            return since[i].version;
    return AN_LLVM_OLDEST_WRITTEN;
}

/* Of versions that will do, the one with the hashes that the profile has. Version 12 with old ones serves new compilers, too. */
static unsigned by_hashes(struct frontend_hashes hashes, unsigned version, unsigned newest)
{
    if (version < INDEXED_MASKED && newest >= INDEXED_MASKED && hashes.new && !hashes.old)
        return INDEXED_MASKED;
    if (version >= INDEXED_MASKED && hashes.old && !hashes.new)
        return AN_LLVM_DEFAULT_VERSION;
    return version;
}

static unsigned version_of(const struct an_llvm_profile *profile,
                           const struct an_llvm_write_options *full, struct frontend_hashes hashes)
{
    if (full->format_version)
        return full->format_version;
    if (full->release) {
        unsigned version = an_llvm_version_of_release(full->release);
        return by_hashes(hashes, version, version);
    }
    unsigned read = profile->version ? profile->version : AN_LLVM_DEFAULT_VERSION;
    /* A partial result of a later anneal may come from compilers that are not known here. */
    return by_hashes(hashes, read < INDEXED_NEWEST ? read : INDEXED_NEWEST, INDEXED_NEWEST);
}

unsigned an_llvm_profile_version(const struct an_llvm_profile *profile,
                                 const struct an_llvm_write_options *options)
{
    struct an_llvm_write_options full;
    struct an_error ignored;
    if (an_options_take(&full, sizeof full, options, &ignored) != AN_OK)
        return AN_LLVM_DEFAULT_VERSION;
    return version_of(profile, &full, an_frontend_hashes(profile));
}

/* What the readers of a version, or of a release, would take for something else. */
static enum an_code check_variants(const struct an_llvm_profile *profile, unsigned version,
                                   unsigned release, struct an_error *error)
{
    enum { FIRST_WITH_LOOP_ENTRIES = 20 };
    bool is_older = release ? release < FIRST_WITH_LOOP_ENTRIES : version < INDEXED_VTABLES;
    if (!(profile->variants & AN_LLVM_LOOP_ENTRIES) || !is_older)
        return AN_OK;
    an_fail(error, AN_UNSUPPORTED,
            "a profile with -pgo-instrument-loop-entries cannot be written for LLVM 19 or older, "
            "which would take its counts for others");
    return an_error_hint(error, "collect it again without that option, or write version 12");
}

/* ---- bytes ---- */

static void count_uniform(const struct an_llvm_profile *profile, struct an_llvm_left_out *left_out)
{
    for (size_t f = 0; f < profile->functions.count; f++)
        for (const struct record *r = profile->functions.items[f].first; r; r = r->next)
            left_out->uniform_functions += r->uniform != NULL;
}

static enum an_code write_profile(struct an_llvm_profile *profile,
                                  const struct an_llvm_write_options *options, unsigned version,
                                  struct frontend_hashes hashes, struct an_buffer *buffer,
                                  struct an_llvm_left_out *left_out, struct an_error *error)
{
    unsigned release = options->text || !options->format_version ? options->release : 0;
    unsigned newest_read = release         ? an_llvm_version_of_release(release)
                           : options->text ? INDEXED_NEWEST
                                           : version;
    enum an_code code = check_variants(profile, newest_read, release, error);
    if (code != AN_OK)
        return code;
    if (newest_read < INDEXED_SEMICOLONS && !an_local_names_make_old(profile))
        return an_fail_memory(error);
    an_profile_settle(profile);
    if (options->text) {
        count_uniform(profile, left_out);
        left_out->memprof_functions = profile->memprof.records.count;
        return an_text_write(profile, options->sparse, buffer, error);
    }
    if (!options->keep_hashes && (hashes.old || hashes.new)) {
        if (!an_frontend_hashes_join(profile, version >= INDEXED_MASKED))
            return an_fail_memory(error);
        an_profile_settle(profile);
        hashes = an_frontend_hashes(profile);
    }
    if (version < INDEXED_MASKED)
        left_out->new_hashes = hashes.new;
    else
        left_out->old_hashes = hashes.old;
    return an_indexed_write(profile, options, version, release, buffer, left_out, error);
}

static enum an_code write_partial(struct an_llvm_profile *profile, const struct an_ledger *ledger,
                                  struct an_buffer *buffer, struct an_error *error)
{
    struct an_buffer content = {0};
    enum an_code code = an_llvm_partial_write(profile, ledger, &content, error);
    if (code == AN_OK)
        code = an_partial_write(AN_PARTIAL_LLVM, ledger,
                                (struct an_bytes){content.data, content.size}, buffer, error);
    an_buffer_free(&content);
    return code;
}

enum an_code an_llvm_profile_write(struct an_llvm_profile *profile,
                                   const struct an_llvm_write_options *options, void **bytes,
                                   size_t *size, struct an_llvm_left_out *left_out,
                                   struct an_error *error)
{
    struct an_llvm_write_options full;
    struct an_llvm_left_out ignored;
    if (!left_out)
        left_out = &ignored;
    *left_out = (struct an_llvm_left_out){0};
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    struct frontend_hashes hashes = an_frontend_hashes(profile);
    unsigned version = version_of(profile, &full, hashes);
    if (version < AN_LLVM_OLDEST_WRITTEN || version > AN_LLVM_NEWEST_WRITTEN)
        return an_fail(error, AN_USAGE, "cannot write indexed version %u, expected %d to %d",
                       version, AN_LLVM_OLDEST_WRITTEN, AN_LLVM_NEWEST_WRITTEN);
    if (full.has_memory_version && full.memory_version > AN_LLVM_NEWEST_MEMORY_VERSION)
        return an_fail(error, AN_USAGE,
                       "cannot write memory profiles of version %u, expected 0 to %d",
                       full.memory_version, AN_LLVM_NEWEST_MEMORY_VERSION);
    if (full.release && full.release < AN_LLVM_OLDEST_RELEASE)
        return an_fail(error, AN_USAGE, "cannot write for LLVM %u, expected %d or later",
                       full.release, AN_LLVM_OLDEST_RELEASE);
    if (profile->lossless.is_on != (full.partial != NULL))
        return an_fail(error, AN_USAGE, "%s",
                       full.partial ? "only a merge that was to be partial can be written as such"
                                    : "a partial merge can only be written as a partial result");
    struct an_buffer buffer = {0};
    if (full.partial)
        code = write_partial(profile, full.partial, &buffer, error);
    else
        code = write_profile(profile, &full, version, hashes, &buffer, left_out, error);
    if (code == AN_OK && buffer.failed)
        code = an_fail_memory(error);
    if (code != AN_OK) {
        an_buffer_free(&buffer);
        return code;
    }
    left_out->version = full.text || full.partial ? 0 : version;
    *bytes = buffer.data;
    *size = buffer.size;
    return AN_OK;
}
