/* What a recording tells of itself: while it lasts, and in the end, for people and as JSON. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/percent.h"
#include "cli/core/output.h"
#include "record.h"

static double share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* ---- while it lasts ---- */

void record_progress(void *context, const struct an_record_counts *counts)
{
    const struct record_request *request = context;
    double duration = request->options.duration;
    char words[200];
    snprintf(words, sizeof words, "%.0f s, %s branches, held for %.2f%%", counts->seconds,
             with_commas(counts->branches), share(counts->stopped_seconds, counts->run_seconds));
    progress_tell(duration > 0 ? counts->seconds / duration : -1, words);
}

/* ---- as JSON ---- */

static struct json_object *ends_as_json(const struct an_record_counts *counts)
{
    struct json_object *ends = json_object_new_object();
    for (size_t i = 0; i < counts->end_count; i++)
        json_add_number(ends, counts->ends[i].why, counts->ends[i].count);
    return ends;
}

/* Of all CPU time of such processes on all hosts, if they are like this one: what recording takes, in percent. */
static double fleet_share(const struct record_request *request,
                          const struct an_record_counts *counts)
{
    return request->fleet_rate *
           share(counts->stopped_seconds + counts->own_seconds, counts->run_seconds);
}

static struct json_object *as_json(const struct record_request *request,
                                   const struct an_record_counts *counts)
{
    const char *output = request->options.output;
    struct json_object *object = json_document();
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"samples", counts->samples},
        {"windows", counts->windows},
        {"branches", counts->branches},
        {"lost", counts->lost},
        {"stops", counts->stops},
        {"in_kernel", counts->in_kernel},
        {"queued", counts->queued},
        {"without_clock", counts->without_alarm},
        {"short_windows", counts->short_ones},
        {"threads", counts->threads},
        {"processes", counts->processes},
        {"compared", counts->compared},
        {"agreed", counts->agreed},
        {"hot_bytes", counts->hot_bytes},
    };
    const struct {
        const char *name;
        double value;
    } times[] = {
        {"density", counts->density},
        {"seconds", counts->seconds},
        {"run_seconds", counts->run_seconds},
        {"stopped_seconds", counts->stopped_seconds},
        {"own_seconds", counts->own_seconds},
        {"longest_stop", counts->longest_stop},
        {"overhead", share(counts->stopped_seconds, counts->run_seconds) / 100},
    };
    json_object_object_add(object, "recording", json_text(output, strlen(output)));
    json_object_object_add(object, "method",
                           json_object_new_string(an_record_method_name(counts->method)));
    if (counts->method != AN_RECORD_LBR)
        json_object_object_add(object, "moments",
                               json_object_new_string(counts->outside ? "outside" : "clock"));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_add_number(object, numbers[i].name, numbers[i].value);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        json_add_real(object, times[i].name, times[i].value);
    json_add_real(object, "seconds_more", an_record_seconds_more(counts));
    json_object_object_add(object, "ends", ends_as_json(counts));
    if (request->fleet_rate) {
        json_add_real(object, "fleet_rate", request->fleet_rate);
        json_add_real(object, "fleet_overhead", fleet_share(request, counts) / 100);
    }
    return object;
}

static bool write_account(const struct record_request *request,
                          const struct an_record_counts *counts)
{
    struct json_object *object = as_json(request, counts);
    if (!redirect_start(request->account)) {
        json_object_put(object);
        return false;
    }
    return redirect_finish(json_print(stdout, object));
}

/*
 * The standard output is left to what else goes there: the recording, or what a command prints. Scripts that run
 * a command name a file with --ledger, which has nothing else in it.
 */
static void print_json(const struct record_request *request, const struct an_record_counts *counts)
{
    bool is_taken = request->command || strcmp(request->options.output, "-") == 0;
    json_print(is_taken ? stderr : stdout, as_json(request, counts));
}

/* ---- for people ---- */

