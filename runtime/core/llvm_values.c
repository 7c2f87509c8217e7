/*
 * Counting values; see llvm_values.h. What instrumented code calls is here.
 *
 * Lists only grow, at their ends, so that threads and signal handlers need no lock: who wins the race for
 * the end is in the list, and the other one goes on behind it. Counts of one value that two threads see
 * at the same moment may lose one, as all counters that are not atomic do.
 */
#include "core/llvm_values.h"

#include "core/llvm_interface.h"
#include "core/llvm_mix.h"
#include "core/nodes.h"

unsigned an_rt_values_kept = AN_RT_VALUES;
bool an_rt_values_kept_is_told;

/* Where records have the heads of their lists; 0: not known yet, or not all in one place. */
static size_t values_at;

/* So many nodes in a row, all 0; those that the compiler made room for come first. NULL: no memory. */
static void *take_nodes(const struct an_rt_module *module, size_t count)
{
    static size_t used;
    size_t room = module->nodes.size / AN_RT_NODE;
    if (__atomic_load_n(&used, __ATOMIC_RELAXED) < room) {
        size_t mine = __atomic_fetch_add(&used, count, __ATOMIC_RELAXED);
        if (mine < room && count <= room - mine)
            return module->nodes.begin + mine * AN_RT_NODE;
    }
    return an_rt_nodes(count);
}

/* The heads of the lists of a function; made when the compiler did not. */
static struct an_rt_node **heads_of(const struct an_rt_module *module, uint8_t *record)
{
    const struct an_rt_layout *layout =
        module->parts ? an_rt_mix_layout(module, record) : &module->layout;
    if (!layout)
        return NULL;
    struct an_rt_node ***place = (void *)(record + layout->values);
    struct an_rt_node **heads = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    unsigned sites = heads ? 0 : an_rt_sites_of(layout, record);
    if (sites == 0)
        return heads;
    size_t size = sites * sizeof *heads;
    if (!an_rt_values_kept_is_told)
        an_rt_values_kept = AN_RT_VALUES_MOST;
    struct an_rt_node **fresh = take_nodes(module, (size + AN_RT_NODE - 1) / AN_RT_NODE);
    if (!fresh)
        return NULL;
    /* Who loses the race leaves its memory unused. */
    return __atomic_compare_exchange_n(place, &heads, fresh, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE)
               ? fresh
               : heads;
}

/* The list is full. */
static void displace(struct an_rt_node *rarest, uint64_t value, uint64_t times)
{
    if (rarest->count > times) {
        rarest->count -= times;
        return;
    }
    rarest->value = value;
    rarest->count = times;
    rarest->written = rarest->due = 0;
}

static void append(const struct an_rt_module *module, struct an_rt_node **end, uint64_t value,
                   uint64_t times)
{
    struct an_rt_node *fresh = take_nodes(module, 1);
    if (!fresh)
        return;
    fresh->value = value;
    fresh->count = times;
    for (struct an_rt_node *there = NULL; !__atomic_compare_exchange_n(
             end, &there, fresh, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
         there = NULL)
        end = &there->next;
}

/* The value is new at this site, or nothing is known about the site yet. */
__attribute__((noinline, cold)) static void add_value(uint64_t value, uint8_t *record,
                                                      uint32_t site, uint64_t times)
{
    const struct an_rt_module *module = an_rt_module();
    struct an_rt_node **heads = module && record ? heads_of(module, record) : NULL;
    struct an_rt_node *rarest = NULL;
    unsigned length = 0;
    if (!heads)
        return;
    if (!module->parts)
        values_at = module->layout.values;
    struct an_rt_node **end = &heads[site];
    for (struct an_rt_node *node; (node = __atomic_load_n(end, __ATOMIC_ACQUIRE));
         end = &node->next, length++) {
        if (node->value == value) {
            node->count += times;
            return;
        }
        if (!rarest || node->count < rarest->count)
            rarest = node;
    }
    if (length >= an_rt_values_kept)
        displace(rarest, value, times);
    else
        append(module, end, value, times);
}

/* Programs spend much of their time here: nearly always the value is known, and early in the list. */
static inline void count_value(uint64_t value, uint8_t *record, uint32_t site, uint64_t times)
{
    size_t at = values_at;
    struct an_rt_node **heads = at ? *(struct an_rt_node ***)(void *)(record + at) : NULL;
    struct an_rt_node *node = heads ? __atomic_load_n(&heads[site], __ATOMIC_ACQUIRE) : NULL;
    while (node) {
        if (node->value == value) {
            node->count += times;
            return;
        }
        node = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE);
    }
    add_value(value, record, site, times);
}

const struct an_rt_node *an_rt_values(const struct an_rt_module *module, const uint8_t *record,
                                      unsigned site)
{
    struct an_rt_node **heads =
        *(struct an_rt_node * *const *)(const void *)(record + module->layout.values);
    return heads ? __atomic_load_n(&heads[site], __ATOMIC_ACQUIRE) : NULL;
}

static void each_node(const struct an_rt_module *module, void (*call)(struct an_rt_node *node))
{
    for (size_t i = 0; i < module->records; i++) {
        uint8_t *record = an_rt_record(module, i);
        struct an_rt_node **heads =
            *(struct an_rt_node ***)(void *)(record + module->layout.values);
        unsigned sites = heads ? an_rt_sites_of(&module->layout, record) : 0;
        for (unsigned site = 0; site < sites; site++)
            for (struct an_rt_node *node = heads[site]; node; node = node->next)
                call(node);
    }
}

static void reset(struct an_rt_node *node)
{
    node->count = node->written = 0;
}

/* Counts that threads add to at once may become smaller. */
static void make_due(struct an_rt_node *node)
{
    uint64_t count = node->count;
    node->due = count > node->written ? count - node->written : 0;
}

static void note_written(struct an_rt_node *node)
{
    node->written += node->due;
}

void an_rt_values_reset(const struct an_rt_module *module)
{
    each_node(module, reset);
}

static void forget(struct an_rt_node *node)
{
    node->written = 0;
}

void an_rt_values_forget(const struct an_rt_module *module)
{
    each_node(module, forget);
}

void an_rt_values_make_due(const struct an_rt_module *module)
{
    each_node(module, make_due);
}

void an_rt_values_note_written(const struct an_rt_module *module)
{
    each_node(module, note_written);
}

/* ---- what the compiler calls ---- */

void __llvm_profile_instrument_target_value(uint64_t value, void *record, uint32_t site,
                                            uint64_t times)
{
    if (times)
        count_value(value, record, site, times);
}

void __llvm_profile_instrument_target(uint64_t value, void *record, uint32_t site)
{
    count_value(value, record, site, 1);
}

/*
 * Sizes of memory operations are counted in classes: 0 to 8 and powers of two as they are, what lies
 * between two powers as the lower one plus 1, all above 512 as 513.
 */
void __llvm_profile_instrument_memop(uint64_t size, void *record, uint32_t site)
{
    uint64_t class = size;
    if (size > 512)
        class = 513;
    else if (size > 8 && (size & (size - 1)))
        class = (1ull << (63 - __builtin_clzll(size))) + 1;
    count_value(class, record, site, 1);
}
