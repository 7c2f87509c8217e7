/* How much of a profile functions with computed gotos have; see label_share.h. */
#include "live/label_share.h"

#include <string.h>

#include "live/weights.h"

enum an_code an_label_share(const char *names, const char *profile, double *share,
                            struct an_error *error)
{
    struct an_names known = {0};
    struct an_weights weights = {.total = 0};
    enum an_code code = an_weights_read(profile, &known, &weights, error);
    *share = 0;
    for (const char *name = names; code == AN_OK && *name;) {
        size_t length = strcspn(name, ", ");
        *share += an_weights_share(&weights, &known, name, length);
        name += length;
        name += strspn(name, ", ");
    }
    an_names_free(&known);
    an_weights_free(&weights);
    return code;
}
