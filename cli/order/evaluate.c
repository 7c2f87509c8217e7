/* Telling what an order is worth; the library finds out. */
#include <stdio.h>

#include <json-c/json.h>

#include "base/error.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "order.h"

bool order_evaluate(const struct ordering *ordering, struct an_order_evaluation *evaluation)
{
    const struct an_order_evaluate_options options = {
        .size = sizeof options,
        .matches = ordering->matches,
        .image = ordering->image,
        .placed = &ordering->placed,
        .page_size = ordering->page_size,
        .around = ordering->around,
        .read_ahead = ordering->read_ahead,
        .read_around = ordering->read_around,
        .tests = ordering->tests,
    };
    struct an_error error;
    if (an_order_evaluate(ordering->behaviour, &options, evaluation, &error) == AN_OK)
        return true;
    an_error_in(&error, ordering->binary);
    report_error(&error);
    return false;
}

/* ---- text and JSON ---- */

static void print_line(const char *what, double before, double after)
{
    printf("  %-34s %10.1f %10.1f", what, before, after);
    if (before > 0)
        printf(" %9.3f", after / before);
    putchar('\n');
}

static void print_start(const struct ordering *ordering,
                        const struct an_order_evaluation *evaluation)
{
    const struct an_order_cost *before = &evaluation->before, *after = &evaluation->after;
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
    for (size_t p = AN_ORDER_CURVE_POINTS / 8 - 1; p < AN_ORDER_CURVE_POINTS;
         p += AN_ORDER_CURVE_POINTS / 8)
        printf("  %8.1f %% %8.0f %9.0f %8.0f %9.0f\n",
               100.0 * (double)(p + 1) / AN_ORDER_CURVE_POINTS, before->pages_curve[p],
               after->pages_curve[p], before->faults_curve[p], after->faults_curve[p]);
}

static void print_heat(const struct an_order_evaluation *evaluation)
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

void order_print_evaluation(const struct ordering *ordering,
                            const struct an_order_evaluation *evaluation)
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
    for (size_t p = 0; p < AN_ORDER_CURVE_POINTS; p++)
        json_object_array_add(array, json_object_new_double(points[p]));
    return array;
}

static struct json_object *cost_json(const struct an_order_cost *cost)
{
    struct json_object *json = json_object_new_object();
    json_add_real(json, "pages", cost->pages);
    json_add_real(json, "pages_mean", cost->area);
    json_add_real(json, "faults", cost->faults);
    json_add_real(json, "faults_mean", cost->faults_area);
    json_add_real(json, "cold_faults", cost->cold);
    json_add_real(json, "cold_faults_mean", cost->cold_area);
    json_add_real(json, "cold_major", cost->major);
    json_object_object_add(json, "pages_curve", curve_json(cost->pages_curve));
    json_object_object_add(json, "faults_curve", curve_json(cost->faults_curve));
    return json;
}

static struct json_object *heat_json(const struct an_pages_heat *heat)
{
    struct json_object *json = json_object_new_object();
    json_add_number(json, "pages_50", heat->pages[0]);
    json_add_number(json, "pages_90", heat->pages[1]);
    json_add_number(json, "pages_99", heat->pages[2]);
    json_add_real(json, "calls_within_page", heat->calls_within);
    return json;
}

struct json_object *order_evaluation_json(const struct ordering *ordering,
                                          const struct an_order_evaluation *evaluation)
{
    struct json_object *json = json_object_new_object();
    json_add_number(json, "runs", evaluation->runs);
    json_add_flag(json, "kept_aside", ordering->tests != 0);
    json_add_real(json, "functions_entered", evaluation->entered);
    json_add_number(json, "page_size", ordering->page_size);
    json_add_number(json, "fault_around", ordering->around);
    json_add_number(json, "read_ahead", ordering->read_ahead);
    json_add_number(json, "text_pages", evaluation->text_pages);
    json_object_object_add(json, "now", cost_json(&evaluation->before));
    json_object_object_add(json, "ordered", cost_json(&evaluation->after));
    json_object_object_add(json, "heat_now",
                           evaluation->has_heat ? heat_json(&evaluation->heat_before) : NULL);
    json_object_object_add(json, "heat_ordered",
                           evaluation->has_heat ? heat_json(&evaluation->heat_after) : NULL);
    return json;
}
