/* Which traces a lossless profile keeps; see trace_draw.h. */
#include "llvm/trace_draw.h"

#include <math.h>

#include "partial/digest.h"

/*
 * A sample that does not depend on order: each trace draws a number, and those with the smallest are kept (P. Efraimidis, P.
 * Spirakis, "Weighted random sampling with a reservoir", 2006: -log(u) / rate, which is what stands here).
 */
static double key_of(const struct an_llvm_profile *profile, const struct trace_mark *mark)
{
    uint64_t draw = an_digest_draw(&profile->lossless.origins.items[mark->input], mark->index);
    return -log(((double)(draw >> 11) + 0.5) * 0x1p-53) / mark->rate;
}

/* Whether a trace is kept rather than another one. */
static bool goes_before(const struct an_llvm_profile *profile, const struct trace_mark *a,
                        const struct trace_mark *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    int order = an_lossless_compare_inputs(&profile->lossless, a->input, b->input);
    return order ? order < 0 : a->index < b->index;
}

/* The trace that is the first to go, if there is any. */
static size_t last_trace(struct an_llvm_profile *profile)
{
    struct lossless *lossless = &profile->lossless;
    if (lossless->knows_last)
        return lossless->last;
    size_t last = 0;
    for (size_t i = 1; i < lossless->marks.count; i++)
        if (goes_before(profile, &lossless->marks.items[last], &lossless->marks.items[i]))
            last = i;
    lossless->last = last;
    lossless->knows_last = true;
    return last;
}

void an_lossless_limit_traces(struct an_llvm_profile *profile, uint64_t reservoir, uint64_t length)
{
    struct lossless *lossless = &profile->lossless;
    if (reservoir < profile->trace_reservoir)
        profile->trace_reservoir = reservoir;
    if (length < profile->trace_length)
        profile->trace_length = length;
    while (lossless->marks.count > profile->trace_reservoir) {
        size_t last = last_trace(profile);
        lossless->knows_last = false;
        lossless->marks.items[last] = lossless->marks.items[--lossless->marks.count];
        profile->traces.items[last] = profile->traces.items[--profile->traces.count];
    }
    for (size_t i = 0; i < profile->traces.count; i++)
        if (profile->traces.items[i].function_count > profile->trace_length)
            profile->traces.items[i].function_count = (size_t)profile->trace_length;
}

size_t an_lossless_draw_trace(struct an_llvm_profile *profile, uint32_t input, uint64_t index,
                              double rate)
{
    struct lossless *lossless = &profile->lossless;
    struct trace_mark mark = {.input = input, .index = index, .rate = rate};
    mark.key = key_of(profile, &mark);
    if (lossless->marks.count < profile->trace_reservoir) {
        struct trace_mark *place = an_vector_push(&lossless->marks);
        lossless->failed = lossless->failed || !place;
        if (!place)
            return AN_NO_PLACE;
        lossless->knows_last = false;
        *place = mark;
        return lossless->marks.count - 1;
    }
    size_t last = last_trace(profile);
    if (!lossless->marks.count || !goes_before(profile, &mark, &lossless->marks.items[last]))
        return AN_NO_PLACE;
    lossless->knows_last = false;
    lossless->marks.items[last] = mark;
    return last;
}
