/*
 * What an order is worth by the model of pages: faults as a function of time for the binary as it is
 * and as it will be, means over the runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/error.h"
#include "command.h"
#include "ordering.h"
#include "output.h"

/* The curve of one run at equal steps of its time; a run ends at the right edge, however long it is. */
static void add_curve(double *points, const uint32_t *curve, size_t count, double share)
{
    for (size_t p = 0; p < CURVE_POINTS; p++) {
        size_t place = (p + 1) * (count - 1) / CURVE_POINTS;
        points[p] += share * curve[place];
    }
}

/* Where a program that may be loaded anywhere is loaded: so many places, evenly. */
enum { PLACES = 4 };

struct walk {
    const struct ordering *ordering;
    const struct an_pages_layout *layout;
    uint32_t *curve; /* room for the longest run */
    double weights;  /* of all runs that are looked at */
};

/* Faults of a run when all is in memory, and when nothing is. */
static enum an_code add_faults(const struct walk *walk, const struct an_behaviour_run *run,
                               const struct an_pages_kernel *warm, double share,
                               struct layout_cost *cost, struct an_error *error)
{
    const struct ordering *ordering = walk->ordering;
    struct an_pages_kernel cold = *warm;
    struct an_pages_cost one;
    enum an_code code = an_pages_touch(walk->layout, run, warm, walk->curve, &one, error);
    if (code != AN_OK)
        return code;
    cost->faults += share * (double)one.faults;
    cost->faults_area += share * one.area / (double)one.entered;
    add_curve(cost->faults_curve, walk->curve, run->count, share);
    cold.behind = ordering->read_around ? ordering->read_ahead / 2 : 0;
    cold.ahead = ordering->read_ahead - cold.behind;
    code = an_pages_touch(walk->layout, run, &cold, NULL, &one, error);
    if (code != AN_OK)
        return code;
    cost->cold += share * (double)one.faults;
    cost->cold_area += share * one.area / (double)one.entered;
    cost->major += share * (double)one.major;
    return AN_OK;
}

static enum an_code add_run(const struct walk *walk, const struct an_behaviour_run *run,
                            struct layout_cost *cost, double *entered, struct an_error *error)
{
    const struct ordering *ordering = walk->ordering;
    struct an_pages_kernel kernel = {ordering->page_size, 1, 0, 0, 0};
    struct an_pages_cost one;
    double share = (double)run->weight / walk->weights;
    enum an_code code = an_pages_touch(walk->layout, run, &kernel, walk->curve, &one, error);
    if (code != AN_OK || !one.entered)
        return code;
    double count = (double)one.entered;
    *entered += share * count;
    cost->pages += share * (double)one.pages;
    cost->area += share * one.area / count;
    add_curve(cost->pages_curve, walk->curve, run->count, share);
    unsigned places = an_image_is_fixed(ordering->image) ? 1 : PLACES;
    if (places > ordering->around)
        places = ordering->around;
    for (unsigned i = 0; code == AN_OK && i < places; i++) {
        struct an_pages_kernel warm = {ordering->page_size, ordering->around, 0, 0,
                                       i * ordering->around / places};
        code = add_faults(walk, run, &warm, share / places, cost, error);
    }
    return code;
}

/* The runs that were kept aside, if any were; else all. */
static size_t first_run(const struct ordering *ordering)
{
    return ordering->tests ? an_behaviour_runs(ordering->behaviour) - ordering->tests : 0;
}

static enum an_code walk_runs(struct walk *walk, struct layout_cost *cost, double *entered,
                              struct an_error *error)
{
    const struct an_behaviour *behaviour = walk->ordering->behaviour;
    enum an_code code = AN_OK;
    *entered = 0;
    for (size_t r = first_run(walk->ordering); code == AN_OK && r < an_behaviour_runs(behaviour);
         r++) {
        struct an_behaviour_run run = an_behaviour_run(behaviour, r);
        code = add_run(walk, &run, cost, entered, error);
    }
    return code;
}

