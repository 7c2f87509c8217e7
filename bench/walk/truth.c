/* Counting what is true; see truth.h. */
#include "truth.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

enum { OUTSIDE = MOST_FILES }; /* in place of a layout's number */

struct edge {
    uint64_t from, to; /* addresses; from 0: a free place */
    uint64_t number;
    char kind;
};

struct truth {
    const struct copies *copies;
    const struct graph *graph;
    struct edge *edges; /* a hash table; a power of two of places */
    size_t edge_number, room;
    uint64_t samples, branches, outside, led_on, layout_only, lost;
    uint64_t runs, runs_outside, runs_led_on;
    uint64_t between[MOST_FILES + 1][MOST_FILES + 1];
    uint64_t run[MOST_FILES];
};

/* ---- edges ---- */

static struct edge *place_of(struct edge *edges, size_t room, const struct edge *edge)
{
    size_t at = (size_t)random_of(edge->from, edge->to + (uint64_t)edge->kind) & (room - 1);
    while (edges[at].from && (edges[at].from != edge->from || edges[at].to != edge->to ||
                              edges[at].kind != edge->kind))
        at = (at + 1) & (room - 1);
    return &edges[at];
}

static void make_room(struct truth *truth)
{
    size_t room = truth->room ? truth->room * 2 : 1 << 16;
    struct edge *edges = must_alloc(room, sizeof *edges);
    for (size_t i = 0; i < truth->room; i++)
        if (truth->edges[i].from)
            *place_of(edges, room, &truth->edges[i]) = truth->edges[i];
    free(truth->edges);
    truth->edges = edges;
    truth->room = room;
}

/* Addresses relative to image.low. */
static void count(struct truth *truth, char kind, uint32_t from, uint32_t to)
{
    uint64_t low = truth->graph->image->low;
    struct edge edge = {low + from, low + to, 0, kind};
    if (truth->edge_number * 2 >= truth->room)
        make_room(truth);
    struct edge *place = place_of(truth->edges, truth->room, &edge);
    if (!place->from) {
        *place = edge;
        truth->edge_number++;
    }
    place->number++;
}

/* ---- what is where ---- */

static const struct image_function *function_at(const struct truth *truth, uint32_t address)
{
    const struct image *image = truth->graph->image;
    return image_function_at(image, address + image->low);
}

/* The program's function that begins at the address or has its copy there; else NO_FUNCTION. */
static uint32_t entered(const struct truth *truth, uint32_t address)
{
    const struct image *image = truth->graph->image;
    const struct image_function *function = function_at(truth, address);
    return function && function->start == address + image->low
               ? truth->copies->original[function - image->functions]
               : NO_FUNCTION;
}

static uint32_t start_of(const struct truth *truth, uint32_t function)
{
    const struct image *image = truth->graph->image;
    return (uint32_t)(image->functions[function].start - image->low);
}

/* The branch at an address; NULL when there is none. */
static const struct site *branch_at(const struct truth *truth, uint32_t address)
{
    uint32_t number = graph_site_at(truth->graph, address);
    const struct site *site = number == NO_SITE ? NULL : &truth->graph->sites[number];
    return site && site->address == address ? site : NULL;
}

static const struct site *origin_of(const struct truth *truth, const struct site *site)
{
    const struct graph *graph = truth->graph;
    if ((size_t)(site - graph->sites) < graph->own_site_number)
        return site;
    return site->origin == NO_SITE ? NULL : &graph->sites[site->origin];
}

/* ---- where a branch goes, in the program ---- */

/* Behind a call that was made in the program or in a layout. */
static bool behind_call(const struct truth *truth, uint32_t *to)
{
    const struct image_function *function = function_at(truth, *to);
    if (!function || function->file == 0)
        return function != NULL;
    uint32_t number = graph_site_at(truth->graph, *to);
    if (number == NO_SITE || number == function->first_site)
        return false;
    const struct site *call = &truth->graph->sites[number - 1];
    const struct site *origin = origin_of(truth, call);
    if (call->address + call->length != *to || !origin)
        return false;
    *to = origin->address + origin->length;
    return true;
}

