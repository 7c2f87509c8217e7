/* What an LLVM profile says for anneal order. */
#include <stdint.h>
#include <stdlib.h>

#include "ordering.h"

/* A profile may have traces, which a blend takes if they are there. */
bool llvm_order_run(const struct order_request *request, const char *path, struct an_bytes bytes)
{
    struct an_behaviour *behaviour = request->behaviour;
    struct an_error error;
    enum an_code code = AN_OK;
    if (request->objective != ORDER_START)
        code = an_behaviour_add_llvm_counts(behaviour, bytes.data, bytes.size, &error);
    if (code == AN_OK && request->objective != ORDER_HOT)
        code = an_behaviour_add_llvm(behaviour, bytes.data, bytes.size, &error);
    if (code == AN_UNSUPPORTED && request->objective == ORDER_BLEND)
        return true;
    return ordering_took(code, &error, path);
}

/* As a profile, with all traces that were kept. */
enum an_code llvm_order_flatten(const struct inputs *partials, void **bytes, size_t *size,
                                struct an_ledger **ledger, struct an_error *error)
{
    const struct an_llvm_merge_options merge = {.size = sizeof merge,
                                                .trace_reservoir = INT64_MAX, /* all */
                                                .trace_length = INT64_MAX,
                                                .keep_vtable_names = true};
    const struct an_llvm_write_options write = {.size = sizeof write,
                                                .format_version = AN_LLVM_NEWEST_WRITTEN};
    struct an_llvm_profile *profile = NULL;
    struct an_llvm_left_out left_out;
    enum an_code code =
        an_llvm_merge(&merge, partials->items, partials->count, &profile, ledger, error);
    if (code == AN_OK)
        code = an_llvm_profile_write(profile, &write, bytes, size, &left_out, error);
    an_llvm_profile_free(profile);
    return code;
}
