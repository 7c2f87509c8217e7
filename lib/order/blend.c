/*
 * An order for programs that are to start fast and to run fast: what is hot comes first, by calls, since it is needed
 * all the time and is small; then what runs need at the start; then what else was seen to run.
 *
 *     | hot: 95 % of the heat, C3 | start: balanced partitioning | warm, C3 | the rest, as it was |
 *
 * The hot part is on few pages that a start touches early anyway, so it costs the start little.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/options.h"
#include "order/behaviour.h"

struct hot {
    uint64_t heat;
    uint32_t function;
};

static int by_heat(const void *a, const void *b)
{
    const struct hot *left = a, *right = b;
    if (left->heat != right->heat)
        return left->heat > right->heat ? -1 : 1;
    return left->function < right->function ? -1 : 1;
}

/* Marks the fewest functions that have so much of the heat. */
static bool mark_hot(const struct an_behaviour *behaviour, double share, bool *is_hot)
{
    size_t functions = behaviour->functions.count, count = 0;
    struct hot *hot = an_alloc(functions + 1, sizeof *hot);
    double all = 0, taken = 0;
    for (uint32_t f = 0; hot && f < functions; f++) {
        uint64_t heat = an_behaviour_heat(behaviour, f);
        all += (double)heat;
        if (heat)
            hot[count++] = (struct hot){heat, f};
    }
    if (hot)
        qsort(hot, count, sizeof *hot, by_heat);
    for (size_t i = 0; hot && i < count && taken < share * all; i++) {
        is_hot[hot[i].function] = true;
        taken += (double)hot[i].heat;
    }
    free(hot);
    return hot;
}

/* Takes over what is wanted of a part, and was not taken before. */
static void take(struct an_order *order, const struct an_order *part, const bool *wanted,
                 bool *is_taken)
{
    for (size_t i = 0; i < part->count; i++) {
        uint32_t function = part->functions[i];
        if (is_taken[function] || (wanted && !wanted[function]))
            continue;
        is_taken[function] = true;
        order->functions[order->count++] = function;
    }
}

static enum an_code blend(const struct an_behaviour *behaviour,
                          const struct an_order_options *options, double share,
                          struct an_order *order, struct an_error *error)
{
    size_t functions = behaviour->functions.count;
    bool *is_hot = an_alloc_zero(functions + 1, sizeof *is_hot);
    bool *is_taken = an_alloc_zero(functions + 1, sizeof *is_taken);
    struct an_order hot = {0}, start = {0};
    order->functions = an_alloc(functions + 1, sizeof *order->functions);
    enum an_code code = is_hot && is_taken && order->functions && mark_hot(behaviour, share, is_hot)
                            ? AN_OK
                            : an_fail_memory(error);
    if (code == AN_OK)
        code = an_order_hot(behaviour, options, &hot, error);
    if (code == AN_OK)
        code = an_order_startup(behaviour, options, &start, error);
    if (code == AN_OK) {
        take(order, &hot, is_hot, is_taken);
        take(order, &start, NULL, is_taken);
        take(order, &hot, NULL, is_taken);
    } else {
        an_order_free(order);
    }
    an_order_free(&hot);
    an_order_free(&start);
    free(is_hot);
    free(is_taken);
    return code;
}

enum an_code an_order_blend(const struct an_behaviour *behaviour,
                            const struct an_order_options *options, double share,
                            struct an_order *order, struct an_error *error)
{
    struct an_order_options full;
    *order = (struct an_order){0};
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    return code == AN_OK ? blend(behaviour, &full, share, order, error) : code;
}
