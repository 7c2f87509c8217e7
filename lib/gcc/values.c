/* Looking at frequent values; top.h and places.h draw what they are kept as. */
#include <anneal/gcc.h>

#include "gcc/format.h"

struct an_gcc_values an_gcc_values_of(const struct an_gcc_counters *counters)
{
    enum an_gcc_rule rule = (enum an_gcc_rule)counters->rule;
    struct an_gcc_values values = {.rule = counters->rule};
    values.are_there = rule == AN_GCC_TOP || an_gcc_place_size(rule) != 0;
    if (values.are_there && counters->values) {
        values.next = counters->values;
        values.end = counters->values + counters->count;
    }
    return values;
}

bool an_gcc_values_next(struct an_gcc_values *values)
{
    enum { HEAD = 2, FOUR = 4 };
    const uint64_t *place = values->next;
    enum an_gcc_rule rule = (enum an_gcc_rule)values->rule;
    if (place == values->end)
        return false;
    switch (rule) {
    case AN_GCC_SINGLE:
        values->pairs = place;
        values->count = 1;
        break;
    case AN_GCC_DELTA:
        values->pairs = place + 1;
        values->count = 1;
        break;
    case AN_GCC_TOP:
        values->pairs = place + HEAD;
        values->count = (size_t)place[1];
        break;
    default:
        values->pairs = place + 1;
        values->count = FOUR;
    }
    values->next += rule == AN_GCC_TOP ? HEAD + 2 * values->count : an_gcc_place_size(rule);
    return true;
}
