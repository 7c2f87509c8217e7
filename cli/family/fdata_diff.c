/*
 * anneal diff for BOLT's text profiles: how alike two of them are, and which functions moved most. The
 * overlap is that of the other families: for each branch (or sampled place) the smaller of its shares of
 * all counts in the two profiles. Records of memory are not compared.
 */
#include "fdata_diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bolt_diff.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "family.h"
#include "fdata_view.h"

/* One of the profiles. */
struct side {
    const char *path;
    struct an_fdata_profile *profile;
    const struct an_fdata_info *info;
    double total; /* that of info stays at 2^64 - 1, and shares of it would be too large */
    struct fdata_functions functions;
};

struct diff {
    struct side base, test;
    struct bolt_diff result;
};

/* ---- reading ---- */

static bool read_side(struct side *side, const char *path)
{
    struct an_file file = {0};
    struct an_error error;
    side->path = path;
    enum an_code code = an_file_load(&file, path, &error);
    if (code == AN_OK) {
        code = an_fdata_profile_read(&side->profile, file.bytes.data, file.bytes.size, &error);
        if (code != AN_OK)
            an_error_in(&error, path);
    }
    an_file_close(&file);
    if (code != AN_OK) {
        report_error(&error);
        return false;
    }
    side->info = an_fdata_profile_info(side->profile);
    if (!fdata_functions_read(&side->functions, side->profile)) {
        say_error("out of memory");
        return false;
    }
    if (side->info->total_count == 0)
        say_error("%s: no counts to compare", path);
    return side->info->total_count != 0;
}

static bool are_alike(const struct diff *diff)
{
    const struct an_fdata_info *base = diff->base.info, *test = diff->test.info;
    if (base->no_lbr != test->no_lbr)
        say_error("%s has branch records, %s has samples without them (no_lbr)",
                  (base->no_lbr ? diff->test : diff->base).path,
                  (base->no_lbr ? diff->base : diff->test).path);
    else if (base->bolted != test->bolted)
        say_error(
            "%s was recorded on a program that BOLT had optimized (boltedcollection), %s was not",
            (base->bolted ? diff->base : diff->test).path,
            (base->bolted ? diff->test : diff->base).path);
    return base->no_lbr == test->no_lbr && base->bolted == test->bolted;
}

/* ---- branches ---- */

static int compare_places(const struct an_fdata_location *a, const struct an_fdata_location *b)
{
    size_t shorter = a->name_length < b->name_length ? a->name_length : b->name_length;
    int order = shorter ? memcmp(a->name, b->name, shorter) : 0;
    if (order)
        return order;
    if (a->name_length != b->name_length)
        return a->name_length < b->name_length ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* In the order of settled profiles. */
static int compare_records(const struct an_fdata_record *a, const struct an_fdata_record *b)
{
    int order = compare_places(&a->from, &b->from);
    return order ? order : compare_places(&a->to, &b->to);
}

static bool next_branch(const struct side *side, size_t *index, struct an_fdata_record *record)
{
    return an_fdata_profile_record(side->profile, (*index)++, record) &&
           record->kind != AN_FDATA_MEMORY;
}

static double share(const struct side *side, uint64_t count)
{
    return (double)count / side->total;
}

static void add_up(struct side *side)
{
    struct an_fdata_record record;
    for (size_t i = 0; next_branch(side, &i, &record);)
        side->total += (double)record.count;
}

static void overlay(struct diff *diff)
{
    struct an_fdata_record base, test;
    size_t b = 0, t = 0;
    bool has_base = next_branch(&diff->base, &b, &base);
    bool has_test = next_branch(&diff->test, &t, &test);
    while (has_base && has_test) {
        int order = compare_records(&base, &test);
        if (order == 0) {
            diff->result.overlap +=
                fmin(share(&diff->base, base.count), share(&diff->test, test.count));
            diff->result.in_both++;
        }
        if (order <= 0)
            has_base = next_branch(&diff->base, &b, &base);
        if (order >= 0)
            has_test = next_branch(&diff->test, &t, &test);
    }
}

/* ---- functions ---- */

/* The function of that name, if branches leave it. */
static const struct fdata_function *find(const struct side *side, const struct fdata_function *like)
{
    size_t index = an_names_find(&side->functions.names, like->name, like->length);
    const struct fdata_function *found = index == AN_NO_NAME ? NULL : &side->functions.items[index];
    return found && found->branches ? found : NULL;
}

static bool add_moved(struct diff *diff, const struct fdata_function *base,
                      const struct fdata_function *test)
{
    const struct fdata_function *any = base ? base : test;
    return bolt_diff_add(&diff->result,
                         (struct moved){.name = fdata_plain_name(any->name, any->length).text,
                                        .base = base ? share(&diff->base, base->branches) : 0,
                                        .test = test ? share(&diff->test, test->branches) : 0,
                                        .in_base = base != NULL,
                                        .in_test = test != NULL});
}

static bool find_moved(struct diff *diff)
{
    const struct fdata_functions *base = &diff->base.functions, *test = &diff->test.functions;
    bool done = true;
    for (size_t i = 0; done && i < base->count; i++)
        if (base->items[i].branches)
            done = add_moved(diff, &base->items[i], find(&diff->test, &base->items[i]));
    for (size_t i = 0; done && i < test->count; i++)
        if (test->items[i].branches && !find(&diff->base, &test->items[i]))
            done = add_moved(diff, NULL, &test->items[i]);
    return done;
}

/* ---- results ---- */

static int print(struct diff *diff)
{
    add_up(&diff->base);
    add_up(&diff->test);
    if (!find_moved(diff)) {
        say_error("out of memory");
        return EXIT_FAILED;
    }
    overlay(diff);
    diff->result.base = (struct bolt_side){diff->base.path, diff->base.info->total_count};
    diff->result.test = (struct bolt_side){diff->test.path, diff->test.info->total_count};
    diff->result.place = diff->base.info->no_lbr ? "sampled place" : "branch";
    diff->result.places = diff->base.info->no_lbr ? "sampled places" : "branches";
    return bolt_diff_print(&diff->result);
}

static void free_side(struct side *side)
{
    fdata_functions_free(&side->functions);
    an_fdata_profile_free(side->profile);
}

int fdata_diff(const struct diff_request *request)
{
    if (bolt_diff_refuses_options(request, &family_fdata))
        return EXIT_USAGE;
    struct diff diff = {.result.request = request};
    int status = EXIT_FAILED;
    if (read_side(&diff.base, request->base) && read_side(&diff.test, request->test) &&
        are_alike(&diff))
        status = print(&diff);
    bolt_diff_free(&diff.result);
    free_side(&diff.base);
    free_side(&diff.test);
    return status;
}
