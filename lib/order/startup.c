/*
 * An order for the start of a program: functions that runs enter early, and together, on few pages.
 *
 * Each run gives nested sets of functions: those entered by the time 1, 2, 4, 8... (E. Hoag et al.,
 * "Optimizing Function Layout for Mobile Applications", 2022; TemporalProfTraceTy::createBPFunctionNodes
 * in LLVM), and balanced partitioning brings functions together that share sets.
 *
 * Partitioning is a heuristic. Small programs leave time to try several variants of it, and the one is
 * taken that the model of pages finds best; so the result is never worse than the plain variant's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/pool.h"
#include "order/arrange.h"
#include "order/behaviour.h"
#include "order/partition.h"

/* So many entries of functions are partitioned in all variants together, if there are more than one. */
enum { ENTRIES_TO_TRY = 1 << 20, MOST_TRIES = 16, PAGE = 4096 };

/* So many of the best are improved for so long. */
enum { FINALISTS = 2, FINAL_EFFORT = 8 };

struct node {
    uint32_t function;
    uint32_t earliest; /* its first place in any run */
    double runs;       /* how many have it, by weight */
};

struct problem {
    const struct an_behaviour *behaviour;
    struct node *nodes; /* in the order in which partitioning begins */
    uint32_t *node_of;  /* function: node */
    uint32_t node_count;
    uint32_t run_count; /* of the runs to look at */
    size_t entry_count; /* without repetitions */
    struct partition partition;
    uint32_t *first, *entries, *run_of, *run_first;
    float *weights;
};

struct variant {
    unsigned steps_per_octave;
    bool by_need;          /* begins with what most runs have, not with what is entered first */
    bool keeps_large_sets; /* those with more than half of the functions, too */
};

/* The best for most programs first: with 8 steps an octave in place of LLVM's one the model found a tenth fewer
 * faults. */
static const struct variant variants[] = {
    {8, false, false}, {8, true, false}, {1, false, false}, {16, true, true}, {4, true, true}};

/* ---- nodes ---- */

static int by_entry(const void *a, const void *b)
{
    const struct node *left = a, *right = b;
    if (left->earliest != right->earliest)
        return left->earliest < right->earliest ? -1 : 1;
    return left->function < right->function ? -1 : 1;
}

static int by_need(const void *a, const void *b)
{
    const struct node *left = a, *right = b;
    if (left->runs != right->runs)
        return left->runs > right->runs ? -1 : 1;
    return by_entry(a, b);
}

/* Partitioning depends on the order in which it begins: nodes get their numbers by it. */
static void number_nodes(struct problem *problem, const struct variant *variant)
{
    qsort(problem->nodes, problem->node_count, sizeof *problem->nodes,
          variant->by_need ? by_need : by_entry);
    for (uint32_t n = 0; n < problem->node_count; n++)
        problem->node_of[problem->nodes[n].function] = n;
}

static bool find_nodes(struct problem *problem)
{
    const struct an_behaviour *behaviour = problem->behaviour;
    size_t functions = behaviour->functions.count;
    uint32_t *seen_in = an_alloc_zero(functions + 1, sizeof *seen_in);
    problem->nodes = an_alloc(functions + 1, sizeof *problem->nodes);
    problem->node_of = an_alloc(functions + 1, sizeof *problem->node_of);
    if (!seen_in || !problem->nodes || !problem->node_of) {
        free(seen_in);
        return false;
    }
    for (uint32_t r = 0; r < problem->run_count; r++) {
        struct an_behaviour_run run = an_behaviour_run(behaviour, r);
        for (uint32_t place = 0; place < run.count; place++) {
            uint32_t function = run.functions[place];
            if (seen_in[function] == r + 1)
                continue;
            if (!seen_in[function]) {
                problem->node_of[function] = problem->node_count;
                problem->nodes[problem->node_count++] = (struct node){function, place, 0};
            }
            seen_in[function] = r + 1;
            struct node *node = &problem->nodes[problem->node_of[function]];
            node->runs += (double)run.weight;
            if (place < node->earliest)
                node->earliest = place;
            problem->entry_count++;
        }
    }
    free(seen_in);
    return true;
}

/* ---- sets ---- */

/* The step in which a run is at a place: 0, 1, 2-3, 4-7..., or finer. */
static uint32_t step_at(uint32_t place, unsigned per_octave)
{
    if (!place)
        return 0;
    uint32_t octave = 31u - (uint32_t)__builtin_clz(place);
    uint64_t within = (uint64_t)(place - (UINT32_C(1) << octave)) * per_octave >> octave;
    return 1 + octave * per_octave + (uint32_t)within;
}

/*
 * How many places of a run belong to sets. Sets with more than half of all functions tell little about which
 * belong together (LLVM leaves them out).
 */
