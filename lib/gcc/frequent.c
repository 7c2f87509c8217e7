/* Looking at frequent values; top.h and places.h draw what they are kept as. */
#include "gcc/frequent.h"

bool an_frequent_start(struct an_frequent *frequent, const struct an_gcda *gcda,
                       const struct an_gcda_counters *counters)
{
    enum an_gcc_rule rule = an_gcda_rule(gcda, counters);
    const uint64_t *values = gcda->values.items + counters->first;
    size_t count = counters->are_zero ? 0 : counters->count;
    *frequent = (struct an_frequent){.next = values, .end = values + count, .rule = rule};
    return rule == AN_GCC_TOP || an_gcc_place_size(rule) != 0;
}

bool an_frequent_next(struct an_frequent *frequent)
{
    enum { HEAD = 2, FOUR = 4 };
    const uint64_t *place = frequent->next;
    if (place == frequent->end)
        return false;
    switch (frequent->rule) {
    case AN_GCC_SINGLE:
        frequent->pairs = place;
        frequent->count = 1;
        break;
    case AN_GCC_DELTA:
        frequent->pairs = place + 1;
        frequent->count = 1;
        break;
    case AN_GCC_TOP:
        frequent->pairs = place + HEAD;
        frequent->count = (size_t)place[1];
        break;
    default:
        frequent->pairs = place + 1;
        frequent->count = FOUR;
    }
    frequent->next += frequent->rule == AN_GCC_TOP ? HEAD + 2 * frequent->count
                                                   : an_gcc_place_size(frequent->rule);
    return true;
}
