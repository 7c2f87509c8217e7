/*
 * See gcc_lists.h. A list grows at its end only, without locks: threads and signal handlers may add to it at
 * once. What is taken out of the list while it is full is the rarest value, which loses one each time.
 */
#include "core/gcc_lists.h"

#include "core/bytes.h"
#include "core/gcc_interface.h"
#include "core/nodes.h"

static struct an_rt_gcc_pair **head_of(int64_t *place)
{
    return (struct an_rt_gcc_pair **)(void *)&place[2];
}

/* The value is not in the list, whose end is *end. */
static void append(int64_t *place, struct an_rt_gcc_pair **end, int64_t value)
{
    struct an_rt_gcc_pair *fresh = an_rt_nodes(1);
    if (!fresh)
        return;
    fresh->value = value;
    fresh->count = 1;
    for (struct an_rt_gcc_pair *there = NULL; !__atomic_compare_exchange_n(
             end, &there, fresh, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
         there = NULL)
        end = &there->next;
    an_rt_gcc_count(&place[1], 1, true);
}

static inline void count_value(int64_t *place, int64_t value, bool atomic)
{
    struct an_rt_gcc_pair **end = head_of(place), *rarest = NULL;
    an_rt_gcc_count(&place[0], 1, atomic);
    for (struct an_rt_gcc_pair *pair; (pair = __atomic_load_n(end, __ATOMIC_ACQUIRE));
         end = &pair->next) {
        if (pair->value == value) {
            an_rt_gcc_count(&pair->count, 1, atomic);
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

/*
 * The caller of a pointer leaves here which counters the target, which has this number, is to count in. The
 * target may be in a library: all copies of the runtime in a process use one, that which the loader finds first.
 */
__attribute__((visibility("default"))) __thread struct an_rt_indirect_call __gcov_indirect_call;

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
    enum { HEAD = 16, PAIR = 16 };
    int64_t total = (int64_t)an_rt_load_gcc_counter(words);
    uint64_t length = an_rt_load_gcc_counter(words + 8);
    const uint8_t *pair = words + HEAD;
    bool is_full = total < 0;
    list->total += is_full ? -total : total;
    for (; length; length--, pair += PAIR)
        is_full |= add_pair(list, (int64_t)an_rt_load_gcc_counter(pair),
                            (int64_t)an_rt_load_gcc_counter(pair + 8));
    if (is_full)
        list->total = -list->total;
}