static uint32_t places_in_sets(const struct problem *problem, const struct an_behaviour_run *run,
                               const struct variant *variant)
{
    size_t most = variant->keeps_large_sets ? run->count : problem->node_count / 2;
    uint32_t places = (uint32_t)run->count;
    while (places > most) {
        /* the last step goes as a whole */
        uint32_t step = step_at(places - 1, variant->steps_per_octave);
        while (places && step_at(places - 1, variant->steps_per_octave) == step)
            places--;
    }
    return places;
}

static bool number_sets(struct problem *problem, const struct variant *variant)
{
    const struct an_behaviour *behaviour = problem->behaviour;
    struct partition *partition = &problem->partition;
    uint32_t runs = problem->run_count, sets = 0;
    for (uint32_t r = 0; r < runs; r++) {
        struct an_behaviour_run run = an_behaviour_run(behaviour, r);
        uint32_t places = places_in_sets(problem, &run, variant);
        problem->run_first[r] = sets;
        problem->weights[r] = (float)run.weight;
        sets += places ? step_at(places - 1, variant->steps_per_octave) + 1 : 0;
    }
    problem->run_first[runs] = sets;
    free(problem->run_of);
    problem->run_of = an_alloc(sets + 1u, sizeof *problem->run_of);
    for (uint32_t r = 0; problem->run_of && r < runs; r++)
        for (uint32_t s = problem->run_first[r]; s < problem->run_first[r + 1]; s++)
            problem->run_of[s] = r;
    partition->set_count = sets;
    partition->run_of = problem->run_of;
    return problem->run_of;
}

/* Goes over the runs and gives each node its sets; first[n] must be where they begin, and ends behind them. */
static void put_entries(struct problem *problem, const struct variant *variant, bool only_count)
{
    const struct an_behaviour *behaviour = problem->behaviour;
    for (uint32_t r = 0; r < problem->run_count; r++) {
        struct an_behaviour_run run = an_behaviour_run(behaviour, r);
        uint32_t places = places_in_sets(problem, &run, variant);
        uint32_t from = problem->run_first[r];
        for (uint32_t place = 0; place < places; place++) {
            uint32_t node = problem->node_of[run.functions[place]];
            uint32_t at = problem->first[node];
            if (!only_count)
                problem->entries[at] = from + step_at(place, variant->steps_per_octave);
            problem->first[node]++;
        }
    }
}

/* A function that a made-up trace has twice in one run would be counted twice in one set. */
static void drop_repetitions(struct problem *problem)
{
    uint32_t kept = 0, begin = 0;
    for (uint32_t n = 0; n < problem->node_count; n++) {
        uint32_t end = problem->first[n + 1], from = kept;
        for (uint32_t e = begin; e < end; e++)
            if (kept == from ||
                problem->run_of[problem->entries[kept - 1]] != problem->run_of[problem->entries[e]])
                problem->entries[kept++] = problem->entries[e];
        begin = end;
        problem->first[n + 1] = kept;
    }
}

static bool make_entries(struct problem *problem, const struct variant *variant)
{
    uint32_t nodes = problem->node_count, total = 0;
    memset(problem->first, 0, (nodes + 1u) * sizeof *problem->first);
    put_entries(problem, variant, true);
    for (uint32_t n = 0; n <= nodes; n++) {
        uint32_t number = problem->first[n];
        problem->first[n] = total;
        total += number;
    }
    free(problem->entries);
    problem->entries = an_alloc(total + 1u, sizeof *problem->entries);
    if (!problem->entries)
        return false;
    put_entries(problem, variant, false);
    memmove(problem->first + 1, problem->first, nodes * sizeof *problem->first);
    problem->first[0] = 0;
    drop_repetitions(problem);
    problem->partition.entries = problem->entries;
    return true;
}

/* ---- the best of several ---- */

static bool try_variant(struct problem *problem, const struct variant *variant, uint64_t seed,
                        uint32_t *order)
{
    number_nodes(problem, variant);
    if (!number_sets(problem, variant) || !make_entries(problem, variant))
        return false;
    problem->partition.seed = seed;
    for (uint32_t n = 0; n < problem->node_count; n++)
        order[n] = n;
    if (!an_partition_order(&problem->partition, order))
        return false;
    for (uint32_t n = 0; n < problem->node_count; n++)
        order[n] = problem->nodes[order[n]].function;
    return true;
}

static enum an_code lay_out(const struct problem *problem, const struct an_order *order,
                            const struct an_order_options *options, struct an_pages_layout *layout,
                            struct an_error *error)
{
    struct an_order placed;
    if (!options->image)
        return an_pages_layout_guess(problem->behaviour, order, layout, error);
    enum an_code code = an_order_place(order, options->matches, options->image, &placed, error);
    if (code == AN_OK)
        code = an_pages_layout_new(problem->behaviour, options->matches, options->image, &placed,
                                   layout, error);
    an_order_free(&placed);
    return code;
}

