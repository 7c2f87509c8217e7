/*
 * anneal diff for BOLT's text profiles: how alike two of them are, and which functions moved most. The
 * overlap is that of the other families: for each branch (or sampled place) the smaller of its shares of
 * all counts in the two profiles. Records of memory are not compared.
 */
#include "fdata_diff.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/percent.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "fdata_view.h"

/* One of the profiles. */
struct side {
    const char *path;
    struct an_fdata_profile *profile;
    const struct an_fdata_info *info;
    double total; /* that of info stays at 2^64 - 1, and shares of it would be too large */
    struct fdata_functions functions;
};

struct moved {
    char *name;        /* plain */
    double base, test; /* shares of all counts */
    bool in_base, in_test;
};

struct diff {
    const struct diff_request *request;
    struct side base, test;
    double overlap;
    size_t in_both; /* branches or sampled places */
    struct moved *moved;
    size_t count, compared, only_in_test; /* functions */
    double only_in_test_share;
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
            diff->overlap += fmin(share(&diff->base, base.count), share(&diff->test, test.count));
            diff->in_both++;
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
    struct moved *moved = &diff->moved[diff->count++];
    *moved = (struct moved){.name = fdata_plain_name(any->name, any->length).text,
                            .base = base ? share(&diff->base, base->branches) : 0,
                            .test = test ? share(&diff->test, test->branches) : 0,
                            .in_base = base != NULL,
                            .in_test = test != NULL};
    if (!base) {
        diff->only_in_test++;
        diff->only_in_test_share += moved->test;
    }
    diff->compared += base && test;
    return moved->name != NULL;
}

static int most_first(const void *a, const void *b)
{
    const struct moved *left = a, *right = b;
    double by_left = fabs(left->test - left->base), by_right = fabs(right->test - right->base);
    if (by_left != by_right)
        return by_left > by_right ? -1 : 1;
    return strcmp(left->name, right->name);
}

static bool find_moved(struct diff *diff)
{
    const struct fdata_functions *base = &diff->base.functions, *test = &diff->test.functions;
    diff->moved = calloc(base->count + test->count + 1, sizeof *diff->moved);
    bool done = diff->moved != NULL;
    for (size_t i = 0; done && i < base->count; i++)
        if (base->items[i].branches)
            done = add_moved(diff, &base->items[i], find(&diff->test, &base->items[i]));
    for (size_t i = 0; done && i < test->count; i++)
        if (test->items[i].branches && !find(&diff->base, &test->items[i]))
            done = add_moved(diff, NULL, &test->items[i]);
    if (done)
        qsort(diff->moved, diff->count, sizeof *diff->moved, most_first);
    return done;
}

/* ---- results ---- */

static const char *remark(const struct moved *moved)
{
    return !moved->in_base ? "  (new)" : moved->in_test ? "" : "  (gone)";
}

static void print_text(const struct diff *diff)
{
    printf("base  %s, total %s\ntest  %s, total %s\n\n", diff->base.path,
           with_commas(diff->base.info->total_count), diff->test.path,
           with_commas(diff->test.info->total_count));
    printf("%7.3f%%  overlap of counts, in %s %s%s of %s function%s\n",
           an_percent_of_ratio(diff->overlap, 3), with_commas(diff->in_both),
           diff->base.info->no_lbr ? "sampled place" : "branch",
           diff->in_both == 1        ? ""
           : diff->base.info->no_lbr ? "s"
                                     : "es",
           with_commas(diff->compared), plural(diff->compared));
    if (diff->only_in_test)
        printf("%7.3f%%  of test in %s function%s that base does not have\n",
               an_percent_of_ratio(diff->only_in_test_share, 3), with_commas(diff->only_in_test),
               plural(diff->only_in_test));
    if (diff->request->number && diff->count)
        printf("\n%9s  %9s  %9s  %s\n", "base", "test", "moved", "function");
    for (size_t i = 0; i < diff->request->number && i < diff->count; i++) {
        const struct moved *moved = &diff->moved[i];
        printf("%8.3f%%  %8.3f%%  %+8.3f%%  %s%s\n", an_percent_of_ratio(moved->base, 3),
               an_percent_of_ratio(moved->test, 3), 100 * (moved->test - moved->base), moved->name,
               remark(moved));
    }
}

static void put_text(struct json_object *json, const char *key, const char *text)
{
    json_object_object_add(json, key, json_text(text, strlen(text)));
}

static struct json_object *moved_json(const struct moved *moved)
{
    struct json_object *json = json_object_new_object();
    put_text(json, "name", moved->name);
    json_object_object_add(json, "base_share", json_object_new_double(moved->base));
    json_object_object_add(json, "test_share", json_object_new_double(moved->test));
    json_object_object_add(json, "in_base", json_object_new_boolean(moved->in_base));
    json_object_object_add(json, "in_test", json_object_new_boolean(moved->in_test));
    return json;
}

static void print_json(const struct diff *diff)
{
    struct json_object *json = json_document(), *moved = json_object_new_array();
    put_text(json, "base", diff->base.path);
    put_text(json, "test", diff->test.path);
    json_object_object_add(json, "base_total",
                           json_object_new_uint64(diff->base.info->total_count));
    json_object_object_add(json, "test_total",
                           json_object_new_uint64(diff->test.info->total_count));
    json_object_object_add(json, "overlap", json_object_new_double(diff->overlap));
    json_object_object_add(json, "records_compared", json_object_new_uint64(diff->in_both));
    json_object_object_add(json, "functions_compared", json_object_new_uint64(diff->compared));
    json_object_object_add(json, "functions_only_in_test",
                           json_object_new_uint64(diff->only_in_test));
    for (size_t i = 0; i < diff->request->number && i < diff->count; i++)
        json_object_array_add(moved, moved_json(&diff->moved[i]));
    json_object_object_add(json, "moved", moved);
    json_print(stdout, json);
}

static int print(struct diff *diff)
{
    add_up(&diff->base);
    add_up(&diff->test);
    if (!find_moved(diff)) {
        say_error("out of memory");
        return EXIT_FAILED;
    }
    overlay(diff);
    if (!redirect_start(diff->request->output))
        return EXIT_FAILED;
    (diff->request->json ? print_json : print_text)(diff);
    return redirect_finish() ? EXIT_DONE : EXIT_FAILED;
}

static void free_side(struct side *side)
{
    fdata_functions_free(&side->functions);
    an_fdata_profile_free(side->profile);
}

static bool refuses_options(const struct diff_request *request)
{
    if (!request->context_sensitive && !request->gcno)
        return false;
    say_error("%s; these are BOLT profiles (fdata)", request->gcno
                                                         ? "--notes is for GCC profiles (gcda)"
                                                         : "--cs applies only to LLVM profiles");
    return true;
}

int fdata_diff(const struct diff_request *request)
{
    if (refuses_options(request))
        return EXIT_USAGE;
    struct diff diff = {.request = request};
    int status = EXIT_FAILED;
    if (read_side(&diff.base, request->base) && read_side(&diff.test, request->test) &&
        are_alike(&diff))
        status = print(&diff);
    for (size_t i = 0; i < diff.count; i++)
        free(diff.moved[i].name);
    free(diff.moved);
    free_side(&diff.base);
    free_side(&diff.test);
    return status;
}
