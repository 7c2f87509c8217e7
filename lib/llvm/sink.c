/* Passing warnings on, and renaming functions, as the caller of a merge asked. */
#include "llvm/sink.h"

#include <string.h>

void an_sink_warn(const struct merge_sink *sink, const char *name, size_t name_length,
                  unsigned warnings)
{
    if (warnings)
        sink->profile->order_matters = true;
    if (!warnings || sink->silent || !sink->options->warn)
        return;
    for (int w = 0; w < AN_LLVM_WARNINGS; w++)
        if (warnings & (1u << w)) {
            sink->options->warn(sink->options->context, sink->path, name, name_length, w);
            return; /* LLVM reports the first for each function and file */
        }
}

size_t an_sink_function(const struct merge_sink *sink, const char *name, size_t name_length,
                        uint64_t name_hash, bool sure)
{
    if (sink->options->rename) {
        const char *renamed = sink->options->rename(sink->options->context, name, name_length);
        if (renamed)
            return an_profile_function(sink->profile, renamed, strlen(renamed), 0, false);
    }
    return an_profile_function(sink->profile, name, name_length, name_hash, sure);
}
