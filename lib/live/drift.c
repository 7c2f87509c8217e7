/*
 * How alike two profiles are, function by function: whether a process still does what its layout was
 * made for.
 *
 *     overlap = sum over functions of the smaller one of its two shares
 *
 * Shares of functions, not of branches: a sample of some thousand branches tells these well, and a
 * layout for the right functions is most of what there is to be won.
 */
#include <anneal/live.h>

#include "live/weights.h"

static double overlap_of(const struct an_weights *one, const struct an_weights *other)
{
    double overlap = 0;
    for (size_t i = 0; i < one->count && i < other->count; i++) {
        double here = one->items[i] / one->total, there = other->items[i] / other->total;
        overlap += here < there ? here : there;
    }
    return overlap;
}

enum an_code an_live_overlap(const char *one, const char *other, double *overlap,
                             struct an_error *error)
{
    struct an_names names = {0};
    struct an_weights weights[2] = {{.total = 0}, {.total = 0}};
    enum an_code code = an_weights_read(one, &names, &weights[0], error);
    if (code == AN_OK)
        code = an_weights_read(other, &names, &weights[1], error);
    *overlap =
        weights[0].total > 0 && weights[1].total > 0 ? overlap_of(&weights[0], &weights[1]) : 0;
    an_names_free(&names);
    an_weights_free(&weights[0]);
    an_weights_free(&weights[1]);
    return code;
}
