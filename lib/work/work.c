/*
 * The clock of a process; see anneal/work.h.
 *
 *     program.c ─► stacks.c ─► choose.c ─► counters.c ─► estimate.c
 *     functions    under way   fit ones    entries and     a rate
 *                              (attempt.c)  CPU time
 */
#include <anneal/work.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/proc.h"
#include "work/attempt.h"
#include "work/breakpoint.h"
#include "work/choose.h"
#include "work/counters.h"

static const double usual_budget = 0.005;

struct an_work {
    struct an_work_options options;
    double cost;
    struct an_program *program;
    struct an_counters *counters;
    struct an_chosen chosen[AN_WORK_MOST];
    struct an_work_function functions[AN_WORK_MOST];
    size_t count;
};

/* ---- functions that were named ---- */

static enum an_code find_named(struct an_work *work, const char *name, size_t *places,
                               struct an_error *error)
{
    struct an_chosen *chosen = &work->chosen[work->count];
    uint64_t at[AN_PROGRAM_MOST_ENTRIES];
    enum an_code code = an_program_named(work->program, name, &chosen->entry, error);
    if (code != AN_OK)
        return code;
    for (size_t i = 0; i < work->count; i++)
        if (work->chosen[i].entry == chosen->entry)
            return an_fail(error, AN_USAGE, "function %s is named twice", name);
    chosen->place_count = an_program_entries(work->program, chosen->entry, at);
    *places += chosen->place_count;
    if (*places > AN_WORK_MOST) {
        an_fail(error, AN_USAGE,
                "%s has %zu entries, in the original code and in layouts: more "
                "than the debug registers that are left",
                name, chosen->place_count);
        return an_error_hint(error, "name fewer functions; 'anneal live --revert' unmaps layouts");
    }
    memcpy(chosen->places, at, chosen->place_count * sizeof *at);
    work->count++;
    return AN_OK;
}

static enum an_code find_all_named(struct an_work *work, struct an_error *error)
{
    enum an_code code = AN_OK;
    size_t places = 0;
    if (work->options.function_count > AN_WORK_MOST)
        return an_fail(error, AN_USAGE, "more than %d functions", AN_WORK_MOST);
    for (size_t i = 0; code == AN_OK && i < work->options.function_count; i++)
        code = find_named(work, work->options.functions[i], &places, error);
    return code;
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

static enum an_code fail_cost(const struct an_work *work, size_t function, double rate,
                              struct an_error *error)
{
    double cost = 100 * rate * work->cost;
    an_fail(error, AN_UNSUPPORTED,
            "%s is entered %.0f times in a second of CPU time: counting costs %.2g%% of it",
            an_program_name(work->program, work->chosen[function].entry), rate, cost);
    return an_error_hint(error,
                         "at most %.2g%% may be spent: name a function that is entered less "
                         "often, or use --overhead=%.2g%%",
                         100 * work->options.budget, 1.5 * cost);
}

/* Functions that are named may be entered all the time. A short try, which cannot cost much, tells. */
static enum an_code check_rates(const struct an_work *work, struct an_error *error)
{
    enum { LIMIT = 200 };
    struct some_threads threads = {.count = 0};
    struct an_attempt attempts[AN_WORK_MOST] = {0};
    size_t count = 0;
    double total = 0;
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/task", work->options.pid);
    an_proc_each(folder, take_thread, &threads);
    for (size_t i = 0; i < work->count; i++)
        for (size_t k = 0; k < work->chosen[i].place_count; k++)
            attempts[count++].address = work->chosen[i].places[k];
    enum an_code code = an_attempt(work->options.pid, threads.tids, threads.count, attempts, count,
                                   LIMIT, 0.05, error);
    for (size_t i = 0, at = 0; code == AN_OK && i < work->count; i++)
        for (size_t k = 0; code == AN_OK && k < work->chosen[i].place_count; k++, at++) {
            double rate =
                attempts[at].seconds > 0 ? (double)attempts[at].entries / attempts[at].seconds : 0;
            total += rate;
            if (attempts[at].entries >= LIMIT / 10 && total * work->cost > work->options.budget)
                code = fail_cost(work, i, rate, error);
        }
    return code;
}

/* ---- functions that are chosen ---- */

static enum an_code choose(struct an_work *work, struct an_error *error)
{
    struct an_choice choice = {
        .program = work->program, .options = &work->options, .cost = work->cost};
    enum an_code code = an_choose(&choice, error);
    memcpy(work->chosen, choice.chosen, sizeof work->chosen);
    work->count = choice.count;
    return code;
}

/* ---- the whole ---- */

static void describe(struct an_work *work)
{
    for (size_t i = 0; i < work->count; i++) {
        const char *name = an_program_name(work->program, work->chosen[i].entry);
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

enum an_code an_work_open(const struct an_work_options *options, struct an_work **out,
                          struct an_error *error)
{
    struct an_work *work = an_alloc_zero(1, sizeof *work);
    *out = NULL;
    if (!work)
        return an_fail_memory(error);
    work->options = *options;
    if (work->options.budget <= 0)
        work->options.budget = usual_budget;
    enum an_code code = an_program_open(options->pid, &work->program, error);
    if (code == AN_OK)
        code = an_breakpoint_cost(&work->cost, error);
    if (code == AN_OK)
        code = options->function_count ? find_all_named(work, error) : choose(work, error);
    if (code == AN_OK && options->function_count)
        code = check_rates(work, error);
    if (code == AN_OK)
        code = start(work, error);
    describe(work);
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
    an_counters_close(work->counters);
    an_program_free(work->program);
    free(work);
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
    *is_over = !an_program_is_there(work->program); /* before: what it did until then is read */
    enum an_code code = an_counters_read(work->counters, &places, error);
    *reading = (struct an_work_reading){.cpu = places.cpu, .wall = places.wall};
    for (size_t i = 0, at = 0; i < work->count; i++)
        for (size_t k = 0; k < work->chosen[i].place_count; k++)
            reading->entries[i] += places.entries[at++];
    return code;
}

size_t an_work_threads(const struct an_work *work)
{
    return an_counters_threads(work->counters);
}

double an_work_cost(const struct an_work *work)
{
    return work->cost;
}
