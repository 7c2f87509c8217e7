/* anneal diff for GCC's profiles: how alike two of them are, and which functions moved most. */
#include "gcc_diff.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/gcc.h>

#include "base/map.h"
#include "base/percent.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "gcc_view.h"

/* Modules of both profiles, by their names below the folders; of two files there is one. */
struct pairs {
    struct an_names names;
    struct an_gcc_pair *list;
};

/* One of the profiles. */
struct side {
    const char *name; /* as it was named */
    const struct inputs *inputs;
    struct gcc_view view;
    size_t *modules;         /* the pair that each input is of */
    struct an_map functions; /* their places in the view, by number of the pair and ident */
};

struct moved {
    const struct an_gcc_overlap_function *function;
    const struct gcc_view_function
        *known; /* in one of the profiles; with its name, if one has it */
};

struct diff {
    const struct diff_request *request;
    struct side base, test;
    struct pairs pairs;
    struct an_gcc_overlap *overlap;
    struct moved *moved;
    size_t count;
    size_t compared, changed, only_in_test;   /* functions with counts */
    double changed_share, only_in_test_share; /* of test */
};

/* ---- which belong together ---- */

static bool add_side(struct pairs *pairs, struct side *side, bool is_test)
{
    const struct inputs *inputs = side->inputs;
    side->modules = calloc(inputs->count + 1, sizeof *side->modules);
    for (size_t i = 0; side->modules && i < inputs->count; i++) {
        bool is_new;
        const char *path = inputs->items[i].path;
        const char *name = inputs->roots[i] ? path + inputs->roots[i] : "";
        size_t index = an_names_insert(&pairs->names, name, strlen(name), &is_new);
        if (index == AN_NO_NAME)
            return false;
        side->modules[i] = index;
        *(is_test ? &pairs->list[index].test : &pairs->list[index].base) = path;
    }
    return side->modules != NULL;
}

static bool find_pairs(struct diff *diff)
{
    size_t most = diff->base.inputs->count + diff->test.inputs->count;
    diff->pairs.list = calloc(most + 1, sizeof *diff->pairs.list);
    return diff->pairs.list && add_side(&diff->pairs, &diff->base, false) &&
           add_side(&diff->pairs, &diff->test, true);
}

/* ---- functions ---- */

static uint64_t key_of(size_t module, uint32_t ident)
{
    return (uint64_t)module << 32 | ident;
}

static bool number_functions(struct side *side)
{
    for (size_t i = 0; i < side->view.function_count; i++) {
        bool is_new;
        const struct gcc_view_function *function = &side->view.functions[i];
        uint64_t *place = an_map_insert(
            &side->functions,
            key_of(side->modules[function->module->input], function->function->ident), &is_new);
        if (!place)
            return false;
        *place = i;
    }
    return true;
}

static const struct gcc_view_function *find(const struct side *side, uint64_t key)
{
    const uint64_t *place = an_map_find(&side->functions, key);
    return place ? &side->view.functions[*place] : NULL;
}

static const struct gcc_view_function *know(const struct diff *diff, uint64_t key)
{
    const struct gcc_view_function *base = find(&diff->base, key), *test = find(&diff->test, key);
    return !test || (base && base->function->name && !test->function->name) ? base : test;
}

static void count_in(struct diff *diff, const struct an_gcc_overlap_function *function)
{
    if (function->changed) {
        diff->changed++;
        diff->changed_share += function->test_share;
    } else if (!function->in_base) {
        diff->only_in_test++;
        diff->only_in_test_share += function->test_share;
    } else if (function->in_test) {
        diff->compared++;
    }
}

static int most_first(const void *a, const void *b)
{
    const struct moved *left = a, *right = b;
    double by_left = fabs(left->function->test_share - left->function->base_share);
    double by_right = fabs(right->function->test_share - right->function->base_share);
    if (by_left != by_right)
        return by_left > by_right ? -1 : 1;
    return left->function > right->function ? 1 : -1;
}

static bool find_moved(struct diff *diff)
{
    size_t most = diff->base.view.function_count + diff->test.view.function_count;
    diff->moved = calloc(most + 1, sizeof *diff->moved);
    for (size_t i = 0; diff->moved && i < diff->overlap->count; i++)
        for (size_t k = 0; k < diff->overlap->modules[i].count; k++) {
            const struct an_gcc_overlap_function *function =
                &diff->overlap->modules[i].functions[k];
            if (!function->has_counts)
                continue;
            count_in(diff, function);
            diff->moved[diff->count++] =
                (struct moved){function, know(diff, key_of(i, function->ident))};
        }
    if (diff->moved)
        qsort(diff->moved, diff->count, sizeof *diff->moved, most_first);
    return diff->moved != NULL;
}

/* ---- results ---- */

static const char *remark(const struct an_gcc_overlap_function *function)
{
    if (function->changed)
        return "  (changed: other control flow)";
    if (!function->in_base)
        return "  (new)";
    return function->in_test ? "" : "  (gone)";
}

