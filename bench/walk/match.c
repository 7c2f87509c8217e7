/* Going through two versions of a function side by side; see match.h. */
#include "match.h"

#include <stdlib.h>

enum { MOST_JUMPS = 64 }; /* one after the other, without anything between */

#define OUTSIDE (NO_SITE - 1) /* where another function begins */

struct side {
    uint32_t function; /* the program's, or the copy's entry */
    uint8_t file;
};

/* Places that are reached at the same time; `branch`: the program's site before. */
struct pair {
    uint32_t own, copied, branch;
};

struct matcher {
    struct graph *graph;
    const struct copies *copies;
    struct side own, copied;
    struct pair *pairs; /* to be looked at */
    size_t pair_number, pair_room;
    size_t stopped;
};

static uint32_t function_of(const struct graph *graph, uint32_t address)
{
    const struct image *image = graph->image;
    const struct image_function *function = image_function_at(image, address + image->low);
    return function ? (uint32_t)(function - image->functions) : NO_FUNCTION;
}

/* ---- places ---- */

/* Not in the function: for a copy, another one's entry, or not in its layout at all. */
static bool leaves(const struct matcher *m, const struct side *side, const struct site *site)
{
    uint32_t there = function_of(m->graph, site->target_address);
    if (there == NO_FUNCTION || side->file == 0)
        return there != side->function;
    if (m->graph->image->functions[there].file != side->file)
        return true;
    return there != side->function && m->copies->original[there] != NO_FUNCTION;
}

/* The next decision: jumps inside of the function are none. */
static uint32_t next_decision(const struct matcher *m, const struct side *side, uint32_t number)
{
    for (int jumps = 0; jumps < MOST_JUMPS && number != NO_SITE && number != OUTSIDE; jumps++) {
        const struct site *site = &m->graph->sites[number];
        if (site->kind != SITE_JUMP || leaves(m, side, site))
            return number;
        number = site->target;
    }
    return number == OUTSIDE ? OUTSIDE : NO_SITE;
}

static uint32_t where_taken(const struct matcher *m, const struct side *side,
                            const struct site *site)
{
    return site->target != NO_SITE && leaves(m, side, site) ? OUTSIDE : site->target;
}

static void add_pair(struct matcher *m, uint32_t own, uint32_t copied, uint32_t branch)
{
    if (m->pair_number == m->pair_room) {
        m->pair_room = m->pair_room * 2 + 64;
        m->pairs = must_grow(m->pairs, m->pair_room, sizeof *m->pairs);
    }
    m->pairs[m->pair_number++] = (struct pair){own, copied, branch};
}

static void stop(struct matcher *m, uint32_t number)
{
    if (number == NO_SITE || number == OUTSIDE || m->graph->sites[number].kind == SITE_STOP)
        return;
    m->graph->sites[number].kind = SITE_STOP;
    m->stopped++;
}

/* ---- comparing ---- */

/* The number of a condition; that of its contrary differs in the last bit. Others are 16 and up. */
static unsigned condition_of(const struct graph *graph, const struct site *site)
{
    size_t size;
    const uint8_t *bytes = image_bytes(graph->image, site->address + graph->image->low, &size);
    size_t at = 0;
    while (at + 1 < site->length && (bytes[at] & 0xf0) != 0x70 && (bytes[at] & 0xf0) != 0x80 &&
           (bytes[at] & 0xf0) != 0xe0)
        at++;
    return (bytes[at] & 0xf0) == 0xe0 ? 16u + bytes[at] : bytes[at] & 0xfu;
}

/* To the same function's entry, or to the same address. */
static bool same_target(const struct matcher *m, const struct site *own, const struct site *copied)
{
    const struct image *image = m->graph->image;
    uint32_t left = function_of(m->graph, own->target_address);
    uint32_t right = function_of(m->graph, copied->target_address);
    if (left == NO_FUNCTION || right == NO_FUNCTION)
        return false;
    if (own->target_address == copied->target_address)
        return image->functions[left].linkage ||
               image->functions[left].start == own->target_address + image->low;
    return m->copies->original[right] == left &&
           image->functions[left].start == own->target_address + image->low &&
           image->functions[right].start == copied->target_address + image->low;
}

static bool match_conditional(struct matcher *m, uint32_t own, uint32_t copied)
{
    const struct site *left = &m->graph->sites[own], *right = &m->graph->sites[copied];
    unsigned condition = condition_of(m->graph, left), other = condition_of(m->graph, right);
    bool inverted = condition < 16 && other == (condition ^ 1u);
    if (!inverted && other != condition)
        return false;
    uint32_t taken = where_taken(m, &m->copied, right), next = copied + 1;
    m->graph->sites[copied].inverted = inverted;
    add_pair(m, where_taken(m, &m->own, left), inverted ? next : taken, own);
    add_pair(m, own + 1, inverted ? taken : next, own);
    return true;
}

