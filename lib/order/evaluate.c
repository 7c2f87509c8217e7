/*
 * What an order is worth by the model of pages: faults as a function of time for the binary as it is
 * and as it will be, means over the runs.
 */
#include <anneal/order.h>

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"

/* The curve of one run at equal steps of its time; a run ends at the right edge, however long it is. */
static void add_curve(double *points, const uint32_t *curve, size_t count, double share)
{
    for (size_t p = 0; p < AN_ORDER_CURVE_POINTS; p++) {
        size_t place = (p + 1) * (count - 1) / AN_ORDER_CURVE_POINTS;
        points[p] += share * curve[place];
    }
}

/* Where a program that may be loaded anywhere is loaded: so many places, evenly. */
enum { PLACES = 4 };

struct walk {
    const struct an_behaviour *behaviour;
    const struct an_order_evaluate_options *options;
    const struct an_pages_layout *layout;
    uint32_t *curve; /* room for the longest run */
    double weights;  /* of all runs that are looked at */
};

/* Faults of a run when all is in memory, and when nothing is. */
static enum an_code add_faults(const struct walk *walk, const struct an_behaviour_run *run,
                               const struct an_pages_kernel *warm, double share,
                               struct an_order_cost *cost, struct an_error *error)
{
    const struct an_order_evaluate_options *options = walk->options;
    struct an_pages_kernel cold = *warm;
    struct an_pages_cost one;
    enum an_code code = an_pages_touch(walk->layout, run, warm, walk->curve, &one, error);
    if (code != AN_OK)
        return code;
    cost->faults += share * (double)one.faults;
    cost->faults_area += share * one.area / (double)one.entered;
    add_curve(cost->faults_curve, walk->curve, run->count, share);
    cold.behind = options->read_around ? options->read_ahead / 2 : 0;
    cold.ahead = options->read_ahead - cold.behind;
    code = an_pages_touch(walk->layout, run, &cold, NULL, &one, error);
    if (code != AN_OK)
        return code;
    cost->cold += share * (double)one.faults;
    cost->cold_area += share * one.area / (double)one.entered;
    cost->major += share * (double)one.major;
    return AN_OK;
}

static enum an_code add_run(const struct walk *walk, const struct an_behaviour_run *run,
                            struct an_order_cost *cost, double *entered, struct an_error *error)
{
    const struct an_order_evaluate_options *options = walk->options;
    struct an_pages_kernel kernel = {options->page_size, 1, 0, 0, 0};
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
    unsigned places = an_image_is_fixed(options->image) ? 1 : PLACES;
    if (places > options->around)
        places = options->around;
    for (unsigned i = 0; code == AN_OK && i < places; i++) {
        struct an_pages_kernel warm = {options->page_size, options->around, 0, 0,
                                       i * options->around / places};
        code = add_faults(walk, run, &warm, share / places, cost, error);
    }
    return code;
}

/* The runs that were kept aside, if any were; else all. */
static size_t first_run(const struct walk *walk)
{
    return walk->options->tests ? an_behaviour_runs(walk->behaviour) - walk->options->tests : 0;
}

static enum an_code walk_runs(struct walk *walk, struct an_order_cost *cost, double *entered,
                              struct an_error *error)
{
    const struct an_behaviour *behaviour = walk->behaviour;
    enum an_code code = AN_OK;
    *entered = 0;
    for (size_t r = first_run(walk); code == AN_OK && r < an_behaviour_runs(behaviour); r++) {
        struct an_behaviour_run run = an_behaviour_run(behaviour, r);
        code = add_run(walk, &run, cost, entered, error);
    }
    return code;
}

static enum an_code evaluate(struct walk *walk, struct an_order_evaluation *evaluation,
                             struct an_error *error)
{
    const struct an_behaviour *behaviour = walk->behaviour;
    const struct an_order_evaluate_options *options = walk->options;
    struct an_pages_layout before = {0}, after = {0};
    enum an_code code =
        an_pages_layout_now(behaviour, options->matches, options->image, &before, error);
    if (code == AN_OK)
        code = an_pages_layout_new(behaviour, options->matches, options->image, options->placed,
                                   &after, error);
    walk->layout = &before;
    if (code == AN_OK)
        code = walk_runs(walk, &evaluation->before, &evaluation->entered, error);
    walk->layout = &after;
    if (code == AN_OK)
        code = walk_runs(walk, &evaluation->after, &evaluation->entered, error);
    evaluation->has_heat = an_behaviour_has_heat(behaviour);
    if (code == AN_OK && evaluation->has_heat)
        code =
            an_pages_heat(behaviour, &before, options->page_size, &evaluation->heat_before, error);
    if (code == AN_OK && evaluation->has_heat)
        code = an_pages_heat(behaviour, &after, options->page_size, &evaluation->heat_after, error);
    evaluation->text_pages = (before.end + options->page_size - 1) / options->page_size -
                             before.start / options->page_size;
    an_pages_layout_free(&before);
    an_pages_layout_free(&after);
    return code;
}

/* Puts the usual in place of 0, if they make sense. */
static enum an_code complete(struct an_order_evaluate_options *options, size_t runs,
                             struct an_error *error)
{
    if (!options->matches || !options->image || !options->placed || options->tests > runs)
        return an_fail(error, AN_USAGE, "an evaluation needs an image, an order, and runs");
    options->page_size = options->page_size ? options->page_size : 4096;
    options->around = options->around ? options->around : 16;
    return AN_OK;
}

static enum an_code walk_both(struct walk *walk, struct an_order_evaluation *evaluation,
                              struct an_error *error)
{
    size_t longest = 1;
    for (size_t r = first_run(walk); r < an_behaviour_runs(walk->behaviour); r++) {
        struct an_behaviour_run run = an_behaviour_run(walk->behaviour, r);
        walk->weights += (double)run.weight;
        evaluation->runs++;
        if (run.count > longest)
            longest = run.count;
    }
    walk->curve = an_alloc(longest, sizeof *walk->curve);
    enum an_code code = walk->curve ? evaluate(walk, evaluation, error) : an_fail_memory(error);
    free(walk->curve);
    return code;
}

enum an_code an_order_evaluate(const struct an_behaviour *behaviour,
                               const struct an_order_evaluate_options *options,
                               struct an_order_evaluation *evaluation, struct an_error *error)
{
    struct an_order_evaluate_options full;
    struct walk walk = {.behaviour = behaviour, .options = &full};
    *evaluation = (struct an_order_evaluation){0};
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code == AN_OK)
        code = complete(&full, an_behaviour_runs(behaviour), error);
    return code == AN_OK ? walk_both(&walk, evaluation, error) : code;
}
