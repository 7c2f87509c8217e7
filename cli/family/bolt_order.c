/* What branch profiles of BOLT, in text form or in YAML, say for anneal order. */
#include <stdlib.h>

#include <anneal/fdata.h>

#include "base/error.h"
#include "fdata_merging.h"
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

enum an_code fdata_order_flatten(const struct inputs *partials, void **bytes, size_t *size,
                                 struct an_ledger **ledger, struct an_error *error)
{
    const struct an_fdata_merge_options merge = {.size = sizeof merge};
    struct an_fdata_profile *profile = NULL;
    struct an_fdata_input *inputs = fdata_inputs(partials);
    enum an_code code =
        inputs ? an_fdata_merge(&merge, inputs, partials->count, &profile, ledger, error)
               : an_fail_memory(error);
    if (code == AN_OK)
        code = an_fdata_profile_write(profile, bytes, size, error);
    an_fdata_profile_free(profile);
    free(inputs);
    return code;
}