/* What all runs cost on a layout, by weight. */
struct score {
    double touched; /* pages, as means over time */
    double
        cold; /* faults when nothing is in memory, those for the disk twice, in the end and as means over time */
};

static enum an_code add_run(const struct an_pages_layout *layout,
                            const struct an_behaviour_run *run, uint64_t page_size, unsigned shift,
                            struct score *score, struct an_error *error)
{
    /* pages alone; then Linux's defaults, the recent way and the one before */
    const struct an_pages_kernel kernels[] = {{page_size, 1, 0, 0, 0},
                                              {page_size, 16, 0, 32, shift},
                                              {page_size, 16, 16, 16, (shift + 8) % 16}};
    double weight = (double)run->weight;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        struct an_pages_cost cost;
        enum an_code code = an_pages_touch(layout, run, &kernels[k], NULL, &cost, error);
        if (code != AN_OK)
            return code;
        double mean = cost.entered ? cost.area / (double)cost.entered : 0;
        if (k == 0)
            score->touched += weight * mean;
        else
            score->cold += weight * ((double)(cost.faults + cost.major) + mean);
    }
    return AN_OK;
}

static enum an_code score(const struct problem *problem, const struct an_order *order,
                          const struct an_order_options *options, struct score *result,
                          struct an_error *error)
{
    const struct an_behaviour *behaviour = problem->behaviour;
    struct an_pages_layout layout = {0};
    bool is_anywhere = options->image && !an_image_is_fixed(options->image);
    enum an_code code = lay_out(problem, order, options, &layout, error);
    *result = (struct score){0};
    for (size_t r = 0; code == AN_OK && r < problem->run_count; r++) {
        struct an_behaviour_run run = an_behaviour_run(behaviour, r);
        code = add_run(&layout, &run, options->page_size ? options->page_size : PAGE,
                       is_anywhere ? (unsigned)(r * 5 % 16) : 0, result, error);
    }
    an_pages_layout_free(&layout);
    return code;
}

static void problem_free(struct problem *problem)
{
    free(problem->nodes);
    free(problem->node_of);
    free(problem->first);
    free(problem->entries);
    free(problem->run_of);
    free(problem->run_first);
    free(problem->weights);
}

/* The caller frees it, also on failure. */
static bool problem_make(struct problem *problem, const struct an_behaviour *behaviour, size_t runs,
                         unsigned threads)
{
    *problem = (struct problem){.behaviour = behaviour, .run_count = (uint32_t)runs};
    if (!find_nodes(problem))
        return false;
    problem->first = an_alloc(problem->node_count + 1u, sizeof *problem->first);
    problem->run_first = an_alloc(runs + 1, sizeof *problem->run_first);
    problem->weights = an_alloc(runs + 1, sizeof *problem->weights);
    problem->partition = (struct partition){
        .node_count = problem->node_count,
        .first = problem->first,
        .run_first = problem->run_first,
        .weight_of = problem->weights,
        .threads = threads,
    };
    return problem->first && problem->run_first && problem->weights;
}

static bool order_make(struct an_order *order, size_t count)
{
    *order = (struct an_order){an_alloc(count + 1, sizeof *order->functions), count};
    return order->functions;
}

/* One variant of the order, or what arranging its pieces has made of it. */
struct attempt {
    size_t index;
    struct an_order order;
    double product; /* of what it touches, three times, and its faults: less is better */
    enum an_code code;
    struct an_error error;
};

struct attempts {
    const struct an_behaviour *behaviour;
    const struct an_order_options *options;
    size_t runs;
    struct attempt all[MOST_TRIES];
};

static enum an_code judge(const struct problem *problem, const struct an_order_options *options,
                          const struct an_order *order, double *product, struct an_error *error)
{
    struct score found;
    enum an_code code = score(problem, order, options, &found, error);
    *product = found.touched * found.touched * found.touched * found.cold;
    return code;
}

/* Moves the pieces of an attempt about, and keeps what is better. */
static enum an_code arrange(const struct attempts *attempts, struct problem *problem,
                            unsigned effort, struct attempt *attempt)
{
    const struct an_order_options *options = attempts->options;
    struct an_order arranged;
    bool changed = false;
    double product;
    enum an_code code = AN_OK;
    if (!order_make(&arranged, attempt->order.count) ||
        !an_arrange_order(attempts->behaviour, options, attempts->runs, &attempt->order, effort,
                          arranged.functions, &changed))
        code = an_fail_memory(&attempt->error);
    if (changed)
        code = judge(problem, options, &arranged, &product, &attempt->error);
    if (changed && code == AN_OK && product < attempt->product) {
        struct an_order worse = attempt->order;
        attempt->order = arranged;
        attempt->product = product;
        arranged = worse;
    }
    an_order_free(&arranged);
    return code;
}

