/*
 * Finding threads at places that change; see occupied.h.
 *
 * Where a signal has interrupted a function, its next instruction is in a frame on a stack
 * (signal_frame.h). Frames are found by what every one of them has:
 *
 *     stack      | ... | 0: address of code | ... 168: rsp | 176: rip | 184: rflags | 192: cs, always 33 | ...
 *                        (that calls rt_sigreturn)
 *
 * Looking for words that point to places that change would find some that are no longer used, for
 * ever. A frame may lie on a stack of its own, and tells by its rsp where the interrupted one is.
 */
#include "live/occupied.h"

#include <stdlib.h>

#include "live/pages.h"
#include "live/signal_frame.h"
#include "live/stacks.h"

enum { MOST_STACKS = 64, MOST_OF_STACK = 8 << 20 };

/* Of all threads: what it finds is written by one hand (hands.h) at a time. */
struct whole {
    pthread_mutex_t mutex;
    struct an_pages pages;
    struct an_plan *plan;
    enum an_patience patience;
    struct an_occupation found;
};

/* Of one thread */
struct search {
    struct whole *whole;
    const struct an_target *target;
    uint64_t stacks[MOST_STACKS]; /* that have to be searched, by where their use begins */
    unsigned stack_count;
};

static void add(struct whole *whole, size_t waited_for, bool unknown)
{
    pthread_mutex_lock(&whole->mutex);
    whole->found.waited_for += waited_for;
    whole->found.unknown = whole->found.unknown || unknown;
    pthread_mutex_unlock(&whole->mutex);
}

static void look_at(const struct search *search, uint64_t address)
{
    struct whole *whole = search->whole;
    struct an_patch_site *place = an_plan_around(whole->plan, address - search->target->bias);
    if (!place || !place->is_entry || !place->changes)
        return;
    bool withhold = whole->patience == AN_WAIT_FOR_NONE ||
                    (whole->patience == AN_WAIT_FOR_ENTRIES && an_patch_site_may_stay(place));
    pthread_mutex_lock(&whole->mutex);
    whole->found.waited_for += !withhold;
    whole->found.withheld += withhold && !place->is_withheld;
    place->is_withheld = place->is_withheld || withhold;
    pthread_mutex_unlock(&whole->mutex);
}

/* Where a part of a stack is searched already, the rest of it is. */
static void add_stack(struct search *search, uint64_t address)
{
    const struct an_target_mapping *mapping = an_target_mapping_at(search->target, address);
    for (unsigned i = 0; i < search->stack_count; i++) {
        uint64_t known = search->stacks[i];
        if (known == address || (known < address && address - known < MOST_OF_STACK &&
                                 an_target_mapping_at(search->target, known) == mapping))
            return;
    }
    if (search->stack_count < MOST_STACKS)
        search->stacks[search->stack_count++] = address;
    else
        add(search->whole, 0, true);
}

static bool is_mapped(const struct search *search, uint64_t address, unsigned flags)
{
    const struct an_target_mapping *mapping = an_target_mapping_at(search->target, address);
    return mapping && (mapping->flags & flags) == flags;
}

/* A frame is worth a look only if what it interrupted changes, or is on another stack. What code returns from the
 * handler is not looked at: some programs have their own. */
static void read_stack(struct search *search, const uint64_t *words, size_t count, uint64_t start,
                       uint64_t end)
{
    enum { USER_CODE = 0x33, ALWAYS_SET = 2 /* of rflags */ };
    const size_t rsp = AN_FRAME_RSP / 8, rip = AN_FRAME_RIP / 8, flags = rip + 1,
                 cs = AN_FRAME_CS / 8;
    for (size_t i = 0; i + cs < count; i++) {
        if ((words[i + cs] & 0xffff) != USER_CODE)
            continue;
        const struct an_patch_site *place =
            an_plan_around(search->whole->plan, words[i + rip] - search->target->bias);
        bool is_near = words[i + rsp] >= start && words[i + rsp] < end;
        if (!(place && place->is_entry && place->changes) && is_near)
            continue;
        if (!(words[i + flags] & ALWAYS_SET) || !is_mapped(search, words[i], AN_MAP_EXECUTE) ||
            !is_mapped(search, words[i + rip], AN_MAP_EXECUTE) ||
            !is_mapped(search, words[i + rsp], AN_MAP_READ | AN_MAP_WRITE))
            continue;
        look_at(search, words[i + rip]);
        add_stack(search, words[i + rsp]);
    }
}

/* From where it is used to the end of its mapping; of huge ones (threads of a language of its own) not
 * more than can be read in a moment. */
static void search_stack(struct search *search, uint64_t address)
{
    const struct an_target_mapping *mapping = an_target_mapping_at(search->target, address);
    address &= ~(uint64_t)7;
    if (!mapping || !(mapping->flags & AN_MAP_READ)) {
        add(search->whole,
            !mapping && search->whole->patience != AN_WAIT_FOR_NONE, /* the next attempt knows it */
            false);
        return;
    }
    size_t size = (size_t)(mapping->end - address);
    size = size < MOST_OF_STACK ? size : MOST_OF_STACK;
    uint64_t *words = an_alloc(size / 8 + 1, 8);
    if (words && an_pages_read(&search->whole->pages, address, words, size / 8 * 8))
        read_stack(search, words, size / 8, mapping->start, mapping->end);
    else
        add(search->whole, 0, true);
    free(words);
}

/* Where the thread is, on its stack, and on those that are known from there. */
static void search_thread(void *context, const struct an_stack *stack)
{
    struct whole *whole = context;
    struct search search = {.whole = whole, .target = whole->pages.target};
    unsigned done = stack->words != NULL;
    look_at(&search, stack->thread->registers.rip);
    add_stack(&search, stack->thread->registers.rsp);
    if (done)
        read_stack(&search, stack->words, stack->count, stack->mapping->start, stack->mapping->end);
    for (unsigned i = done; i < search.stack_count; i++)
        search_stack(&search, search.stacks[i]);
}

struct an_occupation an_occupied(struct an_threads *threads, struct an_plan *plan,
                                 enum an_patience patience)
{
    struct whole whole = {.plan = plan, .patience = patience};
    pthread_mutex_init(&whole.mutex, NULL);
    an_pages_open(&whole.pages, threads->target);
    if (!an_stacks_each(threads, 0, search_thread, &whole))
        whole.found.unknown = true;
    an_pages_close(&whole.pages);
    pthread_mutex_destroy(&whole.mutex);
    return whole.found;
}