static bool table_target(const struct truth *truth, const struct site *site,
                         const struct site *origin, uint32_t *to)
{
    const struct target *targets = truth->graph->targets;
    for (uint32_t i = 0; i < site->target_number; i++)
        if (targets[site->targets + i].address == *to) {
            *to = targets[origin->targets + i].address;
            return true;
        }
    return false;
}

static bool is_inner_jump(const struct truth *truth, const struct site *site)
{
    return site->kind == SITE_JUMP &&
           function_at(truth, site->address) == function_at(truth, site->target_address);
}

static bool target_of(const struct truth *truth, const struct site *site, const struct site *origin,
                      uint32_t *to)
{
    uint32_t function = entered(truth, *to);
    if (site->kind == SITE_RETURN)
        return behind_call(truth, to);
    if (site->kind == SITE_SWITCH)
        return table_target(truth, site, origin, to);
    if (site->kind == SITE_CALL || site->kind == SITE_JUMP)
        *to = origin->target_address;
    else if (function == NO_FUNCTION)
        return false;
    else
        *to = (uint32_t)(truth->graph->image->functions[function].start - truth->graph->image->low);
    return true;
}

/* It goes to another function, where that of the program went to a jump there. */
static bool is_joined(const struct truth *truth, const struct site *site, const struct site *origin)
{
    return entered(truth, site->target_address) != NO_FUNCTION &&
           entered(truth, origin->target_address) == NO_FUNCTION;
}

/* A layout's branch was come by. */
static void count_copied(struct truth *truth, const struct site *site, const struct site *origin)
{
    if (origin && site != origin &&
        (site->kind != SITE_CONDITIONAL || !is_joined(truth, site, origin)))
        count(truth, 'P', site->address, origin->address);
}

static void count_conditional(struct truth *truth, const struct site *site, bool taken)
{
    const struct site *origin = origin_of(truth, site);
    count_copied(truth, site, origin);
    if (!origin)
        truth->lost++;
    else if (taken && is_joined(truth, site, origin))
        count(truth, 'T', origin->address, start_of(truth, entered(truth, site->target_address)));
    else if (taken != (site != origin && site->inverted))
        count(truth, 'B', origin->address, origin->target_address);
    else
        count(truth, 'F', origin->address, origin->address + origin->length);
}

static void count_branch(struct truth *truth, uint32_t from, uint32_t to)
{
    const struct site *site = branch_at(truth, from);
    const struct site *origin = site ? origin_of(truth, site) : NULL;
    if (site && site->kind == SITE_CONDITIONAL) {
        count_conditional(truth, site, true);
    } else if (site && site->kind == SITE_JUMP && !origin) {
        truth->layout_only++;
    } else if (origin && target_of(truth, site, origin, &to)) {
        count_copied(truth, site, origin);
        count(truth, is_inner_jump(truth, origin) ? 'J' : 'B', origin->address, to);
    } else {
        truth->lost++;
    }
}

/* ---- samples ---- */

/* Relative to image.low; false: in another file. */
static bool relative(const struct truth *truth, uint64_t base, uint64_t address, uint32_t *place)
{
    const struct image *image = truth->graph->image;
    *place = (uint32_t)(address - base);
    return address - base < image->high - image->low && function_at(truth, *place);
}

static bool is_led_on(const struct truth *truth, uint32_t from, uint32_t to)
{
    uint32_t function = entered(truth, from);
    return function != NO_FUNCTION && entered(truth, to) == function &&
           function_at(truth, from)->file != function_at(truth, to)->file;
}

static unsigned layout_of(const struct truth *truth, uint32_t place)
{
    return function_at(truth, place)->file;
}