static void tell_ends(const struct an_record_counts *counts)
{
    enum { SHOWN = 5 };
    char text[256] = "";
    size_t length = 0;
    for (size_t i = 0; i < counts->end_count && i < SHOWN; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s %s (%s)", i ? "," : "",
                                   counts->ends[i].why, with_commas(counts->ends[i].count));
    if (counts->end_count)
        say("windows ended early at%s%s", text, counts->end_count > SHOWN ? ", and others" : "");
}

static void tell_cost(const struct an_record_counts *counts)
{
    say("threads were held for %.2f%% of %.1f s of CPU time, at most %.1f ms at a time; anneal "
        "itself took another %.2f%%",
        share(counts->stopped_seconds, counts->run_seconds), counts->run_seconds,
        1000 * counts->longest_stop, share(counts->own_seconds, counts->run_seconds));
}

static void tell_moments(const struct record_request *request,
                         const struct an_record_counts *counts)
{
    if (counts->intruded)
        say("threads begin, or signals come, so often that moments were chosen from outside");
    else if (counts->outside && !request->options.outside)
        say_warning("perf events are refused, so code between system calls was seen too rarely "
                    "('anneal doctor' shows the remedy)");
    if (counts->without_alarm)
        say_warning(
            "%s thread%s not recorded, since the kernel refused a perf event for %s (ulimit "
            "-n?)",
            with_commas(counts->without_alarm), counts->without_alarm == 1 ? " was" : "s were",
            counts->without_alarm == 1 ? "it" : "each");
}

/* "0.31 branches for each byte of hot code (412 KB): enough for llvm-bolt with 68 s more" */
static void tell_density(const struct an_record_counts *counts)
{
    double more = an_record_seconds_more(counts);
    char enough[64] = "enough for llvm-bolt";
    if (counts->density <= 0)
        return;
    if (more > 0)
        snprintf(enough, sizeof enough, "enough for llvm-bolt with about %s s more",
                 with_commas((uint64_t)more + 1));
    say("%.*f branches for each byte of hot code (%s KB): %s", counts->density < 10 ? 2 : 0,
        counts->density, with_commas((counts->hot_bytes + 1023) / 1024), enough);
}

static void tell_windows(const struct record_request *request,
                         const struct an_record_counts *counts)
{
    tell_cost(counts);
    tell_moments(request, counts);
    tell_ends(counts);
    if (counts->compared)
        say("emulation predicted the branches of %s of %s windows (%.2f%%)",
            with_commas(counts->agreed), with_commas(counts->compared),
            an_percent(counts->agreed, counts->compared, 2));
}

static void tell(const struct record_request *request, const struct an_record_counts *counts)
{
    bool by_processor = counts->method == AN_RECORD_LBR;
    say("%s branches in %s %s of %s thread%s, in %.1f s (%s)", with_commas(counts->branches),
        with_commas(by_processor ? counts->samples : counts->windows),
        by_processor ? "samples" : "windows", with_commas(counts->threads), plural(counts->threads),
        counts->seconds, an_record_method_name(counts->method));
    tell_density(counts);
    if (counts->method != AN_RECORD_LBR)
        tell_windows(request, counts);
    if (request->fleet_rate)
        say("%.4g%% of the hosts record at a time: %.3g%% of the CPU time of the fleet, if the "
            "others "
            "are like this one",
            100 * request->fleet_rate, fleet_share(request, counts));
    if (counts->lost)
        say_warning("the kernel lost %s samples: use a lower frequency (-F)",
                    with_commas(counts->lost));
    if (counts->samples && strcmp(request->options.output, "-") != 0)
        say("wrote %s; next: anneal aggregate -p %s -o PROFILE BINARY", request->options.output,
            request->options.output);
}

bool record_tell(const struct record_request *request, const struct an_record_counts *counts)
{
    bool written = !request->account || write_account(request, counts);
    if (request->json)
        print_json(request, counts);
    else if (!request->quiet)
        tell(request, counts);
    return written;
}
