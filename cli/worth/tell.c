/* Telling what work a process does, for people and as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/proc.h"
#include "cli/core/amounts.h"
#include "cli/core/output.h"
#include "worth.h"

/* ---- what there is ---- */

static double seconds(uint64_t nanoseconds)
{
    return (double)nanoseconds * 1e-9;
}

/* CPU time that counting has cost, as a share of all. */
static double cost_of(const struct worth_process *process, double duty)
{
    return duty * an_work_cost_share(&process->total, an_work_cost(process->work));
}

static bool is_stopped(int32_t pid)
{
    struct an_proc_stat stat;
    return an_proc_stat(pid, 0, &stat) && (stat.state == 'T' || stat.state == 't');
}

const char *worth_lack(const struct worth_process *process)
{
    const double least = 1e-3;
    const struct an_work_estimate *estimate = &process->estimate;
    if (estimate->is_known)
        return NULL;
    if (!process->work && process->slices.count < AN_WORK_FEWEST_SLICES && !process->is_over &&
        !is_stopped(process->pid))
        return process->moves.moved
                   ? "its counter has moved too seldom for a figure: it takes a longer --duration"
                   : "its counter has not moved: it takes a longer --duration, or counts something "
                     "else";
    if (seconds(process->total.cpu) < least)
        return process->is_over           ? "it has ended, or executes another program"
               : is_stopped(process->pid) ? "it is stopped (SIGCONT lets it go on)"
                                          : "it did not run";
    if (estimate->slices < AN_WORK_FEWEST_SLICES)
        return process->is_over
                   ? "it has ended, or executes another program: too early for a figure"
                   : "too few slices for a figure";
    return !process->work              ? "its counter does not count its work"
           : worth_by_traffic(process) ? "what it reads and writes does not count its work "
                                         "(--clock=functions counts entries into functions)"
                                       : "none of these functions counts its work";
}

bool worth_by_traffic(const struct worth_process *process)
{
    return process->work && an_work_counts_by(process->work) == AN_WORK_BY_TRAFFIC;
}

static double half_percent(const struct an_work_estimate *estimate)
{
    return 50 * (estimate->high - estimate->low) / estimate->value;
}

/* ---- for people ---- */

static bool knows_unicode(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strstr(value, "UTF-8") || strstr(value, "utf8");
    }
    return false;
}

/* The highest and the lowest of the graph's points. */
static void find_range(const double *points, size_t count, double *least, double *most)
{
    *least = HUGE_VAL;
    *most = 0;
    for (size_t i = 0; i < count; i++) {
        *least = fmin(*least, points[i]);
        *most = fmax(*most, points[i]);
    }
}

enum { GRAPH = 60 }; /* characters at most */

/* As many slices for each point as it takes. Returns their number. */
static size_t find_points(const struct worth_process *process, double points[GRAPH])
{
    size_t slices = process->slices.count, count = slices < GRAPH ? slices : GRAPH;
    for (size_t i = 0; i < count; i++) {
        struct an_work_reading sum = {0};
        for (size_t k = i * slices / count; k < (i + 1) * slices / count; k++) {
            sum.cpu += process->slices.items[k].cpu;
            for (size_t f = 0; f < AN_WORK_MOST; f++)
                sum.entries[f] += process->slices.items[k].entries[f];
        }
        points[i] = an_work_at(&process->estimate, &sum);
    }
    return count;
}

/* A line of the work over time, from the lowest point to the highest. */
static void draw(const struct worth_process *process)
{
    static const char *const blocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char *const letters[] = {"_", ".", ",", "-", "=", "+", "*", "#"};
    enum { LEVELS = 8 };
    const char *const *levels = knows_unicode() ? blocks : letters;
    double points[GRAPH], least, most;
    size_t count = find_points(process, points);
    if (!process->estimate.is_known || !isatty(STDOUT_FILENO))
        return;
    find_range(points, count, &least, &most);
    printf("  over time             ");
    for (size_t i = 0; i < count; i++) {
        double height = most > least ? (points[i] - least) / (most - least) : 0.5;
        fputs(levels[(size_t)fmin(LEVELS - 1, height * LEVELS)], stdout);
    }
    printf("  %.1f to %.1f\n", least, most);
}