static enum an_code evaluate(const struct ordering *ordering, struct evaluation *evaluation,
                             struct walk *walk, struct an_error *error)
{
    struct an_pages_layout before = {0}, after = {0};
    enum an_code code = an_pages_layout_now(ordering->behaviour, ordering->matches, ordering->image,
                                            &before, error);
    if (code == AN_OK)
        code = an_pages_layout_new(ordering->behaviour, ordering->matches, ordering->image,
                                   &ordering->placed, &after, error);
    walk->layout = &before;
    if (code == AN_OK)
        code = walk_runs(walk, &evaluation->before, &evaluation->entered, error);
    walk->layout = &after;
    if (code == AN_OK)
        code = walk_runs(walk, &evaluation->after, &evaluation->entered, error);
    evaluation->has_heat = an_behaviour_has_heat(ordering->behaviour);
    if (code == AN_OK && evaluation->has_heat)
        code = an_pages_heat(ordering->behaviour, &before, ordering->page_size,
                             &evaluation->heat_before, error);
    if (code == AN_OK && evaluation->has_heat)
        code = an_pages_heat(ordering->behaviour, &after, ordering->page_size,
                             &evaluation->heat_after, error);
    evaluation->text_pages = (before.end + ordering->page_size - 1) / ordering->page_size -
                             before.start / ordering->page_size;
    an_pages_layout_free(&before);
    an_pages_layout_free(&after);
    return code;
}

bool order_evaluate(const struct ordering *ordering, struct evaluation *evaluation)
{
    struct walk walk = {.ordering = ordering};
    struct an_error error;
    size_t longest = 1;
    *evaluation = (struct evaluation){0};
    for (size_t r = first_run(ordering); r < an_behaviour_runs(ordering->behaviour); r++) {
        struct an_behaviour_run run = an_behaviour_run(ordering->behaviour, r);
        walk.weights += (double)run.weight;
        evaluation->runs++;
        if (run.count > longest)
            longest = run.count;
    }
    walk.curve = malloc(longest * sizeof *walk.curve);
    if (!walk.curve) {
        say_error("out of memory");
        return false;
    }
    enum an_code code = evaluate(ordering, evaluation, &walk, &error);
    free(walk.curve);
    if (code != AN_OK) {
        an_error_in(&error, ordering->binary);
        report_error(&error);
    }
    return code == AN_OK;
}

/* ---- text and JSON ---- */

static void print_line(const char *what, double before, double after)
{
    printf("  %-34s %10.1f %10.1f", what, before, after);
    if (before > 0)
        printf(" %9.3f", after / before);
    putchar('\n');
}

static void print_start(const struct ordering *ordering, const struct evaluation *evaluation)
{
    const struct layout_cost *before = &evaluation->before, *after = &evaluation->after;
    char faults[64];
    printf("\n  %-34s %10s %10s %9s\n", "by the model, mean of the runs", "now", "ordered",
           "ratio");
    print_line("pages touched, total", before->pages, after->pages);
    print_line("pages touched, mean over time", before->area, after->area);
    snprintf(faults, sizeof faults, "faults that map %u pages", ordering->around);
    print_line(faults, before->faults, after->faults);
    print_line("faults, mean over time", before->faults_area, after->faults_area);
    if (ordering->read_ahead) {
        print_line("cold: faults", before->cold, after->cold);
        print_line("cold: faults, mean over time", before->cold_area, after->cold_area);
        snprintf(faults, sizeof faults, "of these, that read %u pages", ordering->read_ahead);
        print_line(faults, before->major, after->major);
    }
    printf("\n  of the run   pages touched        faults\n");
    printf("               now   ordered      now   ordered\n");
    for (size_t p = CURVE_POINTS / 8 - 1; p < CURVE_POINTS; p += CURVE_POINTS / 8)
        printf("  %8.1f %% %8.0f %9.0f %8.0f %9.0f\n", 100.0 * (double)(p + 1) / CURVE_POINTS,
               before->pages_curve[p], after->pages_curve[p], before->faults_curve[p],
               after->faults_curve[p]);
}

