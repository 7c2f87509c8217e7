/* Choosing functions and biases; see plan.h. */
#include "plan.h"

#include <stdlib.h>

#include "support/random.h"

enum {
    FARTHEST = 4096,       /* a way back that is longer counts as none */
    FUNCTIONS_A_ROOT = 20, /* chosen for each root */
    MOST_CANDIDATES = 6,   /* functions that an indirect call may go to */
    EXTERNAL = 4,          /* branches in another file */
};

struct planner {
    struct graph *graph;
    uint64_t seed;
    bool *hot; /* by function */
    uint32_t *queue;
    size_t queued, closed; /* closed: what the queue's functions need to return is in it, too */
    uint32_t *taken;       /* functions that indirect calls may go to */
    size_t taken_number;
};

/* ---- distances ---- */

static uint32_t plus(uint32_t left, uint32_t right)
{
    return left > FARTHEST || right > FARTHEST || left + right > FARTHEST ? NO_WAY : left + right;
}

static uint32_t least(uint32_t left, uint32_t right)
{
    return left < right ? left : right;
}

static uint32_t distance_at(const struct graph *graph, uint32_t site)
{
    return site == NO_SITE ? NO_WAY : graph->sites[site].distance;
}

/* The nearest target comes to stand first. */
static uint32_t nearest_target(const struct graph *graph, const struct site *site)
{
    struct target *targets = graph->targets + site->targets;
    uint32_t nearest = NO_WAY;
    for (uint32_t i = 0; i < site->target_number; i++) {
        uint32_t distance = distance_at(graph, targets[i].site);
        if (distance >= nearest)
            continue;
        struct target first = targets[0];
        targets[0] = targets[i];
        targets[i] = first;
        nearest = distance;
    }
    return nearest;
}

static uint32_t distance_of(const struct graph *graph, uint32_t number)
{
    const struct site *site = &graph->sites[number];
    switch ((enum site_kind)site->kind) {
    case SITE_STOP:
        break;
    case SITE_CONDITIONAL:
        return plus(1, least(distance_at(graph, site->target), site[1].distance));
    case SITE_JUMP:
        return plus(1, distance_at(graph, site->target));
    case SITE_CALL:
        return plus(1, plus(distance_at(graph, site->target), site[1].distance));
    case SITE_RETURN:
        return 1;
    case SITE_SWITCH:
    case SITE_INDIRECT_JUMP:
        return plus(1, nearest_target(graph, site));
    case SITE_INDIRECT_CALL:
        return plus(1, plus(nearest_target(graph, site), site[1].distance));
    case SITE_EXTERNAL_CALL:
        return plus(EXTERNAL, site[1].distance);
    case SITE_EXTERNAL_JUMP:
        return EXTERNAL;
    }
    return NO_WAY;
}

/* Sets all distances; with hot, only ways through those functions count. */
static void measure(struct graph *graph, const bool *hot)
{
    const struct image *image = graph->image;
    for (size_t i = 0; i < graph->own_site_number; i++)
        graph->sites[i].distance = NO_WAY;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t f = image->own_function_number; f-- > 0;) {
            const struct image_function *function = &image->functions[f];
            for (uint32_t i = function->end_site; (!hot || hot[f]) && i-- > function->first_site;) {
                uint32_t distance = distance_of(graph, i);
                changed |= distance < graph->sites[i].distance;
                graph->sites[i].distance = distance;
            }
        }
    }
}

/* ---- indirect calls ---- */

static void set_candidates(struct planner *p, uint32_t number, const uint32_t *functions,
                           size_t function_number)
{
    struct graph *graph = p->graph;
    uint64_t random = random_of(p->seed, number) | 1;
    struct site *site = &graph->sites[number];
    uint32_t count = 1;
    while (count < MOST_CANDIDATES && random_next(&random) % 3 == 0)
        count++;
    site->targets = (uint32_t)graph->target_number;
    site->target_number = 0;
    for (uint32_t i = 0; i < count && function_number; i++) {
        const struct image_function *function =
            &graph->image->functions[functions[random_next(&random) % function_number]];
        site->target_number +=
            graph_add_target(graph, (uint32_t)(function->start - graph->image->low));
    }
}

static void set_all_candidates(struct planner *p, const uint32_t *functions, size_t number)
{
    for (uint32_t i = 0; i < p->graph->own_site_number; i++)
        if (p->graph->sites[i].kind == SITE_INDIRECT_CALL ||
            p->graph->sites[i].kind == SITE_INDIRECT_JUMP)
            set_candidates(p, i, functions, number);
}

