/* How much functions run, and which call which: the store that orders of hot code are made from. */
#include <string.h>

#include "base/error.h"
#include "order/behaviour.h"

static uint64_t sum(uint64_t one, uint64_t other)
{
    return one + other < one ? UINT64_MAX : one + other;
}

bool an_behaviour_warm(struct an_behaviour *behaviour, uint32_t function, uint64_t heat)
{
    while (behaviour->heat.count <= function) {
        uint64_t *place = an_vector_push(&behaviour->heat);
        if (!place)
            return false;
        *place = 0;
    }
    behaviour->heat.items[function] = sum(behaviour->heat.items[function], heat);
    return true;
}

bool an_behaviour_call(struct an_behaviour *behaviour, uint32_t caller, uint32_t callee,
                       uint64_t count)
{
    bool is_new;
    uint64_t *place = an_map_insert(&behaviour->calls, (uint64_t)caller << 32 | callee, &is_new);
    if (place)
        *place = sum(*place, count);
    return place;
}

enum an_code an_behaviour_add_heat(struct an_behaviour *behaviour, const char *name, uint64_t heat,
                                   struct an_error *error)
{
    uint32_t number = an_behaviour_number_of(behaviour, name, strlen(name));
    if (number == AN_NO_NUMBER || !an_behaviour_warm(behaviour, number, heat))
        return an_fail_memory(error);
    behaviour->calls_are_partial = true;
    return AN_OK;
}

uint64_t an_behaviour_heat(const struct an_behaviour *behaviour, uint32_t function)
{
    return function < behaviour->heat.count ? behaviour->heat.items[function] : 0;
}

bool an_behaviour_has_heat(const struct an_behaviour *behaviour)
{
    for (size_t f = 0; f < behaviour->heat.count; f++)
        if (behaviour->heat.items[f])
            return true;
    return false;
}

static int by_callee(const void *a, const void *b)
{
    const struct behaviour_call *left = a, *right = b;
    if (left->callee != right->callee)
        return left->callee < right->callee ? -1 : 1;
    return left->caller < right->caller ? -1 : left->caller > right->caller;
}

struct behaviour_call *an_behaviour_calls(const struct an_behaviour *behaviour, size_t *count)
{
    const struct an_map *map = &behaviour->calls;
    struct behaviour_call *calls = an_alloc(map->used + 1, sizeof *calls);
    *count = 0;
    for (size_t i = 0; calls && map->slots && i <= map->mask; i++)
        if (map->slots[i].key)
            calls[(*count)++] =
                (struct behaviour_call){(uint32_t)(map->slots[i].key >> 32),
                                        (uint32_t)map->slots[i].key, map->slots[i].value};
    if (calls)
        qsort(calls, *count, sizeof *calls, by_callee);
    return calls; /* key 0 would be the first function calling itself, which no order can help */
}
