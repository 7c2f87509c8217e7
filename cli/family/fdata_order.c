/* What a branch profile says for anneal order. */
#include "base/error.h"
#include "ordering.h"

bool fdata_order_run(const struct order_request *request, const char *path, struct an_bytes bytes)
{
    struct an_error error;
    enum an_code code;
    if (request->objective == ORDER_START) {
        an_fail(&error, AN_UNSUPPORTED, "a branch profile, which does not record what ran first");
        code = an_error_hint(&error, "use it with --hot or --blend, or name the recording itself");
    } else {
        code = an_behaviour_add_fdata(request->behaviour, bytes.data, bytes.size, &error);
    }
    return ordering_took(code, &error, path);
}