static void tell_function(const struct an_work_function *function,
                          const struct an_work_share *share)
{
    printf("      %-36s %10s %10.1f  ", as_plain(function->name), with_commas(share->entries),
           share->rate);
    if (share->use == AN_WORK_USED)
        printf("+-%.2f%%\n", 100 * share->half_width);
    else
        printf("not used: %s\n", an_work_use_name(share->use));
}

static void tell_functions(const struct worth_process *process)
{
    size_t count, threads = an_work_threads(process->work);
    const struct an_work_function *functions = an_work_functions(process->work, &count);
    printf("process %d (%s), %s thread%s\n", process->pid, as_plain(process->name),
           with_commas(threads), plural(threads));
    puts(worth_by_traffic(process)
             ? "  traffic                                     bytes   a CPU second"
             : "  functions                                 entries   a CPU second");
    for (size_t i = 0; i < count; i++)
        tell_function(&functions[i], &process->estimate.shares[i]);
}

static void tell_counter(const struct worth_process *process)
{
    printf("process %d (%s)\n", process->pid, as_plain(process->name));
    printf("  counter               %10s more than at first\n",
           with_commas(process->total.entries[0]));
    if (moves_in_steps(&process->moves))
        printf("  it moves in steps, and was read where it moves\n");
}

static void tell_process(const struct worth_process *process, double duty)
{
    const struct an_work_estimate *estimate = &process->estimate;
    (process->work ? tell_functions : tell_counter)(process);
    if (estimate->is_known)
        printf("  work                  %10.1f  a CPU second, +-%.2f%%: from %.1f to %.1f (95%%)\n",
               estimate->value, half_percent(estimate), estimate->low, estimate->high);
    draw(process);
    if (estimate->drifts)
        printf("  it drifts: the second half of the time is %+.1f%% off the first\n",
               100 * estimate->drift);
    printf("  CPU time              %10.1f s in %.1f s, %zu slices", seconds(process->total.cpu),
           seconds(process->total.wall), estimate->slices);
    if (process->work)
        printf("; counting took %.2f%% of it", 100 * cost_of(process, duty));
    putchar('\n');
    if (duty < 0.995)
        printf("  entries and CPU time were counted for %.0f%% of the time, to save cost\n",
               100 * duty);
}

/* Functions that do not take part in the comparison. */
static void tell_inlined(const struct worth_result *result)
{
    for (size_t i = 0; i < result->processes[0].functions; i++)
        if (result->difference.shares[i].use == AN_WORK_INLINED) {
            size_t count;
            const struct an_work_function *functions =
                an_work_functions(result->processes[0].work, &count);
            printf("  without %s, which is entered %.3g times as often: one build has it inlined\n",
                   as_plain(functions[i].name), result->difference.shares[i].ratio);
        }
}

static void tell_difference(const struct worth_result *result)
{
    const struct an_work_estimate *difference = &result->difference;
    if (!difference->is_known)
        return;
    printf(
        "process %d does %+.2f%% work for its CPU time, from %+.2f%% to %+.2f%% (95%%), compared "
        "with %d\n",
        result->processes[1].pid, 100 * (difference->value - 1), 100 * (difference->low - 1),
        100 * (difference->high - 1), result->processes[0].pid);
    if (difference->low <= 1 && difference->high >= 1)
        printf("  which may be chance\n");
    tell_inlined(result);
    if (!difference->disagree)
        return;
    puts(
        worth_by_traffic(&result->processes[0])
            ? "  but the directions disagree: the processes do different work"
            : "  but the functions disagree: the processes do different work, or code was inlined");
    size_t count; /* of functions, since a counter agrees with itself */
    const struct an_work_function *functions = an_work_functions(result->processes[0].work, &count);
    for (size_t i = 0; i < count; i++)
        if (difference->shares[i].use == AN_WORK_USED)
            printf("      %-36s %+.2f%%, +-%.2f%%\n", as_plain(functions[i].name),
                   100 * (difference->shares[i].ratio - 1), 100 * difference->shares[i].half_width);
}

/* One line for scripts. */
static void tell_figure(const struct worth_result *result)
{
    const struct an_work_estimate *figure =
        result->count == WORTH_PROCESSES ? &result->difference : &result->processes[0].estimate;
    if (figure->is_known)
        printf("%.6g %.6g %.6g\n", figure->value, figure->low, figure->high);
}

