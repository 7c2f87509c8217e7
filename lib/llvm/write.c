/* From a profile in memory to bytes: chooses the writer. */
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "partial/partial.h"
#include "llvm/format.h"
#include "llvm/indexed.h"
#include "llvm/partial.h"
#include "llvm/text.h"

static enum an_code write_profile(struct an_llvm_profile *profile,
                                  const struct an_llvm_write_options *options, unsigned version,
                                  struct an_buffer *buffer, struct an_llvm_left_out *left_out,
                                  struct an_error *error)
{
    an_profile_settle(profile);
    return options->text
               ? an_text_write(profile, options->sparse, buffer, error)
               : an_indexed_write(profile, version, options->sparse, buffer, left_out, error);
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
    unsigned version = full.format_version ? full.format_version : AN_LLVM_DEFAULT_VERSION;
    if (version < AN_LLVM_OLDEST_WRITTEN || version > INDEXED_NEWEST_WRITTEN)
        return an_fail(error, AN_USAGE, "cannot write indexed version %u, expected %d to %u",
                       version, AN_LLVM_OLDEST_WRITTEN, INDEXED_NEWEST_WRITTEN);
    if (profile->lossless.is_on != (full.partial != NULL))
        return an_fail(error, AN_USAGE, "%s",
                       full.partial ? "only a merge that was to be partial can be written as such"
                                    : "a partial merge can only be written as a partial result");
    struct an_buffer buffer = {0};
    if (full.partial)
        code = write_partial(profile, full.partial, &buffer, error);
    else
        code = write_profile(profile, &full, version, &buffer, left_out, error);
    if (code == AN_OK && buffer.failed)
        code = an_fail_memory(error);
    if (code != AN_OK) {
        an_buffer_free(&buffer);
        return code;
    }
    *bytes = buffer.data;
    *size = buffer.size;
    return AN_OK;
}
