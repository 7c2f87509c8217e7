/* What branch profiles of BOLT, in text form or in YAML, say for anneal order. */
#include "base/error.h"
#include "ordering.h"

static bool add(const struct order_request *request, const char *path, struct an_bytes bytes,
                enum an_code (*add_profile)(struct an_behaviour *behaviour, const void *bytes,
                                            size_t size, struct an_error *error))
{
    struct an_error error;
    enum an_code code;
    if (request->objective == ORDER_START) {
        an_fail(&error, AN_UNSUPPORTED, "a branch profile, which does not record what ran first");
        code = an_error_hint(&error, "use it with --hot or --blend, or name the recording itself");
    } else {
        code = add_profile(request->behaviour, bytes.data, bytes.size, &error);
    }
    return ordering_took(code, &error, path);
}

bool fdata_order_run(const struct order_request *request, const char *path, struct an_bytes bytes)
{
    return add(request, path, bytes, an_behaviour_add_fdata);
}

bool yaml_order_run(const struct order_request *request, const char *path, struct an_bytes bytes)
{
    return add(request, path, bytes, an_behaviour_add_yaml);
}
