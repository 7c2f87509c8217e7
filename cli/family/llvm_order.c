/* What an LLVM profile says for anneal order. */
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