/* Whether it is a jump at an entry. */
static bool add_branch(struct truth *truth, uint64_t base, const struct perf_branch *branch)
{
    uint32_t from, to;
    bool from_known = relative(truth, base, branch->from, &from);
    bool to_known = relative(truth, base, branch->to, &to);
    truth->branches++;
    truth->between[from_known ? layout_of(truth, from) : OUTSIDE]
                  [to_known ? layout_of(truth, to) : OUTSIDE]++;
    if (!from_known || !to_known) {
        truth->outside++;
    } else if (is_led_on(truth, from, to)) {
        truth->led_on++;
        return true;
    } else {
        count_branch(truth, from, to);
    }
    return false;
}

static void add_run(struct truth *truth, uint64_t base, uint64_t start, uint64_t end)
{
    uint32_t from, to;
    truth->runs++;
    if (!relative(truth, base, start, &from) || !relative(truth, base, end, &to)) {
        truth->runs_outside++;
        return;
    }
    truth->run[layout_of(truth, from)]++;
    uint32_t number = graph_site_at(truth->graph, from);
    for (; number != NO_SITE && truth->graph->sites[number].address < to; number++)
        count_conditional(truth, &truth->graph->sites[number], false);
}

void truth_add(struct truth *truth, uint64_t base, const struct perf_branch *branches,
               size_t number)
{
    truth->samples++;
    for (size_t i = 0; i < number; i++) {
        bool led_on = add_branch(truth, base, &branches[i]);
        if (i + 1 < number && led_on)
            truth->runs_led_on++;
        else if (i + 1 < number)
            add_run(truth, base, branches[i + 1].to, branches[i].from);
    }
}

/* ---- the file ---- */

static int by_place(const void *a, const void *b)
{
    const struct edge *left = a, *right = b;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    if (left->to != right->to)
        return left->to < right->to ? -1 : 1;
    return left->kind - right->kind;
}

static void write_totals(const struct truth *t, FILE *file)
{
    fprintf(file, "samples %" PRIu64 "\nbranches %" PRIu64 "\n", t->samples, t->branches);
    fprintf(file, "outside %" PRIu64 "\nled_on %" PRIu64 "\n", t->outside, t->led_on);
    fprintf(file, "layout_only %" PRIu64 "\nlost %" PRIu64 "\n", t->layout_only, t->lost);
    fprintf(file, "runs %" PRIu64 "\nruns_outside %" PRIu64 "\n", t->runs, t->runs_outside);
    fprintf(file, "runs_led_on %" PRIu64 "\n", t->runs_led_on);
    for (int i = 0; i <= OUTSIDE; i++)
        for (int j = 0; j <= OUTSIDE; j++)
            if (t->between[i][j])
                fprintf(file, "between %d %d %" PRIu64 "\n", i == OUTSIDE ? -1 : i,
                        j == OUTSIDE ? -1 : j, t->between[i][j]);
    for (size_t i = 0; i < t->graph->image->file_number; i++)
        fprintf(file, "run %zu %" PRIu64 "\n", i, t->run[i]);
}

void truth_write(const struct truth *truth, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        must_fail("%s: %s", path, strerror(errno));
    write_totals(truth, file);
    struct edge *edges = must_alloc(truth->edge_number, sizeof *edges);
    size_t number = 0;
    for (size_t i = 0; i < truth->room; i++)
        if (truth->edges[i].from)
            edges[number++] = truth->edges[i];
    qsort(edges, number, sizeof *edges, by_place);
    for (size_t i = 0; i < number; i++)
        fprintf(file, "%c %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", edges[i].kind, edges[i].from,
                edges[i].to, edges[i].number);
    free(edges);
    if (ferror(file) | fclose(file))
        must_fail("%s: %s", path, strerror(errno));
}

struct truth *truth_new(const struct copies *copies)
{
    struct truth *truth = must_alloc(1, sizeof *truth);
    truth->copies = copies;
    truth->graph = copies->graph;
    return truth;
}

void truth_free(struct truth *truth)
{
    if (truth)
        free(truth->edges);
    free(truth);
}
