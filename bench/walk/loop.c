/* Looking for a loop; see loop.h. */
#include "loop.h"

#include <stdlib.h>

#include "support/random.h"

enum { LARGEST_FUNCTION = 2000 }; /* in sites */

struct search {
    const struct graph *graph;
    const struct image_function *function;
    uint32_t *before; /* by site of the function; NO_SITE: not reached */
    uint32_t *queue;
    uint32_t queued, call;
    bool through_calls; /* there may be other calls on the way */
};

static bool is_live(const struct search *s, uint32_t site)
{
    return site != NO_SITE && site >= s->function->first_site && site < s->function->end_site &&
           s->graph->sites[site].distance != NO_WAY;
}

static void reach(struct search *s, uint32_t from, uint32_t to)
{
    if (!is_live(s, to) || s->before[to - s->function->first_site] != NO_SITE)
        return;
    s->before[to - s->function->first_site] = from;
    s->queue[s->queued++] = to;
}

/* Not to the function's own entry, where a jump to newer code may stand. */
static void reach_by_branch(struct search *s, uint32_t from, uint32_t address, uint32_t to)
{
    if (address + s->graph->image->low != s->function->start)
        reach(s, from, to);
}

static void spread(struct search *s, uint32_t number)
{
    const struct site *site = &s->graph->sites[number];
    const struct target *targets = s->graph->targets + site->targets;
    if (site->kind == SITE_CONDITIONAL || site->kind == SITE_JUMP)
        reach_by_branch(s, number, site->target_address, site->target);
    else if (site->kind == SITE_SWITCH)
        for (uint32_t i = 0; i < site->target_number; i++)
            reach_by_branch(s, number, targets[i].address, targets[i].site);
    bool passes = site->kind == SITE_CALL || site->kind == SITE_INDIRECT_CALL;
    if (site->kind == SITE_CONDITIONAL || site->kind == SITE_EXTERNAL_CALL || number == s->call ||
        (passes && s->through_calls))
        reach(s, number, number + 1);
}

/* Whether a call can be followed by itself without leaving the function. */
static bool goes_round(struct search *s, uint32_t call)
{
    uint32_t first = s->function->first_site;
    for (uint32_t i = first; i < s->function->end_site; i++)
        s->before[i - first] = NO_SITE;
    s->queued = 0;
    s->call = call;
    s->queue[s->queued++] = call;
    for (uint32_t done = 0; done < s->queued && s->before[call - first] == NO_SITE; done++)
        spread(s, s->queue[done]);
    return s->before[call - first] != NO_SITE;
}

static struct loop *keep(const struct search *s)
{
    uint32_t first = s->function->first_site, number = s->function->end_site - first;
    struct loop *loop = must_alloc(1, sizeof *loop);
    *loop = (struct loop){s->call, first, must_alloc(number, sizeof *loop->next)};
    for (uint32_t i = 0; i < number; i++)
        loop->next[i] = NO_SITE;
    uint32_t site = s->call;
    do {
        uint32_t before = s->before[site - first];
        loop->next[before - first] = site;
        site = before;
    } while (site != s->call);
    return loop;
}

static struct loop *find_in(struct search *s)
{
    for (uint32_t i = s->function->first_site; i < s->function->end_site; i++)
        if (s->graph->sites[i].kind == SITE_INDIRECT_CALL && is_live(s, i) && goes_round(s, i))
            return keep(s);
    return NULL;
}

static bool is_moved(const struct copies *copies, uint32_t function)
{
    unsigned layouts = (unsigned)copies->graph->image->file_number - 1;
    return copies_newest(copies, layouts, function) != function;
}

static struct loop *find_among(struct search *s, const struct copies *copies, uint32_t begin,
                               bool moved)
{
    const struct image *image = s->graph->image;
    uint32_t number = (uint32_t)image->own_function_number;
    for (uint32_t i = 0; i < number; i++) {
        uint32_t function = (begin + i) % number;
        s->function = &image->functions[function];
        if (s->function->end_site - s->function->first_site > LARGEST_FUNCTION ||
            is_moved(copies, function) != moved)
            continue;
        struct loop *loop = find_in(s);
        if (loop)
            return loop;
    }
    return NULL;
}

struct loop *loop_find(const struct copies *copies, uint64_t seed)
{
    const struct graph *graph = copies->graph;
    uint32_t before[LARGEST_FUNCTION], queue[LARGEST_FUNCTION];
    struct search s = {.graph = graph, .before = before, .queue = queue};
    uint32_t begin = (uint32_t)(random_of(seed, 6) % graph->image->own_function_number);
    for (unsigned kind = 0; kind < 4; kind++) {
        s.through_calls = kind % 2;
        struct loop *loop = find_among(&s, copies, begin, kind < 2);
        if (loop)
            return loop;
    }
    return NULL;
}

void loop_free(struct loop *loop)
{
    if (loop)
        free(loop->next);
    free(loop);
}

uint32_t loop_next(const struct loop *loop, const struct graph *graph, uint32_t site)
{
    const struct image_function *function =
        image_function_at(graph->image, graph->sites[loop->call].address + graph->image->low);
    bool inside = site >= function->first_site && site < function->end_site;
    return inside ? loop->next[site - loop->first] : NO_SITE;
}
