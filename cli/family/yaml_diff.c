/*
 * anneal diff for BOLT's YAML profiles: how alike two of them are, and which functions moved most. The overlap is that of the
 * other families: for each branch, call and sampled block the smaller of its shares of all counts in the two profiles. Of a
 * function whose hash differs, blocks of the same number are not the same, and it has nothing in common.
 */
#include "yaml_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bolt_diff.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "yaml_view.h"

struct side {
    const char *path;
    struct an_yaml_profile *profile;
    struct yaml_line *lines; /* by name */
    size_t count;
    double total;
};

struct diff {
    struct side base, test;
    struct bolt_diff result;
};

/* ---- reading ---- */

static bool read_side(struct side *side, const char *path)
{
    side->path = path;
    side->profile = yaml_open(path, NULL);
    side->lines = side->profile ? yaml_lines(side->profile) : NULL;
    if (!side->lines)
        return false;
    side->count = an_yaml_profile_info(side->profile)->functions;
    yaml_sort_by_name(side->lines, side->count);
    for (size_t i = 0; i < side->count; i++)
        side->total += (double)side->lines[i].count;
    if (side->total == 0)
        say_error("%s: no counts to compare", path);
    return side->total != 0;
}

static bool are_alike(const struct diff *diff)
{
    const struct an_yaml_header *base = &an_yaml_profile_info(diff->base.profile)->header;
    const struct an_yaml_header *test = &an_yaml_profile_info(diff->test.profile)->header;
    bool base_has = base->flags & AN_YAML_LBR, test_has = test->flags & AN_YAML_LBR;
    if (base_has != test_has)
        say_error("%s has branch records (lbr), %s has samples without them",
                  (base_has ? diff->base : diff->test).path,
                  (base_has ? diff->test : diff->base).path);
    else if (base->hash != test->hash || base->dfs_order != test->dfs_order)
        say_error("%s and %s number or hash blocks in different ways (dfs-order, hash-func)",
                  diff->base.path, diff->test.path);
    else
        return true;
    return false;
}

/* ---- places ---- */

/* What a count is of: a place in a function. */
struct place {
    uint32_t block, kind; /* a kind of its own for events, successors and calls */
    uint32_t what[3];
    double share;
};

enum { EVENTS, SUCCESSOR, CALL };

struct places {
    AN_VECTOR(struct place);
};

static bool add_place(struct places *places, struct place place)
{
    struct place *added = place.share > 0 ? an_vector_push(places) : &place;
    if (added)
        *added = place;
    return added;
}

static int compare_places(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    const uint32_t keys[][2] = {{left->block, right->block},
                                {left->kind, right->kind},
                                {left->what[0], right->what[0]},
                                {left->what[1], right->what[1]},
                                {left->what[2], right->what[2]}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static bool list_places(struct places *places, const struct side *side,
                        const struct an_yaml_function *function)
{
    bool done = true;
    places->count = 0;
    for (size_t i = 0; i < function->block_count; i++) {
        const struct an_yaml_block *block = &function->blocks[i];
        done = done &&
               add_place(
                   places,
                   (struct place){block->number, EVENTS, {0}, (double)block->events / side->total});
        for (size_t k = 0; k < block->successor_count; k++)
            done =
                done &&
                add_place(places, (struct place){block->number,
                                                 SUCCESSOR,
                                                 {block->successors[k].block},
                                                 (double)block->successors[k].count / side->total});
        for (size_t k = 0; k < block->call_count; k++) {
            const struct an_yaml_call *call = &block->calls[k];
            done = done &&
                   add_place(places, (struct place){block->number,
                                                    CALL,
                                                    {call->offset, call->function, call->entry},
                                                    (double)call->count / side->total});
        }
    }
    if (places->count)
        qsort(places->items, places->count, sizeof *places->items, compare_places);
    return done;
}

static bool overlay(struct diff *diff, const struct an_yaml_function *base,
                    const struct an_yaml_function *test)
{
    struct places here = {0}, there = {0};
    bool done = list_places(&here, &diff->base, base) && list_places(&there, &diff->test, test);
    for (size_t b = 0, t = 0; done && b < here.count && t < there.count;) {
        int order = compare_places(&here.items[b], &there.items[t]);
        if (order == 0) {
            diff->result.overlap += fmin(here.items[b].share, there.items[t].share);
            diff->result.in_both++;
        }
        b += order <= 0;
        t += order >= 0;
    }
    an_vector_free(&here);
    an_vector_free(&there);
    return done;
}

/* ---- functions ---- */

static bool compare_functions(struct diff *diff, const struct yaml_line *base,
                              const struct yaml_line *test)
{
    const struct an_yaml_function *any = (base ? base : test)->function;
    bool in_base = base && base->count, in_test = test && test->count;
    if (!in_base && !in_test)
        return true;
    if (in_base && in_test && base->function->hash == test->function->hash &&
        !overlay(diff, base->function, test->function))
        return false;
    return bolt_diff_add(
        &diff->result, (struct moved){.name = strdup(any->name.text),
                                      .base = in_base ? (double)base->count / diff->base.total : 0,
                                      .test = in_test ? (double)test->count / diff->test.total : 0,
                                      .in_base = in_base,
                                      .in_test = in_test});
}

static bool compare_all(struct diff *diff)
{
    const struct side *base = &diff->base, *test = &diff->test;
    bool done = true;
    for (size_t b = 0, t = 0; done && (b < base->count || t < test->count);) {
        int order = b == base->count   ? 1
                    : t == test->count ? -1
                                       : strcmp(base->lines[b].function->name.text,
                                                test->lines[t].function->name.text);
        done = compare_functions(diff, order <= 0 ? &base->lines[b] : NULL,
                                 order >= 0 ? &test->lines[t] : NULL);
        b += order <= 0;
        t += order >= 0;
    }
    if (!done)
        say_error("out of memory");
    return done;
}

static int print(struct diff *diff)
{
    bool has_branches = an_yaml_profile_info(diff->base.profile)->header.flags & AN_YAML_LBR;
    diff->result.base =
        (struct bolt_side){diff->base.path, an_yaml_profile_info(diff->base.profile)->total_count};
    diff->result.test =
        (struct bolt_side){diff->test.path, an_yaml_profile_info(diff->test.profile)->total_count};
    diff->result.place = has_branches ? "branch or call" : "sampled block";
    diff->result.places = has_branches ? "branches and calls" : "sampled blocks";
    return bolt_diff_print(&diff->result);
}

static void free_side(struct side *side)
{
    free(side->lines);
    an_yaml_profile_free(side->profile);
}

int yaml_diff(const struct diff_request *request)
{
    if (bolt_diff_refuses_options(request, &family_yaml))
        return EXIT_USAGE;
    struct diff diff = {.result.request = request};
    int status = EXIT_FAILED;
    if (read_side(&diff.base, request->base) && read_side(&diff.test, request->test) &&
        are_alike(&diff) && compare_all(&diff))
        status = print(&diff);
    bolt_diff_free(&diff.result);
    free_side(&diff.base);
    free_side(&diff.test);
    return status;
}
