/*
 * Searching for circles; see loops.h. From a node only such circles are searched that have no lesser node, so
 * that each is found once. A node is blocked while the path goes through it, and on, until a circle is found
 * through it, or through another one that it waits for.
 *
 * The path is kept in frames of our own: a line can have more blocks than a stack has room for.
 */
#include "gcc/loops.h"

#define NO_WAITER UINT32_MAX

struct an_loop_frame {
    uint32_t node;
    uint32_t next;  /* the arc to look at */
    uint32_t taken; /* the arc by which the path goes on */
    bool found;     /* a circle from here */
};

struct an_loop_waiter {
    uint32_t node, next;
};

struct search {
    struct an_loops *loops;
    uint32_t start;
    uint32_t used_up; /* arcs of the path of which nothing is left */
    uint64_t steps, most_steps;
    int64_t around;
};

void an_loops_free(struct an_loops *loops)
{
    an_vector_free(&loops->nodes);
    an_vector_free(&loops->arcs);
    an_vector_free(&loops->frames);
    an_vector_free(&loops->waiters);
    an_vector_free(&loops->unblocked);
}

static bool enter(struct search *search, uint32_t node)
{
    struct an_loops *loops = search->loops;
    struct an_loop_frame *frame = an_vector_push(&loops->frames);
    if (!frame)
        return false;
    *frame = (struct an_loop_frame){.node = node, .next = loops->nodes.items[node].first_arc};
    loops->nodes.items[node].is_blocked = true;
    return true;
}

/* The path has come back to its start. */
static void go_around(struct search *search)
{
    struct an_loops *loops = search->loops;
    const struct an_loop_frame *path = loops->frames.items;
    struct an_loop_arc *arcs = loops->arcs.items;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < loops->frames.count; i++)
        if (arcs[path[i].taken].count < least)
            least = arcs[path[i].taken].count;
    search->steps += loops->frames.count;
    search->around = (int64_t)((uint64_t)search->around + (uint64_t)least);
    search->used_up = 0;
    for (size_t i = 0; i < loops->frames.count; i++) {
        arcs[path[i].taken].count -= least;
        search->used_up += i + 1 < loops->frames.count && arcs[path[i].taken].count == 0;
    }
}

static bool unblock(struct search *search, uint32_t node)
{
    struct an_loops *loops = search->loops;
    for (;;) {
        struct an_loop_node *freed = &loops->nodes.items[node];
        uint32_t waiting = freed->is_blocked ? freed->waiting : NO_WAITER;
        freed->is_blocked = false;
        freed->waiting = NO_WAITER;
        for (; waiting != NO_WAITER; waiting = loops->waiters.items[waiting].next) {
            uint32_t *other = an_vector_push(&loops->unblocked);
            if (!other)
                return false;
            *other = loops->waiters.items[waiting].node;
        }
        if (loops->unblocked.count == 0)
            return true;
        node = loops->unblocked.items[--loops->unblocked.count];
    }
}

static bool add_waiter(struct search *search, uint32_t node, uint32_t waiter)
{
    struct an_loops *loops = search->loops;
    uint32_t *head = &loops->nodes.items[node].waiting;
    for (uint32_t i = *head; i != NO_WAITER; i = loops->waiters.items[i].next) {
        search->steps++;
        if (loops->waiters.items[i].node == waiter)
            return true;
    }
    struct an_loop_waiter *added = an_vector_push(&loops->waiters);
    if (!added)
        return false;
    *added = (struct an_loop_waiter){waiter, *head};
    *head = (uint32_t)(loops->waiters.count - 1);
    return true;
}

static bool is_open(const struct search *search, const struct an_loop_arc *arc)
{
    return arc->to >= search->start && arc->count > 0;
}

/* A node from which no circle was found stays blocked until one that it leads to is freed. */
static bool wait_for_others(struct search *search, uint32_t node)
{
    struct an_loops *loops = search->loops;
    const struct an_loop_node *waiting = &loops->nodes.items[node];
    for (uint32_t i = 0; i < waiting->arc_count; i++) {
        const struct an_loop_arc *arc = &loops->arcs.items[waiting->first_arc + i];
        if (is_open(search, arc) && !add_waiter(search, arc->to, node))
            return false;
    }
    search->steps += waiting->arc_count;
    return true;
}

/* All arcs of the path's last node have been looked at. */
static bool leave(struct search *search)
{
    struct an_loops *loops = search->loops;
    struct an_loop_frame left = loops->frames.items[--loops->frames.count];
    if (loops->frames.count) {
        struct an_loop_frame *frame = &loops->frames.items[loops->frames.count - 1];
        frame->found |= left.found;
        search->used_up -= loops->arcs.items[frame->taken].count == 0;
    }
    return left.found ? unblock(search, left.node) : wait_for_others(search, left.node);
}

/* Looks at the next arc of the path's last node. */
static bool step(struct search *search)
{
    struct an_loops *loops = search->loops;
    struct an_loop_frame *frame = &loops->frames.items[loops->frames.count - 1];
    const struct an_loop_node *node = &loops->nodes.items[frame->node];
    if (frame->next == node->first_arc + node->arc_count)
        return leave(search);
    search->steps++;
    frame->taken = frame->next++;
    const struct an_loop_arc *arc = &loops->arcs.items[frame->taken];
    if (!is_open(search, arc))
        return true;
    if (arc->to == search->start) {
        go_around(search);
        frame->found = true;
        return true;
    }
    bool goes_on = search->used_up == 0 && !loops->nodes.items[arc->to].is_blocked;
    return !goes_on || enter(search, arc->to);
}

static bool search_from(struct search *search, uint32_t start)
{
    struct an_loops *loops = search->loops;
    for (size_t i = start; i < loops->nodes.count; i++) {
        loops->nodes.items[i].is_blocked = false;
        loops->nodes.items[i].waiting = NO_WAITER;
    }
    search->start = start;
    search->used_up = 0;
    search->steps += loops->nodes.count - start;
    loops->frames.count = loops->waiters.count = 0;
    bool done = enter(search, start);
    while (done && loops->frames.count && search->steps < search->most_steps)
        done = step(search);
    return done;
}

/* A circle has an arc that leads back to its least node. */
static bool find_starts(struct an_loops *loops)
{
    bool found = false;
    for (size_t i = 0; i < loops->nodes.count; i++)
        loops->nodes.items[i].is_start = false;
    for (size_t i = 0; i < loops->nodes.count; i++) {
        const struct an_loop_node *node = &loops->nodes.items[i];
        for (uint32_t k = 0; k < node->arc_count; k++) {
            const struct an_loop_arc *arc = &loops->arcs.items[node->first_arc + k];
            if (arc->to <= i && arc->count > 0)
                found = loops->nodes.items[arc->to].is_start = true;
        }
    }
    return found;
}

bool an_loops_count(struct an_loops *loops, const uint32_t *starts, size_t count, int64_t *around)
{
    const uint64_t most = (uint64_t)AN_LOOPS_MOST_LINES * AN_LOOPS_MOST_STEPS - loops->steps;
    struct search search = {.loops = loops,
                            .most_steps = most < AN_LOOPS_MOST_STEPS ? most : AN_LOOPS_MOST_STEPS};
    bool done = true;
    if (find_starts(loops))
        for (size_t i = 0; done && i < count; i++)
            if (loops->nodes.items[starts[i]].is_start && search.steps < search.most_steps)
                done = search_from(&search, starts[i]);
    loops->steps += search.steps < search.most_steps ? search.steps : search.most_steps;
    *around = search.around;
    return done;
}