void worth_tell(const struct worth_request *request, const struct worth_result *result)
{
    if (request->quiet) {
        tell_figure(result);
        return;
    }
    for (size_t i = 0; i < result->count; i++)
        tell_process(&result->processes[i], result->duty);
    if (result->count == WORTH_PROCESSES)
        tell_difference(result);
}

/* ---- JSON ---- */

/* NULL, which is null, when it is not known. */
static struct json_object *estimate_json(const struct an_work_estimate *estimate, const char *name)
{
    if (!estimate->is_known)
        return NULL;
    struct json_object *object = json_object_new_object();
    json_add_real(object, name, estimate->value);
    json_add_real(object, "low", estimate->low);
    json_add_real(object, "high", estimate->high);
    return object;
}

static struct json_object *function_json(const struct an_work_function *function,
                                         const struct worth_process *process, size_t i)
{
    struct json_object *object = json_object_new_object();
    const struct an_work_share *share = &process->estimate.shares[i];
    json_object_object_add(object, "name", json_text(function->name, strlen(function->name)));
    json_add_number(object, "address", function->address);
    json_add_number(object, "places", function->entries);
    json_add_number(object, "entries", process->total.entries[i]);
    json_add_real(object, "rate", share->rate);
    json_object_object_add(object, "use", json_object_new_string(an_work_use_name(share->use)));
    json_add_real(object, "weight", share->weight);
    return object;
}

static void add_functions(struct json_object *object, const struct worth_process *process,
                          double duty)
{
    struct json_object *list = json_object_new_array();
    size_t count;
    const struct an_work_function *functions = an_work_functions(process->work, &count);
    json_add_number(object, "threads", an_work_threads(process->work));
    json_add_real(object, "counting_share", cost_of(process, duty));
    json_object_object_add(object, "counts_by",
                           json_object_new_string(work_clocks[an_work_counts_by(process->work)]));
    for (size_t i = 0; i < count; i++)
        json_object_array_add(list, function_json(&functions[i], process, i));
    json_object_object_add(object, "functions", list);
}

static void add_counter(struct json_object *object, const struct worth_process *process)
{
    json_add_number(object, "counted", process->total.entries[0]);
    json_add_flag(object, "steps", moves_in_steps(&process->moves));
}

static struct json_object *process_json(const struct worth_process *process, double duty)
{
    struct json_object *object = json_object_new_object(), *over_time = json_object_new_array(),
                       *work = estimate_json(&process->estimate, "rate");
    json_add_number(object, "pid", (uint64_t)process->pid);
    json_object_object_add(object, "name", json_text(process->name, strlen(process->name)));
    json_add_flag(object, "ended", process->is_over);
    json_add_real(object, "seconds", seconds(process->total.wall));
    json_add_real(object, "cpu_seconds", seconds(process->total.cpu));
    if (process->work)
        add_functions(object, process, duty);
    else
        add_counter(object, process);
    if (work) {
        json_add_real(work, "drift", process->estimate.drift);
        json_add_flag(work, "drifts", process->estimate.drifts);
    }
    json_object_object_add(object, "work", work);
    for (size_t k = 0; process->estimate.is_known && k < process->slices.count; k++)
        json_object_array_add(over_time, json_object_new_double(an_work_at(
                                             &process->estimate, &process->slices.items[k])));
    json_object_object_add(object, "over_time", over_time);
    return object;
}

static struct json_object *difference_json(const struct worth_result *result)
{
    struct json_object *object = estimate_json(&result->difference, "ratio");
    if (object)
        json_add_flag(object, "disagree", result->difference.disagree);
    return object;
}

void worth_tell_json(const struct worth_request *request, const struct worth_result *result)
{
    struct json_object *document = json_document(), *list = json_object_new_array();
    json_add_real(document, "interval", request->interval);
    json_add_flag(document, "interrupted", result->is_interrupted);
    if (result->processes[0].work) {
        json_add_real(document, "duty", result->duty);
        json_add_real(document, "entry_cost_us", an_work_cost(result->processes[0].work) * 1e6);
    }
    for (size_t i = 0; i < result->count; i++)
        json_object_array_add(list, process_json(&result->processes[i], result->duty));
    json_object_object_add(document, "processes", list);
    if (result->count == WORTH_PROCESSES)
        json_object_object_add(document, "difference", difference_json(result));
    json_print(stdout, document);
}
