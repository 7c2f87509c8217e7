/* The usual causes of an empty profile; see usable.h. */
#include "branch/usable.h"

#include "base/file.h"

static const char hint_busy[] = "record for longer, or while the program is busy";

static enum an_code no_match(const struct an_usable *seen, struct an_error *error)
{
    const char *name = an_file_name(seen->binary);
    unsigned long long samples = seen->samples;
    if (!seen->info) {
        an_fail(error, AN_EMPTY, "no entry has the build-id of %s (entries: %llu)", name, samples);
        return an_error_hint(error, "name the binary that was recorded");
    }
    if (seen->homeless) {
        an_fail(error, AN_EMPTY, "no sample is known to be of a process that ran %s", name);
        return an_error_hint(error, "the text has thread ids only: print both, with perf script "
                                    "-F +pid,+tid, or add --show-task-events");
    }
    if (seen->pid)
        an_fail(error, AN_EMPTY, "no sample is of process %u (samples of others: %llu)", seen->pid,
                samples);
    else
        an_fail(error, AN_EMPTY, "no sample is of a process that ran %s (samples of others: %llu)",
                name, samples);
    return an_error_hint(error, "%s", hint_busy);
}

static enum an_code no_branches(const struct an_usable *seen, struct an_error *error)
{
    bool is_text = seen->info->kind == AN_SAMPLES_PERF_SCRIPT;
    an_fail(error, AN_EMPTY, "no sample has branches");
    return an_error_hint(
        error, "%srecord with 'perf record -j any,u'%s",
        is_text ? "print them, with perf script -F +brstack; if it has none, " : "",
        seen->could_be_places ? ", or count the sampled addresses, with --nl" : "");
}

enum an_code an_usable_refuse(const struct an_usable *seen, struct an_error *error)
{
    const char *name = an_file_name(seen->binary);
    if (seen->samples == 0) {
        an_fail(error, AN_EMPTY, "no %s in it", seen->info ? "samples" : "entries");
        an_error_hint(error, "%s", hint_busy);
    } else if (seen->matching == 0) {
        no_match(seen, error);
    } else if (seen->info && !seen->places && seen->without_branches == seen->matching) {
        no_branches(seen, error);
    } else {
        an_fail(error, AN_EMPTY, "none of its %llu %s is in a function of %s",
                (unsigned long long)(seen->places ? seen->matching : seen->branches),
                seen->places ? "samples" : "branches", name);
        an_error_hint(error, "name the binary that was recorded; if it is this one, the time went "
                             "to other files, such as libraries or the kernel");
    }
    return an_error_in(error, seen->recording);
}

enum an_code an_usable_check_names(struct an_elf *elf, struct an_error *error)
{
    const struct an_elf_symbol *symbols;
    size_t count;
    enum an_code code = an_elf_symbols(elf, &symbols, &count, error);
    if (code != AN_OK || count)
        return code;
    an_fail(error, AN_UNSUPPORTED,
            "it is stripped: llvm-bolt finds functions by names, and this file has none");
    an_error_hint(error, "name the file as it was before strip, which has the same build-id; or "
                         "write addresses, with --to-pa");
    return an_error_in(error, an_elf_path(elf));
}
