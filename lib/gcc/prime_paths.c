/* Prime paths; see prime_paths.h. */
#include "gcc/prime_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NONE UINT32_MAX

/*
 * From each node in turn, paths are extended as long as this is possible, by the least node first. What cannot be
 * extended at its end is prime if it cannot be at its beginning either: if whatever leads to its first node is in it.
 */
struct an_prime_search {
    uint32_t count;
    uint32_t *first, *to;        /* as in struct an_prime_graph, without what is cut off */
    uint32_t *first_from, *from; /* of each node, those that lead to it */
    uint32_t *part;              /* the strongly connected part that it is in */
    uint32_t *path;              /* with room for the end of a circle */
    uint32_t *next;    /* of each node of the path: which way out is tried next, in `to` */
    bool *is_extended; /* likewise: whether there was one */
    bool *is_on_path;
    bool *leads_to_root; /* to the first node of the path */
    uint32_t length;
    uint32_t root;         /* the next one */
    uint32_t missing;      /* nodes that lead to the first one and are not on the path */
    bool is_circular_only; /* nodes of other parts lead to the first one: only circles are prime */
};

/* ---- strongly connected parts ---- */

/* Tarjan's search, without recursion. */
struct parting {
    struct an_prime_search *search;
    uint32_t *index, *low, *stack, *calls, *next;
    bool *is_on_stack;
    uint32_t indices, stacked, depth, parts;
};

static void enter(struct parting *parting, uint32_t node)
{
    parting->index[node] = parting->low[node] = parting->indices++;
    parting->next[node] = parting->search->first[node];
    parting->stack[parting->stacked++] = node;
    parting->is_on_stack[node] = true;
    parting->calls[parting->depth++] = node;
}

static void lower(struct parting *parting, uint32_t node, uint32_t to)
{
    if (to < parting->low[node])
        parting->low[node] = to;
}

static void leave(struct parting *parting, uint32_t node)
{
    uint32_t member;
    parting->depth--;
    if (parting->depth)
        lower(parting, parting->calls[parting->depth - 1], parting->low[node]);
    if (parting->low[node] != parting->index[node])
        return;
    do {
        member = parting->stack[--parting->stacked];
        parting->is_on_stack[member] = false;
        parting->search->part[member] = parting->parts;
    } while (member != node);
    parting->parts++;
}

static void part_from(struct parting *parting, uint32_t node)
{
    const struct an_prime_search *search = parting->search;
    enter(parting, node);
    while (parting->depth) {
        uint32_t top = parting->calls[parting->depth - 1];
        if (parting->next[top] == search->first[top + 1]) {
            leave(parting, top);
            continue;
        }
        uint32_t to = search->to[parting->next[top]++];
        if (parting->index[to] == NONE)
            enter(parting, to);
        else if (parting->is_on_stack[to])
            lower(parting, top, parting->index[to]);
    }
}

static bool find_parts(struct an_prime_search *search)
{
    size_t count = search->count;
    uint32_t *room = an_alloc(5 * count + 1, sizeof *room);
    bool *is_on_stack = an_alloc_zero(count + 1, sizeof *is_on_stack);
    bool done = room && is_on_stack;
    if (done) {
        struct parting parting = {
            search,           room,        room + count, room + 2 * count, room + 3 * count,
            room + 4 * count, is_on_stack, .parts = 0};
        for (uint32_t i = 0; i < count; i++)
            parting.index[i] = NONE;
        for (uint32_t i = 0; i < count; i++)
            if (parting.index[i] == NONE)
                part_from(&parting, i);
    }
    free(room);
    free(is_on_stack);
    return done;
}

/* ---- what is cut off ---- */

/* Marks what can be reached from what is marked. */
static void spread(uint32_t count, const uint32_t *first, const uint32_t *to, bool *is_marked,
                   uint32_t *queue)
{
    uint32_t queued = 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_marked[i])
            queue[queued++] = i;
    while (queued) {
        uint32_t node = queue[--queued];
        for (uint32_t i = first[node]; i < first[node + 1]; i++)
            if (!is_marked[to[i]]) {
                is_marked[to[i]] = true;
                queue[queued++] = to[i];
            }
    }
}

/* Takes out the ways between parts of which one is not on any path from a beginning to an end. */
static void cut(struct an_prime_search *search, const bool *begins, const bool *ends)
{
    uint32_t kept = 0, i = 0;
    for (uint32_t node = 0; node < search->count; node++) {
        uint32_t end = search->first[node + 1];
        bool is_good = begins[node] && ends[node];
        search->first[node] = kept;
        for (; i < end; i++) {
            uint32_t to = search->to[i];
            if (search->part[node] == search->part[to] || (is_good && begins[to] && ends[to]))
                search->to[kept++] = to;
        }
    }
    search->first[search->count] = kept;
}

/* Who leads to whom. */
static void turn_round(struct an_prime_search *search)
{
    uint32_t count = search->count;
    memset(search->first_from, 0, ((size_t)count + 2) * sizeof *search->first_from);
    for (uint32_t i = 0; i < search->first[count]; i++)
        search->first_from[search->to[i] + 2]++;
    for (uint32_t i = 2; i < count + 2; i++)
        search->first_from[i] += search->first_from[i - 1];
    for (uint32_t node = 0; node < count; node++)
        for (uint32_t i = search->first[node]; i < search->first[node + 1]; i++)
            search->from[search->first_from[search->to[i] + 1]++] = node;
}