/* What only the program's table has is not used. */
static void match_switch(struct matcher *m, uint32_t own, uint32_t copied)
{
    struct site *left = &m->graph->sites[own];
    const struct site *right = &m->graph->sites[copied];
    const struct target *targets = m->graph->targets;
    if (left->target_number > right->target_number)
        left->target_number = right->target_number;
    for (uint32_t i = 0; i < left->target_number; i++)
        add_pair(m, targets[left->targets + i].site, targets[right->targets + i].site, own);
}

static bool match_sites(struct matcher *m, uint32_t own, uint32_t copied)
{
    const struct site *left = &m->graph->sites[own], *right = &m->graph->sites[copied];
    if (left->kind != right->kind)
        return false;
    switch ((enum site_kind)left->kind) {
    case SITE_CONDITIONAL:
        return match_conditional(m, own, copied);
    case SITE_JUMP:
        return same_target(m, left, right);
    case SITE_CALL:
        add_pair(m, own + 1, copied + 1, own);
        return same_target(m, left, right);
    case SITE_SWITCH:
        match_switch(m, own, copied);
        return true;
    case SITE_INDIRECT_CALL:
    case SITE_EXTERNAL_CALL:
        add_pair(m, own + 1, copied + 1, own);
        return true;
    case SITE_RETURN:
    case SITE_INDIRECT_JUMP:
    case SITE_EXTERNAL_JUMP:
    case SITE_STOP:
        break;
    }
    return true;
}

/* ---- one function ---- */

/* One side leaves the function with a jump, the other one already with the branch before. */
static bool both_leave(const struct matcher *m, uint32_t own, uint32_t copied)
{
    return (own == OUTSIDE || (own < OUTSIDE && m->graph->sites[own].kind == SITE_JUMP)) &&
           (copied == OUTSIDE || (copied < OUTSIDE && m->graph->sites[copied].kind == SITE_JUMP));
}

static void match_pair(struct matcher *m, struct pair pair)
{
    uint32_t own = next_decision(m, &m->own, pair.own);
    uint32_t copied = next_decision(m, &m->copied, pair.copied);
    if (own == NO_SITE || (own != OUTSIDE && m->graph->sites[own].kind == SITE_STOP))
        return;
    if (own == OUTSIDE || copied == OUTSIDE) {
        if (!both_leave(m, own, copied))
            stop(m, own == OUTSIDE ? pair.branch : own);
        return;
    }
    if (copied == NO_SITE) {
        stop(m, own);
        return;
    }
    struct site *site = &m->graph->sites[copied];
    if (site->origin == own)
        return;
    bool first = site->origin == NO_SITE;
    site->origin = own;
    if (!first || !match_sites(m, own, copied))
        stop(m, own);
}

static void match_function(struct matcher *m, uint32_t own, uint32_t copied)
{
    const struct image_function *functions = m->graph->image->functions;
    m->own = (struct side){own, 0};
    m->copied = (struct side){copied, functions[copied].file};
    add_pair(m, functions[own].first_site, functions[copied].first_site, NO_SITE);
    while (m->pair_number > 0)
        match_pair(m, m->pairs[--m->pair_number]);
}

/* ---- the whole ---- */

size_t match_all(struct graph *graph, const struct copies *copies)
{
    struct matcher m = {.graph = graph, .copies = copies};
    for (uint32_t i = (uint32_t)graph->image->own_function_number;
         i < graph->image->function_number; i++)
        if (copies->original[i] != NO_FUNCTION)
            match_function(&m, copies->original[i], i);
    free(m.pairs);
    return m.stopped;
}

/* The targets of a layout's table in the order in which the plan put those of the program. */
static void settle_switch(struct graph *graph, struct site *site, const struct site *origin)
{
    struct target *targets = graph->targets + site->targets;
    struct target *ordered = must_alloc(origin->target_number, sizeof *ordered);
    for (uint32_t i = 0; i < origin->target_number; i++)
        ordered[i] = targets[graph->targets[origin->targets + i].number];
    for (uint32_t i = 0; i < origin->target_number; i++)
        targets[i] = ordered[i];
    site->target_number = origin->target_number;
    free(ordered);
}

void match_settle(struct graph *graph)
{
    for (size_t i = graph->own_site_number; i < graph->site_number; i++) {
        struct site *site = &graph->sites[i];
        if (site->origin == NO_SITE)
            continue;
        const struct site *origin = &graph->sites[site->origin];
        site->bias = site->inverted ? UINT16_MAX - origin->bias : origin->bias;
        site->shortcut = origin->shortcut != site->inverted;
        if (site->kind == SITE_SWITCH && origin->kind == SITE_SWITCH) {
            settle_switch(graph, site, origin);
        } else {
            site->targets = origin->targets;
            site->target_number = origin->target_number;
        }
    }
}