static void print_heat(const struct evaluation *evaluation)
{
    static const char *const names[] = {"pages with 50 % of the heat",
                                        "pages with 90 % of the heat",
                                        "pages with 99 % of the heat"};
    const struct an_pages_heat *before = &evaluation->heat_before, *after = &evaluation->heat_after;
    printf("\n  %-34s %10s %10s %9s\n", "in the long run", "now", "ordered", "ratio");
    for (int s = 0; s < 3; s++)
        print_line(names[s], (double)before->pages[s], (double)after->pages[s]);
    print_line("calls within a page, %", 100 * before->calls_within, 100 * after->calls_within);
}

void order_print_evaluation(const struct ordering *ordering, const struct evaluation *evaluation)
{
    printf("%s: %s pages of text of %s bytes", ordering->binary,
           with_commas(evaluation->text_pages), with_commas(ordering->page_size));
    if (evaluation->runs)
        printf("; %s run%s%s, %.0f functions each", with_commas(evaluation->runs),
               plural(evaluation->runs), ordering->tests ? " held out from the order" : "",
               evaluation->entered);
    putchar('\n');
    if (evaluation->runs)
        print_start(ordering, evaluation);
    if (evaluation->has_heat)
        print_heat(evaluation);
}

static struct json_object *curve_json(const double *points)
{
    struct json_object *array = json_object_new_array();
    for (size_t p = 0; p < CURVE_POINTS; p++)
        json_object_array_add(array, json_object_new_double(points[p]));
    return array;
}

static struct json_object *cost_json(const struct layout_cost *cost)
{
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "pages", json_object_new_double(cost->pages));
    json_object_object_add(json, "pages_mean", json_object_new_double(cost->area));
    json_object_object_add(json, "faults", json_object_new_double(cost->faults));
    json_object_object_add(json, "faults_mean", json_object_new_double(cost->faults_area));
    json_object_object_add(json, "cold_faults", json_object_new_double(cost->cold));
    json_object_object_add(json, "cold_faults_mean", json_object_new_double(cost->cold_area));
    json_object_object_add(json, "cold_major", json_object_new_double(cost->major));
    json_object_object_add(json, "pages_curve", curve_json(cost->pages_curve));
    json_object_object_add(json, "faults_curve", curve_json(cost->faults_curve));
    return json;
}

static struct json_object *heat_json(const struct an_pages_heat *heat)
{
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "pages_50", json_object_new_uint64(heat->pages[0]));
    json_object_object_add(json, "pages_90", json_object_new_uint64(heat->pages[1]));
    json_object_object_add(json, "pages_99", json_object_new_uint64(heat->pages[2]));
    json_object_object_add(json, "calls_within_page", json_object_new_double(heat->calls_within));
    return json;
}

struct json_object *order_evaluation_json(const struct ordering *ordering,
                                          const struct evaluation *evaluation)
{
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "runs", json_object_new_uint64(evaluation->runs));
    json_object_object_add(json, "kept_aside", json_object_new_boolean(ordering->tests != 0));
    json_object_object_add(json, "functions_entered", json_object_new_double(evaluation->entered));
    json_object_object_add(json, "page_size", json_object_new_uint64(ordering->page_size));
    json_object_object_add(json, "fault_around", json_object_new_uint64(ordering->around));
    json_object_object_add(json, "read_ahead", json_object_new_uint64(ordering->read_ahead));
    json_object_object_add(json, "text_pages", json_object_new_uint64(evaluation->text_pages));
    json_object_object_add(json, "now", cost_json(&evaluation->before));
    json_object_object_add(json, "ordered", cost_json(&evaluation->after));
    json_object_object_add(json, "heat_now",
                           evaluation->has_heat ? heat_json(&evaluation->heat_before) : NULL);
    json_object_object_add(json, "heat_ordered",
                           evaluation->has_heat ? heat_json(&evaluation->heat_after) : NULL);
    return json;
}