static enum an_code make_attempt(const struct attempts *attempts, size_t index,
                                 struct problem *problem, struct attempt *attempt)
{
    const struct variant *variant = &variants[index % (sizeof variants / sizeof *variants)];
    const struct an_order_options *options = attempts->options;
    if (!order_make(&attempt->order, problem->node_count) ||
        !try_variant(problem, variant, index, attempt->order.functions))
        return an_fail_memory(&attempt->error);
    enum an_code code =
        judge(problem, options, &attempt->order, &attempt->product, &attempt->error);
    if (code != AN_OK || !options->image) /* without sizes, nobody knows what is on a page */
        return code;
    return arrange(attempts, problem, 1, attempt);
}

static void attempt_one(void *context, size_t index)
{
    struct attempts *attempts = context;
    struct attempt *attempt = &attempts->all[index];
    struct problem problem;
    attempt->code = problem_make(&problem, attempts->behaviour, attempts->runs, 1)
                        ? make_attempt(attempts, index, &problem, attempt)
                        : an_fail_memory(&attempt->error);
    problem_free(&problem);
}

/* The final, for those that are in front by then. */
static void improve_one(void *context, size_t index)
{
    struct attempts *attempts = context;
    struct attempt *attempt = &attempts->all[index];
    struct problem problem = {.behaviour = attempts->behaviour,
                              .run_count = (uint32_t)attempts->runs};
    attempt->code = arrange(attempts, &problem, FINAL_EFFORT, attempt);
}

static int by_product(const void *a, const void *b)
{
    const struct attempt *left = a, *right = b;
    if (left->product != right->product)
        return left->product < right->product ? -1 : 1;
    return left->index < right->index ? -1 : 1;
}

static enum an_code first_failure(const struct attempts *attempts, size_t tries,
                                  struct an_error *error)
{
    for (size_t t = 0; t < tries; t++)
        if (attempts->all[t].code != AN_OK) {
            *error = attempts->all[t].error;
            return attempts->all[t].code;
        }
    return AN_OK;
}

/* Makes so many orders, improves those that are best, and takes the best; of equal ones the first. */
static enum an_code find_best(struct attempts *attempts, size_t tries, struct an_order *order,
                              struct an_error *error)
{
    unsigned threads = attempts->options->threads;
    threads = threads ? threads : an_pool_processors();
    for (size_t t = 0; t < tries; t++)
        attempts->all[t].index = t;
    an_pool_run(threads, tries, attempt_one, attempts);
    enum an_code code = first_failure(attempts, tries, error);
    if (code == AN_OK) {
        qsort(attempts->all, tries, sizeof *attempts->all, by_product);
        size_t finalists = !attempts->options->image ? 0 : tries < FINALISTS ? tries : FINALISTS;
        an_pool_run(threads, finalists, improve_one, attempts);
        qsort(attempts->all, finalists, sizeof *attempts->all, by_product);
        code = first_failure(attempts, tries, error);
    }
    if (code == AN_OK) {
        *order = attempts->all[0].order;
        attempts->all[0].order = (struct an_order){0};
    }
    for (size_t t = 0; t < tries; t++)
        an_order_free(&attempts->all[t].order);
    return code;
}

enum an_code an_order_startup(const struct an_behaviour *behaviour,
                              const struct an_order_options *options, struct an_order *order,
                              struct an_error *error)
{
    struct an_order_options full;
    struct attempts attempts = {.behaviour = behaviour, .options = &full};
    struct problem problem;
    *order = (struct an_order){0};
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    attempts.runs =
        full.runs && full.runs < behaviour->runs.count ? full.runs : behaviour->runs.count;
    if (behaviour->entries.count >= UINT32_MAX)
        return an_fail(error, AN_UNSUPPORTED, "more than %u function entries in all runs",
                       UINT32_MAX);
    bool has_memory = problem_make(&problem, behaviour, attempts.runs,
                                   full.threads ? full.threads : an_pool_processors());
    size_t tries = ENTRIES_TO_TRY / (problem.entry_count + 1);
    size_t most = full.image ? MOST_TRIES : sizeof variants / sizeof *variants;
    tries = tries > most ? most : tries;
    if (has_memory && tries <= 1) /* a large program: what the best variant for most makes */
        has_memory = order_make(order, problem.node_count) &&
                     try_variant(&problem, &variants[0], 0, order->functions);
    problem_free(&problem);
    if (has_memory && tries > 1)
        return find_best(&attempts, tries, order, error);
    if (has_memory)
        return AN_OK;
    an_order_free(order);
    return an_fail_memory(error);
}
