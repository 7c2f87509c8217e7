/*
 * The clock of a process; see anneal/work.h.
 *
 *     traffic.c ──────────────────────────────────────► estimate.c
 *     bytes and CPU time                                  a rate
 *     program.c ─► stacks.c ─► choose.c ─► counters.c ──────┘
 *     functions    under way   fit ones    entries and
 *                              (attempt.c)  CPU time
 */
#include <anneal/work.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/proc.h"
#include "work/attempt.h"
#include "work/breakpoint.h"
#include "work/choose.h"
#include "work/counters.h"
#include "work/traffic.h"

static const double usual_most = 0.6;

struct an_work {
    struct an_work_options options;
    struct an_traffic *traffic; /* counts; NULL: functions do */
    double cost;                /* of these, as all that follows */
    struct an_work_program *program;
    struct an_counters *counters;
    struct an_chosen chosen[AN_WORK_MOST];
    struct an_work_function functions[AN_WORK_MOST];
    size_t count;
    double rate; /* entries in a second of CPU time, as far as known */
};

/* ---- functions that were named ---- */

struct named {
    uint64_t entry, places[AN_WORK_PROGRAM_MOST_ENTRIES];
    struct an_attempt attempts[AN_WORK_PROGRAM_MOST_ENTRIES];
    size_t count;
};

static enum an_code find_named(struct an_work *work, struct named *named, struct an_error *error)
{
    const struct an_work_options *options = &work->options;
    if (options->function_count > AN_WORK_MOST)
        return an_fail(error, AN_USAGE, "more than %d functions", AN_WORK_MOST);
    for (size_t i = 0; i < options->function_count; i++) {
        enum an_code code =
            an_work_program_named(work->program, options->functions[i], &named[i].entry, error);
        if (code != AN_OK)
            return code;
        for (size_t k = 0; k < i; k++)
            if (named[k].entry == named[i].entry)
                return an_fail(error, AN_USAGE, "function %s is named twice",
                               options->functions[i]);
        named[i].count = an_work_program_entries(work->program, named[i].entry, named[i].places);
    }
    return AN_OK;
}

/* Some threads of the process, the first ones. */
struct some_threads {
    int32_t tids[64];
    size_t count;
};

static void take_thread(void *context, int32_t tid)
{
    struct some_threads *threads = context;
    if (threads->count < sizeof threads->tids / sizeof *threads->tids)
        threads->tids[threads->count++] = tid;
}

enum { TRY_LIMIT = 200 }; /* entries, which cannot cost much */

static enum an_code try_named(const struct an_work *work, struct named *named,
                              struct an_error *error)
{
    struct some_threads threads = {.count = 0};
    enum an_code code = AN_OK;
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/task", work->options.pid);
    an_proc_each(folder, take_thread, &threads);
    for (size_t k = 0; code == AN_OK && k < named->count; k += AN_ATTEMPTS) {
        size_t some = named->count - k < AN_ATTEMPTS ? named->count - k : AN_ATTEMPTS;
        for (size_t j = k; j < k + some; j++)
            named->attempts[j].address = named->places[j];
        code = an_attempt(work->options.pid, threads.tids, threads.count, named->attempts + k, some,
                          TRY_LIMIT, 0.05, error);
    }
    return code;
}

static enum an_code fail_cost(const struct an_work *work, const struct named *named, double rate,
                              struct an_error *error)
{
    an_fail(error, AN_UNSUPPORTED,
            "%s is entered %.0f times in a second of CPU time, and each time costs %.1f us: "
            "counting would leave it no time of its own",
            an_work_program_name(work->program, named->entry), rate, 1e6 * work->cost);
    return an_error_hint(error, "name functions that are entered less often (--function), or count "
                                "by the program's own counter (--counter)");
}

/* Functions that are named may be entered all the time. */
static enum an_code check_rate(const struct an_work *work, const struct named *named, double *total,
                               struct an_error *error)
{
    uint64_t entries = 0;
    double rate = 0;
    for (size_t k = 0; k < named->count; k++) {
        entries += named->attempts[k].entries;
        if (named->attempts[k].seconds > 0)
            rate += (double)named->attempts[k].entries / named->attempts[k].seconds;
    }
    *total += rate;
    if (entries >= TRY_LIMIT / 10 && *total * work->cost > work->options.most)
        return fail_cost(work, named, rate, error);
    return AN_OK;
}

/* Of too many places, those where the function was entered, or may be. */
static void drop_quiet_places(const struct an_work *work, struct named *named)
{
    const struct an_choice choice = {.program = work->program, .options = &work->options};
    size_t kept = 0;
    for (size_t k = 0; k < named->count; k++)
        if (named->attempts[k].entries || an_choose_may_be_entered(&choice, named->places[k]))
            named->places[kept++] = named->places[k];
    if (kept)
        named->count = kept;
}

static size_t places_of(const struct named *named, size_t count)
{
    size_t places = 0;
    for (size_t i = 0; i < count; i++)
        places += named[i].count;
    return places;
}

static enum an_code take_named(struct an_work *work, struct named *named, struct an_error *error)
{
    size_t count = work->options.function_count;
    for (size_t i = 0; i < count && places_of(named, count) > AN_WORK_MOST; i++)
        drop_quiet_places(work, &named[i]);
    if (places_of(named, count) > AN_WORK_MOST) {
        an_fail(
            error, AN_USAGE,
            "these functions have %zu entries, in the original code and in layouts, but only %d "
            "can be counted",
            places_of(named, count), AN_WORK_MOST);
        return an_error_hint(error, "name fewer functions; 'anneal live --revert' unmaps layouts");
    }
    for (work->count = 0; work->count < count; work->count++) {
        struct an_chosen *chosen = &work->chosen[work->count];
        chosen->entry = named[work->count].entry;
        chosen->place_count = named[work->count].count;
        memcpy(chosen->places, named[work->count].places,
               chosen->place_count * sizeof *chosen->places);
    }
    return AN_OK;
}

