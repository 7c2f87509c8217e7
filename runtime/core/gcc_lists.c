/*
 * See gcc_lists.h. A list grows at its end only, without locks: threads and signal handlers may add to it at
 * once. What is taken out of the list while it is full is the rarest value, which loses one each time.
 */
#include "core/gcc_lists.h"

#include <string.h>

#include "core/gcc_interface.h"

/* Room for pairs, taken in blocks that are never given back. */
static struct an_rt_gcc_pair *take_pair(void)
{
    struct block {
        size_t used;
        struct an_rt_gcc_pair pairs[2730];
    };
    static struct block *newest;
    for (;;) {
        struct block *block = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
        size_t room = sizeof block->pairs / sizeof *block->pairs;
        size_t mine = block ? __atomic_fetch_add(&block->used, 1, __ATOMIC_RELAXED) : room;
        if (mine < room)
            return &block->pairs[mine];
        struct block *fresh = an_rt_memory(sizeof *fresh);
        if (!fresh)
            return NULL;
        if (!__atomic_compare_exchange_n(&newest, &block, fresh, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            an_rt_memory_free(fresh, sizeof *fresh);
    }
}

static inline void count(int64_t *counter, int64_t by, bool atomic)
{
    if (atomic)
        __atomic_fetch_add(counter, by, __ATOMIC_RELAXED);
    else
        *counter += by;
}

static struct an_rt_gcc_pair **head_of(int64_t *place)
{
    return (struct an_rt_gcc_pair **)(void *)&place[2];
}

/* The value is not in the list, whose end is *end. */
static void append(int64_t *place, struct an_rt_gcc_pair **end, int64_t value)
{
    struct an_rt_gcc_pair *fresh = take_pair();
    if (!fresh)
        return;
    fresh->value = value;
    fresh->count = 1;
    for (struct an_rt_gcc_pair *there = NULL; !__atomic_compare_exchange_n(
             end, &there, fresh, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
         there = NULL)
        end = &there->next;
    __atomic_fetch_add(&place[1], 1, __ATOMIC_RELAXED);
}

static inline void count_value(int64_t *place, int64_t value, bool atomic)
{
    struct an_rt_gcc_pair **end = head_of(place), *rarest = NULL;
    count(&place[0], 1, atomic);
    for (struct an_rt_gcc_pair *pair; (pair = __atomic_load_n(end, __ATOMIC_ACQUIRE));
         end = &pair->next) {
        if (pair->value == value) {
            count(&pair->count, 1, atomic);
            return;
        }
        if (!rarest || pair->count < rarest->count)
            rarest = pair;
    }
    if (place[1] < AN_RT_GCC_VALUES)
        append(place, end, value);
    else if (rarest && --rarest->count < 1) {
        rarest->value = value;
        rarest->count = 1;
    }
}

void __gcov_topn_values_profiler(int64_t *place, int64_t value)
{
    count_value(place, value, false);
}

void __gcov_topn_values_profiler_atomic(int64_t *place, int64_t value)
{
    count_value(place, value, true);
}

/* The caller of a pointer leaves here which counters the target, which has this number, is to count in. */
__thread struct an_rt_indirect_call __gcov_indirect_call;

void __gcov_indirect_call_profiler_v4(int64_t number, void *function)
{
    if (function == __gcov_indirect_call.callee)
        count_value(__gcov_indirect_call.counters, number, false);
    __gcov_indirect_call.callee = NULL;
}

void __gcov_indirect_call_profiler_v4_atomic(int64_t number, void *function)
{
    if (function == __gcov_indirect_call.callee)
        count_value(__gcov_indirect_call.counters, number, true);
    __gcov_indirect_call.callee = NULL;
}

/* ---- adding up ---- */

void an_rt_gcc_list_take(struct an_rt_gcc_list *list, const int64_t *place)
{
    const struct an_rt_gcc_pair *pair = *(struct an_rt_gcc_pair *const *)(const void *)&place[2];
    list->total = place[0];
    list->length = 0;
    for (; pair && list->length < AN_RT_GCC_VALUES; pair = pair->next, list->length++) {
        list->pairs[list->length].value = pair->value;
        list->pairs[list->length].count = pair->count;
    }
}

static int64_t load(const uint8_t *words, size_t number)
{
    int64_t value;
    memcpy(&value, words + 8 * number, sizeof value);
    return value;
}

/* Whether a value was lost. */
static bool add_pair(struct an_rt_gcc_list *list, int64_t value, int64_t times)
{
    unsigned rarest = 0;
    for (unsigned i = 0; i < list->length; i++) {
        if (list->pairs[i].value == value) {
            list->pairs[i].count += times;
            return false;
        }
        if (list->pairs[i].count < list->pairs[rarest].count)
            rarest = i;
    }
    bool is_full = list->length == AN_RT_GCC_VALUES;
    if (!is_full)
        rarest = list->length++;
    if (!is_full || --list->pairs[rarest].count < times) {
        list->pairs[rarest].value = value;
        list->pairs[rarest].count = times;
    }
    return is_full;
}

void an_rt_gcc_list_add(struct an_rt_gcc_list *list, const uint8_t *words)
{
    int64_t total = load(words, 0);
    bool is_full = total < 0;
    list->total += is_full ? -total : total;
    for (int64_t i = 0; i < load(words, 1); i++)
        is_full |=
            add_pair(list, load(words, (size_t)(2 + 2 * i)), load(words, (size_t)(3 + 2 * i)));
    if (is_full)
        list->total = -list->total;
}