static void print_text(const struct diff *diff)
{
    const struct an_gcc_overlap *overlap = diff->overlap;
    printf("base  %s, total %s\ntest  %s, total %s\n\n", diff->base.name,
           with_commas(overlap->base_total), diff->test.name, with_commas(overlap->test_total));
    printf("%7.3f%%  overlap of counts, in %s function%s of %s module%s\n",
           an_percent_of_ratio(overlap->overlap, 3), with_commas(diff->compared),
           plural(diff->compared), with_commas(overlap->count), plural(overlap->count));
    if (diff->changed)
        printf("%7.3f%%  of test in %s functions that changed\n",
               an_percent_of_ratio(diff->changed_share, 3), with_commas(diff->changed));
    if (diff->only_in_test)
        printf("%7.3f%%  of test in %s functions that base does not have\n",
               an_percent_of_ratio(diff->only_in_test_share, 3), with_commas(diff->only_in_test));
    if (diff->request->number && diff->count)
        printf("\n%9s  %9s  %9s  %s\n", "base", "test", "moved", "function");
    for (size_t i = 0; i < diff->request->number && i < diff->count; i++) {
        const struct an_gcc_overlap_function *function = diff->moved[i].function;
        const struct an_gcc_function *known = diff->moved[i].known->function;
        printf("%8.3f%%  %8.3f%%  %+8.3f%%  %s", an_percent_of_ratio(function->base_share, 3),
               an_percent_of_ratio(function->test_share, 3),
               100 * (function->test_share - function->base_share),
               gcc_view_name(diff->moved[i].known));
        if (known->file && *known->file)
            printf("  %s:%" PRIu32, known->file, known->line);
        printf("%s\n", remark(function));
    }
}

static void put_text(struct json_object *json, const char *key, const char *text)
{
    json_object_object_add(json, key, text ? json_text(text, strlen(text)) : NULL);
}

static struct json_object *moved_json(const struct moved *moved)
{
    const struct an_gcc_overlap_function *function = moved->function;
    struct json_object *json = json_object_new_object();
    put_text(json, "name", moved->known->function->name);
    put_text(json, "demangled", moved->known->function->name ? gcc_view_name(moved->known) : NULL);
    put_text(json, "module", moved->known->module->path);
    json_add_number(json, "ident", function->ident);
    json_add_real(json, "base_share", function->base_share);
    json_add_real(json, "test_share", function->test_share);
    json_add_flag(json, "in_base", function->in_base);
    json_add_flag(json, "in_test", function->in_test);
    json_add_flag(json, "changed", function->changed);
    return json;
}

static void print_json(const struct diff *diff)
{
    struct json_object *json = json_document(), *moved = json_object_new_array();
    put_text(json, "base", diff->base.name);
    put_text(json, "test", diff->test.name);
    json_add_number(json, "base_total", diff->overlap->base_total);
    json_add_number(json, "test_total", diff->overlap->test_total);
    json_add_real(json, "overlap", diff->overlap->overlap);
    json_add_number(json, "modules", diff->overlap->count);
    json_add_number(json, "functions_compared", diff->compared);
    json_add_number(json, "functions_changed", diff->changed);
    json_add_number(json, "functions_only_in_test", diff->only_in_test);
    for (size_t i = 0; i < diff->request->number && i < diff->count; i++)
        json_object_array_add(moved, moved_json(&diff->moved[i]));
    json_object_object_add(json, "moved", moved);
    json_print(stdout, json);
}

static int print(const struct diff *diff)
{
    const struct an_gcc_overlap *overlap = diff->overlap;
    if (overlap->base_total == 0 || overlap->test_total == 0) {
        say_error("%s: no counts to compare",
                  overlap->base_total == 0 ? diff->base.name : diff->test.name);
        return EXIT_FAILED;
    }
    if (!redirect_start(diff->request->output))
        return EXIT_FAILED;
    (diff->request->json ? print_json : print_text)(diff);
    return redirect_finish(true) ? EXIT_DONE : EXIT_FAILED;
}

/* ---- all together ---- */

static int compare(struct diff *diff)
{
    const double hot = 0; /* nothing here is said of heat */
    const char *gcno = diff->request->gcno;
    struct an_error error;
    if (!gcc_view_read(&diff->base.view, diff->base.inputs, gcno) ||
        !gcc_view_read(&diff->test.view, diff->test.inputs, gcno))
        return EXIT_FAILED;
    if (!find_pairs(diff) || !number_functions(&diff->base) || !number_functions(&diff->test)) {
        say_error("out of memory");
        return EXIT_FAILED;
    }
    if (an_gcc_overlap(diff->pairs.list, diff->pairs.names.count, hot, &diff->overlap, &error) !=
        AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    if (find_moved(diff))
        return print(diff);
    say_error("out of memory");
    return EXIT_FAILED;
}

static void free_side(struct side *side)
{
    gcc_view_free(&side->view);
    an_map_free(&side->functions);
    free(side->modules);
}

int gcc_diff(const struct diff_request *request)
{
    if (request->context_sensitive) {
        say_error("--cs applies only to LLVM profiles; these are GCC profiles (gcda)");
        return EXIT_USAGE;
    }
    struct diff diff = {.request = request,
                        .base = {.name = request->base, .inputs = &request->base_inputs},
                        .test = {.name = request->test, .inputs = &request->test_inputs}};
    int status = compare(&diff);
    free_side(&diff.base);
    free_side(&diff.test);
    an_names_free(&diff.pairs.names);
    free(diff.pairs.list);
    free(diff.moved);
    an_gcc_overlap_free(diff.overlap);
    return status;
}
