/* Reading the stacks of many threads; see stacks.h. */
#include "live/stacks.h"

#include <stdlib.h>
#include <sys/uio.h>

#include "record/memory.h"

enum { LONGEST = 4 * AN_PAGE, AT_ONCE = 64 };

/* Some stacks, one behind the other in `words`. */
struct batch {
    const struct an_target *target;
    uint64_t *words;
    struct an_stack stacks[AT_ONCE];
    size_t count;
};

static struct an_stack stack_of(const struct an_target *target, const struct an_thread *thread,
                                uint64_t below)
{
    uint64_t pointer = thread->registers.rsp;
    struct an_stack stack = {.thread = thread,
                             .mapping = an_target_mapping_at(target, pointer),
                             .start = (pointer - below) & ~(uint64_t)7};
    if (stack.mapping)
        stack.count = (size_t)((stack.mapping->end - stack.start) / 8);
    return stack;
}

static bool is_short(const struct an_stack *stack)
{
    return stack->mapping && (stack->mapping->flags & AN_MAP_READ) && stack->count * 8 <= LONGEST;
}

/* The kernel reads one after the other, up to one that it cannot. */
static size_t read_some(struct batch *batch, size_t first)
{
    struct iovec here[AT_ONCE], there[AT_ONCE];
    size_t asked = 0;
    for (size_t i = first; i < batch->count; i++) {
        const struct an_stack *stack = &batch->stacks[i];
        if (!is_short(stack))
            continue;
        here[asked] = (struct iovec){batch->words + i * (LONGEST / 8), stack->count * 8};
        there[asked++] = (struct iovec){(void *)(uintptr_t)stack->start, stack->count * 8};
    }
    ssize_t got = asked ? process_vm_readv(batch->target->living, here, asked, there, asked, 0) : 0;
    size_t i = first;
    for (; i < batch->count; i++) {
        struct an_stack *stack = &batch->stacks[i];
        if (!is_short(stack))
            continue;
        if (got < (ssize_t)(stack->count * 8))
            return i + 1;
        stack->words = batch->words + i * (LONGEST / 8);
        got -= (ssize_t)(stack->count * 8);
    }
    return i;
}

/* What the hands do. */
struct visit {
    const struct an_threads *threads;
    uint64_t below;
    void (*call)(void *context, const struct an_stack *stack);
    void *context;
    bool failed[AN_HANDS_MOST]; /* no memory, or no time */
};

static void finish(struct batch *batch, const struct visit *visit)
{
    for (size_t i = 0; i < batch->count;)
        i = read_some(batch, i);
    for (size_t i = 0; i < batch->count; i++)
        visit->call(visit->context, &batch->stacks[i]);
    batch->count = 0;
}

static void visit_some(void *context, unsigned hand)
{
    struct visit *visit = context;
    const struct an_threads *threads = visit->threads;
    struct batch batch = {.target = threads->target, .words = an_alloc(AT_ONCE, LONGEST)};
    visit->failed[hand] = !batch.words;
    for (size_t i = 0; !visit->failed[hand] && i < threads->list.count; i++) {
        const struct an_thread *thread = &threads->list.items[i];
        if (thread->is_gone || !an_threads_is_of(threads, hand, i))
            continue;
        batch.stacks[batch.count++] = stack_of(batch.target, thread, visit->below);
        if (batch.count < AT_ONCE)
            continue;
        finish(&batch, visit);
        visit->failed[hand] = !an_threads_in_time(threads);
    }
    finish(&batch, visit);
    free(batch.words);
}

bool an_stacks_each(struct an_threads *threads, uint64_t below,
                    void (*call)(void *context, const struct an_stack *stack), void *context)
{
    struct visit visit = {threads, below, call, context, {false}};
    an_hands_do(&threads->hands, an_threads_sharing(threads), visit_some, &visit);
    for (unsigned i = 0; i < AN_HANDS_MOST; i++)
        if (visit.failed[i])
            return false;
    return true;
}