static enum an_code use_named(struct an_work *work, struct an_error *error)
{
    struct named named[AN_WORK_MOST] = {0};
    double total = 0;
    enum an_code code = find_named(work, named, error);
    for (size_t i = 0; code == AN_OK && i < work->options.function_count; i++) {
        code = try_named(work, &named[i], error);
        if (code == AN_OK)
            code = check_rate(work, &named[i], &total, error);
    }
    work->rate = total;
    return code == AN_OK ? take_named(work, named, error) : code;
}

/* ---- functions that are chosen ---- */

static enum an_code choose(struct an_work *work, struct an_error *error)
{
    struct an_choice choice = {
        .program = work->program, .options = &work->options, .cost = work->cost};
    enum an_code code = an_choose(&choice, error);
    memcpy(work->chosen, choice.chosen, sizeof work->chosen);
    work->count = choice.count;
    work->rate = choice.rate;
    return code;
}

/* ---- the whole ---- */

static void describe_traffic(struct an_work *work)
{
    for (work->count = 0; work->count < AN_TRAFFIC_COUNTS; work->count++)
        work->functions[work->count] =
            (struct an_work_function){.name = an_traffic_name(work->count)};
}

static void describe(struct an_work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        const char *name = an_work_program_name(work->program, work->chosen[i].entry);
        work->functions[i] =
            (struct an_work_function){.name = name ? name : "?",
                                      .address = work->chosen[i].entry,
                                      .entries = (unsigned)work->chosen[i].place_count};
    }
}

static enum an_code start(struct an_work *work, struct an_error *error)
{
    uint64_t places[AN_WORK_MOST];
    size_t count = 0;
    for (size_t i = 0; i < work->count; i++)
        for (size_t k = 0; k < work->chosen[i].place_count; k++)
            places[count++] = work->chosen[i].places[k];
    return an_counters_open(work->options.pid, places, count, true, &work->counters, error);
}

static enum an_code open_functions(struct an_work *work, struct an_error *error)
{
    enum an_code code = an_work_program_open(work->options.pid, &work->program, error);
    if (code == AN_OK)
        code = an_breakpoint_cost(&work->cost, error);
    if (code == AN_OK)
        code = work->options.function_count ? use_named(work, error) : choose(work, error);
    if (code == AN_OK)
        code = start(work, error);
    describe(work);
    return code;
}

/* What fails for traffic, may be had of functions, and is told again if not. */
static enum an_code open_either(struct an_work *work, struct an_error *error)
{
    const struct an_work_options *options = &work->options;
    bool is_tried = options->by != AN_WORK_BY_FUNCTIONS && !options->function_count;
    if (is_tried && an_traffic_open(options, &work->traffic, error) == AN_OK) {
        describe_traffic(work);
        return AN_OK;
    }
    if (is_tried && options->by == AN_WORK_BY_TRAFFIC)
        return an_error_hint(error, "count entries into its functions (--clock=functions), or by "
                                    "the program's own counter (--counter)");
    return open_functions(work, error);
}

enum an_code an_work_open(const struct an_work_options *options, struct an_work **out,
                          struct an_error *error)
{
    struct an_work_options full;
    *out = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    struct an_work *work = an_alloc_zero(1, sizeof *work);
    if (!work)
        return an_fail_memory(error);
    work->options = full;
    if (work->options.budget <= 0)
        work->options.budget = AN_WORK_BUDGET;
    if (work->options.most <= 0)
        work->options.most = usual_most;
    work->options.most = fmax(work->options.most, work->options.budget);
    code = open_either(work, error);
    if (code == AN_OK)
        *out = work;
    else
        an_work_close(work);
    return code;
}

void an_work_close(struct an_work *work)
{
    if (!work)
        return;
    an_traffic_close(work->traffic);
    an_counters_close(work->counters);
    an_work_program_free(work->program);
    free(work);
}

enum an_work_by an_work_counts_by(const struct an_work *work)
{
    return work->traffic ? AN_WORK_BY_TRAFFIC : AN_WORK_BY_FUNCTIONS;
}

const struct an_work_function *an_work_functions(const struct an_work *work, size_t *count)
{
    *count = work->count;
    return work->functions;
}

enum an_code an_work_read(struct an_work *work, struct an_work_reading *reading, bool *is_over,
                          struct an_error *error)
{
    struct an_work_reading places;
    if (work->traffic) {
        *is_over = !an_traffic_read(work->traffic, reading);
        return AN_OK;
    }
    *is_over =
        !an_work_program_is_there(work->program); /* before: what it did until then is read */
    enum an_code code = an_counters_read(work->counters, &places, error);
    *reading = (struct an_work_reading){.cpu = places.cpu, .wall = places.wall};
    for (size_t i = 0, at = 0; i < work->count; i++)
        for (size_t k = 0; k < work->chosen[i].place_count; k++)
            reading->entries[i] += places.entries[at++];
    return code;
}

double an_work_duty(const struct an_work *work)
{
    return an_work_part(work->options.budget, work->rate * work->cost);
}

void an_work_pause(struct an_work *work, bool pauses)
{
    if (work->counters)
        an_counters_pause(work->counters, pauses);
}

size_t an_work_threads(const struct an_work *work)
{
    struct an_proc_stat stat;
    if (work->counters)
        return an_counters_threads(work->counters);
    return an_proc_stat(work->options.pid, 0, &stat) ? stat.threads : 0;
}

double an_work_cost(const struct an_work *work)
{
    return work->cost;
}