static bool cut_off(struct an_prime_search *search)
{
    uint32_t count = search->count;
    bool *begins = an_alloc_zero(2 * (size_t)count + 1, sizeof *begins);
    uint32_t *queue = an_alloc((size_t)count + 1, sizeof *queue);
    if (begins && queue) {
        bool *ends = begins + count;
        turn_round(search);
        for (uint32_t i = 0; i < count; i++) {
            begins[i] = search->first_from[i] == search->first_from[i + 1];
            ends[i] = search->first[i] == search->first[i + 1];
        }
        spread(count, search->first, search->to, begins, queue);
        spread(count, search->first_from, search->from, ends, queue);
        cut(search, begins, ends);
        turn_round(search);
    }
    bool done = begins && queue;
    free(begins);
    free(queue);
    return done;
}

/* ---- the search ---- */

static void free_search(struct an_prime_search *search)
{
    if (!search)
        return;
    free(search->first);
    free(search->to);
    free(search->first_from);
    free(search->from);
    free(search->part);
    free(search->path);
    free(search->next);
    free(search->is_extended);
    free(search->is_on_path);
    free(search->leads_to_root);
    free(search);
}

static struct an_prime_search *new_search(const struct an_prime_graph *graph)
{
    struct an_prime_search *search = an_alloc_zero(1, sizeof *search);
    if (!search)
        return NULL;
    size_t count = graph->count, ways = count ? graph->first[count] : 0;
    search->count = graph->count;
    search->first = an_alloc_zero(count + 1, sizeof *search->first);
    search->to = an_alloc(ways + 1, sizeof *search->to);
    search->first_from = an_alloc(count + 2, sizeof *search->first_from);
    search->from = an_alloc(ways + 1, sizeof *search->from);
    search->part = an_alloc(count + 1, sizeof *search->part);
    search->path = an_alloc(count + 1, sizeof *search->path);
    search->next = an_alloc(count + 1, sizeof *search->next);
    search->is_extended = an_alloc(count + 1, sizeof *search->is_extended);
    search->is_on_path = an_alloc_zero(count + 1, sizeof *search->is_on_path);
    search->leads_to_root = an_alloc_zero(count + 1, sizeof *search->leads_to_root);
    if (search->first && search->to && search->first_from && search->from && search->part &&
        search->path && search->next && search->is_extended && search->is_on_path &&
        search->leads_to_root) {
        if (count)
            memcpy(search->first, graph->first, (count + 1) * sizeof *search->first);
        if (ways)
            memcpy(search->to, graph->to, ways * sizeof *search->to);
        return search;
    }
    free_search(search);
    return NULL;
}

bool an_prime_paths_start(struct an_prime_paths *paths, const struct an_prime_graph *graph,
                          uint64_t steps)
{
    struct an_prime_search *search = new_search(graph);
    if (search && find_parts(search) && cut_off(search)) {
        *paths = (struct an_prime_paths){.path = search->path, .steps = steps, .search = search};
        return true;
    }
    free_search(search);
    return false;
}

void an_prime_paths_free(struct an_prime_paths *paths)
{
    free_search(paths->search);
    paths->search = NULL;
}

static void push(struct an_prime_search *search, uint32_t node)
{
    search->path[search->length] = node;
    search->next[search->length] = search->first[node];
    search->is_extended[search->length++] = false;
    search->is_on_path[node] = true;
    search->missing -= search->leads_to_root[node];
}

static void pop(struct an_prime_search *search)
{
    uint32_t node = search->path[--search->length];
    search->is_on_path[node] = false;
    search->missing += search->leads_to_root[node];
}

/* Marks what leads to a node, or takes the marks away. */
static void mark_root(struct an_prime_search *search, uint32_t root, bool leads)
{
    search->missing = 0;
    search->is_circular_only = false;
    for (uint32_t i = search->first_from[root]; i < search->first_from[root + 1]; i++) {
        search->leads_to_root[search->from[i]] = leads;
        search->is_circular_only |= search->part[search->from[i]] != search->part[root];
        search->missing++;
    }
}

/* Whether the path cannot lead to anything if it goes there: it does not come back to its part. */
static bool is_in_vain(const struct an_prime_search *search, uint32_t node)
{
    return (search->is_circular_only || search->missing) &&
           search->part[node] != search->part[search->path[0]];
}

/* Tries one more way out of the path's last node; true when that makes a circle of it. */
static bool extend(struct an_prime_search *search)
{
    uint32_t top = search->length - 1;
    uint32_t node = search->to[search->next[top]++];
    if (node == search->path[0]) {
        search->is_extended[top] = true;
        search->path[search->length] = node;
        return true;
    }
    if (search->is_on_path[node])
        return false;
    search->is_extended[top] = true;
    if (!is_in_vain(search, node))
        push(search, node);
    return false;
}

/* All ways out of the last node have been tried. */
static bool is_prime(const struct an_prime_search *search)
{
    return !search->is_extended[search->length - 1] && !search->is_circular_only &&
           search->missing == 0;
}

static bool begin(struct an_prime_search *search)
{
    if (search->root)
        mark_root(search, search->root - 1, false);
    if (search->root == search->count)
        return false;
    mark_root(search, search->root, true);
    push(search, search->root++);
    return true;
}

enum an_prime an_prime_paths_next(struct an_prime_paths *paths)
{
    struct an_prime_search *search = paths->search;
    for (;; paths->steps--) {
        if (paths->steps == 0)
            return AN_PRIME_BEYOND;
        if (search->length == 0) {
            if (!begin(search))
                return AN_PRIME_END;
            continue;
        }
        uint32_t top = search->length - 1;
        if (search->next[top] < search->first[search->path[top] + 1]) {
            if (extend(search)) {
                paths->length = search->length + 1;
                return AN_PRIME_PATH;
            }
            continue;
        }
        bool found = is_prime(search);
        paths->length = search->length;
        pop(search); /* what is popped stays in its place */
        if (found)
            return AN_PRIME_PATH;
    }
}