/* ---- choosing ---- */

static uint32_t function_of(const struct planner *p, uint32_t site)
{
    const struct image *image = p->graph->image;
    const struct image_function *function =
        image_function_at(image, p->graph->sites[site].address + image->low);
    return (uint32_t)(function - image->functions);
}

static void choose(struct planner *p, uint32_t function)
{
    if (!p->hot[function]) {
        p->hot[function] = true;
        p->queue[p->queued++] = function;
    }
}

/* The site that the nearest way back goes through next, after a call's return; calls are chosen. */
static uint32_t follow(struct planner *p, uint32_t number)
{
    struct graph *graph = p->graph;
    const struct site *site = &graph->sites[number];
    uint32_t next = NO_SITE, called = NO_SITE;
    if (site->kind == SITE_CONDITIONAL)
        next = distance_at(graph, site->target) < site[1].distance ? site->target : number + 1;
    else if (site->kind == SITE_JUMP)
        next = site->target;
    else if (site->kind == SITE_SWITCH || site->kind == SITE_INDIRECT_JUMP)
        next = graph->targets[site->targets].site;
    else if (site->kind == SITE_CALL)
        called = site->target;
    else if (site->kind == SITE_INDIRECT_CALL)
        called = graph->targets[site->targets].site;
    if (called != NO_SITE)
        choose(p, function_of(p, called));
    if (called != NO_SITE || site->kind == SITE_EXTERNAL_CALL)
        next = number + 1;
    return next;
}

/* Chooses what the chosen functions need to return. */
static void close_queue(struct planner *p)
{
    struct image *image = p->graph->image;
    for (; p->closed < p->queued; p->closed++) {
        const struct image_function *function = &image->functions[p->queue[p->closed]];
        for (uint32_t site = function->first_site; distance_at(p->graph, site) != NO_WAY;
             site = follow(p, site))
            if (p->graph->sites[site].address + image->low < function->start ||
                p->graph->sites[site].address + image->low >= function->end)
                choose(p, function_of(p, site));
    }
}

/* Chooses some of the functions that a chosen one calls. */
static void choose_callees(struct planner *p, uint32_t number)
{
    const struct image_function *function = &p->graph->image->functions[number];
    for (uint32_t i = function->first_site; i < function->end_site; i++) {
        const struct site *site = &p->graph->sites[i];
        if (site->distance == NO_WAY || random_of(p->seed + 1, i) % 2 == 0)
            continue;
        if (site->kind == SITE_CALL || site->kind == SITE_JUMP)
            choose(p, function_of(p, site->target));
        for (uint32_t j = 0; j < site->target_number; j++)
            if (distance_at(p->graph, p->graph->targets[site->targets + j].site) != NO_WAY)
                choose(p, function_of(p, p->graph->targets[site->targets + j].site));
    }
    close_queue(p);
}

/* Roots are not too small, and come from all over the program. */
static bool may_be_root(const struct planner *p, uint32_t number)
{
    const struct image_function *function = &p->graph->image->functions[number];
    return !function->linkage && function->end - function->start >= 200 &&
           p->graph->sites[function->first_site].distance != NO_WAY && !p->hot[number];
}

static void choose_functions(struct planner *p, struct plan *plan, size_t wanted)
{
    const struct image *image = p->graph->image;
    uint64_t random = random_of(p->seed, 2) | 1;
    size_t looked_at = 0;
    for (size_t tries = 0; p->queued < wanted && tries < 100 * image->own_function_number;
         tries++) {
        uint32_t function = (uint32_t)(random_next(&random) % image->own_function_number);
        if (!may_be_root(p, function))
            continue;
        size_t before = p->queued;
        plan->roots[plan->root_number++] = image->functions[function].first_site;
        choose(p, function);
        close_queue(p);
        while (looked_at < p->queued && p->queued < before + FUNCTIONS_A_ROOT)
            choose_callees(p, p->queue[looked_at++]);
        looked_at = looked_at < before ? before : looked_at;
    }
}

/* Functions whose address is taken; a share of them may be what indirect calls go to. */
static void choose_taken(struct planner *p, size_t wanted)
{
    const struct image *image = p->graph->image;
    for (size_t i = 0; i < image->pointer_number; i++) {
        const struct image_function *function = image_function_at(image, image->pointers[i]);
        if (!function || function->linkage || function->start != image->pointers[i])
            continue;
        uint32_t number = (uint32_t)(function - image->functions);
        p->taken[p->taken_number++] = number;
    }
    uint64_t random = random_of(p->seed, 3) | 1;
    for (size_t i = 0; i + 1 < p->taken_number; i++) {
        size_t other = i + random_next(&random) % (p->taken_number - i);
        uint32_t kept = p->taken[i];
        p->taken[i] = p->taken[other];
        p->taken[other] = kept;
    }
    if (p->taken_number > wanted)
        p->taken_number = wanted;
}

/* ---- biases ---- */

/*
 * Most branches go one way; only those back are taken more often than not. Where there is no way
 * back on one side, the other one is taken.
 */
static uint16_t bias_of(uint64_t seed, const struct site *site, uint32_t number, bool taken_returns,
                        bool next_returns)
{
    enum { ALWAYS = UINT16_MAX };
    if (!taken_returns || !next_returns)
        return taken_returns ? ALWAYS : 0;
    uint64_t random = random_of(seed + 2, number) | 1;
    unsigned kind = (unsigned)(random_next(&random) % 100);
    uint16_t some = (uint16_t)(random_next(&random) % 1000);
    uint16_t seldom = kind < 40 ? 0 : kind < 65 ? 200 + some : kind < 90 ? 8 * some : 32 * some;
    bool back = site->target_address <= site->address;
    if (back)
        return (uint16_t)(ALWAYS / 2 + 30 * some);
    return random_next(&random) % 10 < 3 ? ALWAYS - seldom : seldom;
}

static void set_biases(struct planner *p)
{
    struct graph *graph = p->graph;
    for (uint32_t i = 0; i < graph->own_site_number; i++) {
        struct site *site = &graph->sites[i];
        if (site->kind != SITE_CONDITIONAL)
            continue;
        site->shortcut = distance_at(graph, site->target) < site[1].distance;
        site->bias = bias_of(p->seed, site, i, distance_at(graph, site->target) != NO_WAY,
                             site[1].distance != NO_WAY);
    }
}

/* Targets without a way back go; what is left still begins with the nearest. */
static void drop_dead_targets(struct graph *graph)
{
    for (size_t i = 0; i < graph->own_site_number; i++) {
        struct site *site = &graph->sites[i];
        struct target *targets = graph->targets + site->targets;
        uint32_t kept = 0;
        for (uint32_t j = 0; j < site->target_number; j++)
            if (distance_at(graph, targets[j].site) != NO_WAY)
                targets[kept++] = targets[j];
        site->target_number = kept;
    }
}

/* ---- the whole ---- */

static void keep_live_roots(const struct graph *graph, struct plan *plan)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->root_number; i++)
        if (graph->sites[plan->roots[i]].distance != NO_WAY)
            plan->roots[kept++] = plan->roots[i];
    plan->root_number = kept;
}

static struct planner *planner_of(struct graph *graph, uint64_t seed)
{
    const struct image *image = graph->image;
    struct planner *p = must_alloc(1, sizeof *p);
    *p = (struct planner){.graph = graph, .seed = seed};
    p->hot = must_alloc(image->own_function_number, sizeof *p->hot);
    p->queue = must_alloc(image->own_function_number, sizeof *p->queue);
    p->taken = must_alloc(image->pointer_number, sizeof *p->taken);
    return p;
}

static void planner_free(struct planner *p)
{
    free(p->hot);
    free(p->queue);
    free(p->taken);
    free(p);
}

struct plan *plan_of(struct graph *graph, size_t functions, uint64_t seed)
{
    struct planner *p = planner_of(graph, seed);
    struct plan *plan = must_alloc(1, sizeof *plan);
    plan->roots = must_alloc(graph->image->own_function_number, sizeof *plan->roots);
    choose_taken(p, functions / 8);
    set_all_candidates(p, p->taken, p->taken_number);
    measure(graph, NULL);
    choose_functions(p, plan, functions);
    plan->function_number = p->queued;
    measure(graph, p->hot);
    drop_dead_targets(graph);
    keep_live_roots(graph, plan);
    set_biases(p);
    planner_free(p);
    if (plan->root_number == 0)
        must_fail("there is no function that returns");
    return plan;
}

void plan_free(struct plan *plan)
{
    free(plan->roots);
    free(plan);
}
