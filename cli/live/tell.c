/* Telling what anneal live does and has done, for people and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "base/percent.h"
#include "cli/core/output.h"
#include "live.h"

void live_tell_profile(const struct live_request *request, const struct an_live_profile *profile)
{
    const struct an_record_counts *record = &profile->record;
    if (request->quiet)
        return;
    say("recorded %s branch%s in %.1f s (%s, threads held for %.2f%% of their run time)",
        with_commas(record->branches), record->branches == 1 ? "" : "es", record->seconds,
        an_record_method_name(record->method),
        record->run_seconds > 0 ? 100 * record->stopped_seconds / record->run_seconds : 0);
    if (profile->in_generations)
        say("%.1f%% of them in new code; %s records of the original",
            an_percent(profile->in_generations, profile->branches, 1),
            with_commas(profile->records));
}

void live_tell_drift(const struct live_request *request, double overlap, bool is_far)
{
    if (!request->quiet)
        say("%.0f%% of the profile is unchanged%s", an_percent_of_ratio(overlap, 0),
            is_far ? ": another round" : "");
}

enum { MOST_NAME = 256 };

static void name_probe(const struct an_live_usdt *probe, char *name, size_t size)
{
    snprintf(name, size, "%s:%s", probe->provider, probe->name);
}

/* Some of them by name. */
static void tell_probes(const struct an_live_round *round)
{
    enum { MOST = 8 };
    char name[MOST_NAME];
    if (round->usdt_count)
        printf("  USDT probes in moved code%9zu  (tracers miss calls of the new code)\n",
               round->usdt_count);
    for (size_t i = 0; i < round->usdt_count && i < MOST; i++) {
        name_probe(&round->usdt[i], name, sizeof name);
        printf("      %s\n", as_plain(name));
    }
    if (round->usdt_count > MOST)
        printf("      and %zu more (--json has all)\n", round->usdt_count - MOST);
}

static uint64_t withheld(const struct an_live_round *round)
{
    uint64_t count = 0;
    for (size_t i = 0; i < round->withheld_count; i++)
        count += round->withheld[i].count;
    return count;
}

static struct json_object *text_json(const char *name)
{
    return json_text(name, strlen(name));
}

static struct json_object *left_out_json(const struct an_live_round *round)
{
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; i < round->left_out_count; i++)
        json_object_array_add(list, text_json(round->left_out[i]));
    return list;
}

static struct json_object *unmoved_json(const struct an_live_round *round)
{
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; i < round->unmoved_count; i++) {
        const struct an_live_unmoved *unmoved = &round->unmoved[i];
        struct json_object *object = json_object_new_object();
        json_object_object_add(object, "name", text_json(unmoved->name));
        json_object_object_add(object, "by",
                               json_object_new_string(unmoved->is_refused ? "llvm-bolt" : "data"));
        json_add_real(object, "share", unmoved->share);
        json_object_array_add(list, object);
    }
    return list;
}

/* `object`: a document of its own, or a part of one. */
static struct json_object *round_json(struct json_object *object,
                                      const struct live_request *request, unsigned number,
                                      const struct an_live_round *round)
{
    struct json_object *patches = json_object_new_object(), *reasons = json_object_new_object();
    struct json_object *probes = json_object_new_array();
    char name[MOST_NAME];
    json_add_number(object, "round", number);
    json_add_number(object, "generation", round->number);
    json_add_number(object, "functions", round->functions);
    json_add_number(object, "skipped", round->skipped);
    json_object_object_add(object, "left_out", left_out_json(round));
    json_object_object_add(object, "unmoved", unmoved_json(round));
    json_add_number(object, "bytes", round->bytes);
    json_add_number(object, "address", round->address);
    json_add_number(patches, "entries", round->entries);
    json_add_number(patches, "calls", round->calls);
    json_add_number(patches, "vtable_words", round->vtable_words);
    json_add_number(patches, "blocks", round->blocks);
    json_object_object_add(object, "patches", patches);
    for (size_t i = 0; i < round->withheld_count; i++)
        json_add_number(reasons, round->withheld[i].reason, round->withheld[i].count);
    json_object_object_add(object, "withheld", reasons);
    for (size_t i = 0; i < round->usdt_count; i++) {
        name_probe(&round->usdt[i], name, sizeof name);
        json_object_array_add(probes, json_text(name, strlen(name)));
    }
    json_object_object_add(object, "usdt_in_moved_code", probes);
    json_add_number(object, "operands_mended", round->operands);
    json_add_number(object, "places_written", round->places);
    json_add_number(object, "pages_written", round->pages);
    json_add_number(object, "threads", round->threads);
    json_add_number(object, "stops", round->stops);
    json_add_number(object, "unwinders", round->unwinders);
    json_add_flag(object, "frames_registered", round->is_registered);
    json_add_number(object, "released", round->released);
    json_add_number(object, "held_by_probes", round->held_by_probes);
    json_add_number(object, "mapped_bytes", round->mapped_bytes);
    json_add_real(object, "pause_ms", round->pause * 1000);
    json_object_object_add(
        object, "bolt", request->bolt[0] ? json_object_new_string(as_plain(request->bolt)) : NULL);
    json_add_real(object, "bolt_seconds", round->bolt_seconds);
    return object;
}

static void tell_held(const struct an_live_round *round)
{
    if (round->held_by_probes)
        printf("  %u older layout%s stay%s mapped until functions return whose return is probed "
               "(uretprobes)\n",
               round->held_by_probes, plural(round->held_by_probes),
               round->held_by_probes == 1 ? "s" : "");
}

/* Those with the largest shares, by name */
static void tell_unmoved(const struct an_live_round *round)
{
    enum { SOME = 5 };
    double share = 0;
    for (size_t i = 0; i < round->unmoved_count; i++)
        share += round->unmoved[i].share;
    if (round->unmoved_count == 0)
        return;
    printf("  cannot be moved          %9.1f%%  of the profile\n", 100 * share);
    for (size_t i = 0; i < round->unmoved_count && i < SOME; i++)
        printf("      %-30s %.1f%%%s\n", as_plain(round->unmoved[i].name),
               100 * round->unmoved[i].share,
               round->unmoved[i].is_refused ? ", refused by llvm-bolt" : "");
    if (round->unmoved_count > SOME)
        printf("      and %zu more (--json has all)\n", round->unmoved_count - SOME);
}

/* Some of the functions, by name */
static void tell_left_out(const struct an_live_round *round)
{
    enum { SOME = 3 };
    if (round->left_out_count == 0)
        return;
    printf("  left out                 %10s  (the program names places within them:",
           with_commas(round->left_out_count));
    for (size_t i = 0; i < round->left_out_count && i < SOME; i++)
        printf("%s %s", i ? "," : "", as_plain(round->left_out[i]));
    printf("%s)\n", round->left_out_count > SOME ? ", ..." : "");
}

/* ---- stops ---- */

static void stops_json(struct json_object *to, const char *name, const struct an_live_stops *stops)
{
    struct json_object *object = json_object_new_object();
    json_add_number(object, "count", stops->count);
    json_add_real(object, "sum_ms", stops->sum * 1000);
    json_add_real(object, "longest_ms", stops->longest * 1000);
    json_object_object_add(to, name, object);
}

static void add_stops(struct json_object *to, const struct live_stops *stops)
{
    struct json_object *object = json_object_new_object();
    stops_json(object, "recording", &stops->recording);
    stops_json(object, "change", &stops->change);
    stops_json(object, "turns", &stops->turns);
    stops_json(object, "back", &stops->back);
    stops_json(object, "calls", &stops->calls);
    json_object_object_add(to, "stopped", object);
}

static void tell_stopped(const char *by, const struct an_live_stops *stops, const char *whom)
{
    if (stops->count)
        printf("  stops: %-17s %10s  of %s, %.1f ms in all, the longest %.2f ms\n", by,
               with_commas(stops->count), whom, stops->sum * 1000, stops->longest * 1000);
}

static void tell_stops(const struct live_stops *stops)
{
    tell_stopped("recording", &stops->recording, "one thread");
    tell_stopped("change", &stops->change, "all threads");
    tell_stopped("turns", &stops->turns, "all threads");
    tell_stopped("in the end", &stops->back, "all threads");
    tell_stopped("calls for anneal", &stops->calls, "one thread");
}

/* ---- what it is worth ---- */

/* A ratio as a change in percent. */
static double change(double ratio)
{
    return 100 * (ratio - 1);
}

/* "+6.0% work per CPU second (95%: +5.6% to +6.4%)", or that there is no difference within so much. */
static void word_ratio(const struct an_work_estimate *ratio, char *text, size_t size)
{
    if (!ratio->is_known)
        snprintf(text, size, "not known");
    else if (ratio->low <= 1 && ratio->high >= 1)
        snprintf(text, size, "no difference seen within +-%.1f%%",
                 fmax(change(ratio->high), -change(ratio->low)) + 0.05);
    else
        snprintf(text, size, "%+.1f%% work per CPU second (95%%: %+.1f%% to %+.1f%%)",
                 change(ratio->value), change(ratio->low), change(ratio->high));
}

/* Some names of C++ are longer than a line. */
static void tell_function(const char *name, bool is_next)
{
    enum { LONGEST = 60 };
    const char *plain = as_plain(name);
    bool is_long = strlen(plain) > LONGEST;
    printf("%s%.*s%s", is_next ? ", " : "", LONGEST, plain, is_long ? "..." : "");
}

void live_tell_turns(const struct live_verdict *verdict)
{
    const struct an_worth_crossover *found = &verdict->found;
    char text[160];
    if (!verdict->is_known) {
        printf("  worth                    not known: too little work in %.1f s\n",
               verdict->seconds);
        return;
    }
    word_ratio(&found->gain, text, sizeof text);
    printf("  beside the original      %s\n", text);
    if (found->has_before) {
        word_ratio(&found->step, text, sizeof text);
        printf("  beside the layout before %s\n", text);
    }
    printf("  measured by              %s", verdict->by_traffic        ? ""
                                            : verdict->functions.count ? "entries of "
                                                                       : "the counter");
    for (size_t i = 0; i < verdict->functions.count; i++)
        tell_function(verdict->functions.items[i], i > 0);
    printf(", in %.1f s and %u switches\n", verdict->seconds, verdict->turns);
}

static void tell_samples(const struct live_verdict *verdict)
{
    const struct an_work_estimate *cost = &verdict->worth.cost;
    if (verdict->is_known)
        printf("  time in moved functions  %+9.1f%%, to that in all others (by samples, 95%%: "
               "%+.1f%% to %+.1f%%)\n",
               change(cost->value), change(cost->low), change(cost->high));
    else
        puts("  worth                    not known: too few samples");
}

void live_decision(const struct live_request *request, const struct live_verdict *verdict,
                   struct an_worth_decision *decision)
{
    bool by_samples = strcmp(verdict->unit, "samples") == 0;
    *decision = (struct an_worth_decision){
        .is_measured = verdict->is_measured,
        .is_known = verdict->is_known,
        .by_samples = by_samples,
        .gain = by_samples ? verdict->worth.cost : verdict->found.gain,
        .step = verdict->found.step,
        .outcome = verdict->outcome,
        .is_refused = verdict->choice != AN_WORTH_NEW,
        .is_taken_back = verdict->is_taken_back,
        .is_asked = request->keep_anyway,
        .instead = verdict->instead,
    };
}

static void tell_verdict(const struct live_request *request, const struct live_verdict *verdict)
{
    struct an_worth_decision decision;
    char text[400];
    if (*verdict->why)
        printf("  work cannot be counted: %s\n", as_plain(verdict->why));
    if (strcmp(verdict->unit, "samples") == 0)
        tell_samples(verdict);
    else if (strcmp(verdict->unit, "none") != 0)
        live_tell_turns(verdict);
    live_decision(request, verdict, &decision);
    an_worth_explain(&decision, text, sizeof text);
    printf("  %s\n", text);
}

static struct json_object *ratio_json(const struct an_work_estimate *ratio)
{
    struct json_object *object = json_object_new_object();
    json_add_real(object, "value", ratio->value);
    json_add_real(object, "low", ratio->low);
    json_add_real(object, "high", ratio->high);
    return object;
}

void live_add_turns(struct json_object *object, const struct live_verdict *verdict)
{
    const struct an_worth_crossover *found = &verdict->found;
    struct json_object *functions = json_object_new_array();
    for (size_t i = 0; i < verdict->functions.count; i++)
        json_object_array_add(functions, text_json(verdict->functions.items[i]));
    json_object_object_add(object, "counted", functions);
    json_add_number(object, "switches", verdict->turns);
    json_add_real(object, "worth_seconds", verdict->seconds);
    json_object_object_add(object, "gain", ratio_json(&found->gain));
    if (found->has_before && found->before_gain.is_known)
        json_object_object_add(object, "gain_before", ratio_json(&found->before_gain));
    if (found->has_before && found->step.is_known)
        json_object_object_add(object, "gain_on_before", ratio_json(&found->step));
}

static void add_samples(struct json_object *object, const struct live_verdict *verdict)
{
    json_add_real(object, "odds_before", verdict->before);
    json_add_real(object, "odds_after", verdict->after);
    json_object_object_add(object, "odds_ratio", ratio_json(&verdict->worth.cost));
}

/* The sentence, and what it says. */
static void add_decision(struct json_object *to, const struct live_request *request,
                         const struct live_verdict *verdict)
{
    struct json_object *object = json_object_new_object();
    struct an_worth_decision decision;
    char text[400];
    live_decision(request, verdict, &decision);
    an_worth_explain(&decision, text, sizeof text);
    enum an_worth_rule rule = an_worth_rule_of(&decision);
    json_add_flag(object, "kept", !decision.is_taken_back);
    json_object_object_add(object, "rule", json_object_new_string(an_worth_rule_name(rule)));
    json_add_flag(object, "asked", decision.is_asked);
    json_object_object_add(object, "ratio",
                           rule == AN_RULE_NOT_KNOWN ? NULL
                                                     : ratio_json(an_worth_deciding(&decision)));
    json_object_object_add(object, "sentence", json_object_new_string(text));
    json_object_object_add(to, "decision", object);
}

static void add_verdict(struct json_object *object, const struct live_request *request,
                        const struct live_verdict *verdict)
{
    if (!request->options.dry_run)
        add_decision(object, request, verdict);
    json_object_object_add(object, "unit", json_object_new_string(verdict->unit));
    if (*verdict->why)
        json_object_object_add(object, "why", text_json(verdict->why));
    if (!verdict->is_known)
        return;
    if (strcmp(verdict->unit, "samples") == 0)
        add_samples(object, verdict);
    else
        live_add_turns(object, verdict);
    json_object_object_add(object, "outcome",
                           json_object_new_string(an_worth_name(verdict->outcome)));
    json_add_flag(object, "worse", verdict->choice != AN_WORTH_NEW);
    json_add_flag(object, "kept", !verdict->is_taken_back);
    if (verdict->is_taken_back)
        json_add_number(object, "instead", verdict->instead);
}

/* At once, for whoever follows. */
static void print_line(struct json_object *object)
{
    puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
    fflush(stdout);
}

void live_tell_round(const struct live_request *request, unsigned number,
                     const struct an_live_round *round, const struct live_verdict *verdict,
                     struct json_object *list)
{
    struct json_object *object =
        round_json(list ? json_object_new_object() : json_document(), request, number, round);
    add_stops(object, &request->stops);
    add_verdict(object, request, verdict);
    if (list)
        json_object_array_add(list, object);
    else if (request->json)
        print_line(object);
    if (!list)
        json_object_put(object);
    if (request->quiet || request->json)
        return;
    printf("round %u%s\n", number,
           request->options.dry_run ? " (dry run: nothing was changed)" : "");
    printf("  functions with new code  %10s  (%s at 0x%llx; llvm-bolt%s%s took %.1f s)\n",
           with_commas(round->functions), as_size(round->bytes), (unsigned long long)round->address,
           request->bolt[0] ? " " : "", as_plain(request->bolt), round->bolt_seconds);
    if (round->skipped)
        printf("  not movable by llvm-bolt %10s\n", with_commas(round->skipped));
    tell_left_out(round);
    tell_unmoved(round);
    printf("  patches: entries         %10s\n", with_commas(round->entries));
    printf("           calls           %10s\n", with_commas(round->calls));
    printf("           vtable words    %10s\n", with_commas(round->vtable_words));
    printf("           blocks          %10s\n", with_commas(round->blocks));
    printf("  withheld                 %10s\n", with_commas(withheld(round)));
    for (size_t i = 0; i < round->withheld_count; i++)
        if (round->withheld[i].count)
            printf("      %-30s %s\n", round->withheld[i].reason,
                   with_commas(round->withheld[i].count));
    tell_probes(round);
    if (request->options.dry_run) {
        tell_stops(&request->stops);
        return;
    }
    printf("  written                  %10s  places on %s pages\n", with_commas(round->places),
           with_commas(round->pages));
    printf("  pause                    %7.1f ms  (%s thread%s, %u stop%s)\n", round->pause * 1000,
           with_commas(round->threads), plural(round->threads), round->stops, plural(round->stops));
    printf("  new code in total        %10s  (%u older layout%s released)\n",
           as_size(round->mapped_bytes), round->released, plural(round->released));
    tell_held(round);
    tell_stops(&request->stops);
    tell_verdict(request, verdict);
    fflush(stdout);
}

void live_tell_check(const struct live_request *request, unsigned number,
                     const struct an_work_estimate *change, const struct live_verdict *verdict)
{
    if (request->json) {
        struct json_object *object = json_document();
        json_add_number(object, "checked", number);
        json_object_object_add(object, "change", ratio_json(change));
        add_stops(object, &request->stops);
        add_verdict(object, request, verdict);
        print_line(object);
        json_object_put(object);
    } else if (!request->quiet) {
        char text[160];
        word_ratio(change, text, sizeof text);
        printf("layout %u, checked\n", number);
        printf("  beside its first time    %s\n", text);
        tell_stops(&request->stops);
        tell_verdict(request, verdict);
        fflush(stdout);
    }
}

void live_tell_revert(const struct live_request *request, const struct an_live_round *round)
{
    const struct live_stops stops = {.back = round->stopped, .calls = round->called};
    if (request->json) {
        struct json_object *object = round_json(json_document(), request, 0, round);
        add_stops(object, &stops);
        json_print(stdout, object);
    } else if (!request->quiet && round->stops == 0) {
        printf("process %d runs its original code: nothing to revert\n", request->options.pid);
    } else if (!request->quiet) {
        printf("process %d runs its original code again: %s places written, a pause of %.1f ms\n",
               request->options.pid, with_commas(round->places), round->pause * 1000);
        if (round->mapped_bytes)
            printf("%s of new code stay mapped, because threads will return there; run --revert "
                   "again later to release them\n",
                   as_size(round->mapped_bytes));
        tell_stops(&stops);
        tell_held(round);
    }
}

static void status_json(const struct live_request *request, struct an_live *live,
                        const struct an_live_generation *generations, size_t count)
{
    struct json_object *object = json_document(), *list = json_object_new_array();
    unsigned in_force = 0;
    json_object_object_add(object, "pid", json_object_new_int(request->options.pid));
    json_object_object_add(object, "binary", text_json(an_live_binary(live)));
    for (size_t i = 0; i < count; i++) {
        struct json_object *entry = json_object_new_object();
        json_add_number(entry, "round", generations[i].number);
        json_object_object_add(entry, "file", text_json(generations[i].file));
        json_add_number(entry, "address", generations[i].address);
        json_add_number(entry, "size", generations[i].size);
        json_add_number(entry, "functions", generations[i].functions);
        json_object_array_add(list, entry);
        in_force = generations[i].is_in_force ? generations[i].number : in_force;
    }
    json_object_object_add(object, "rounds", list);
    json_add_number(object, "in_force", in_force);
    json_print(stdout, object);
}

void live_tell_status(const struct live_request *request, struct an_live *live)
{
    size_t count;
    const struct an_live_generation *generations = an_live_generations(live, &count);
    if (request->json) {
        status_json(request, live, generations, count);
        return;
    }
    printf("process %d, %s\n", request->options.pid, as_plain(an_live_binary(live)));
    if (count == 0)
        printf("  original code; no other layout is mapped\n");
    for (size_t i = 0; i < count; i++)
        printf("  layout %u: %s functions, %s at 0x%llx, %s\n      %s\n", generations[i].number,
               with_commas(generations[i].functions), as_size(generations[i].size),
               (unsigned long long)generations[i].address,
               generations[i].is_in_force ? "in force" : "older: threads may still return there",
               as_plain(generations[i].file));
}

int live_failed(const struct an_error *error)
{
    progress_clear();
    report_error(error);
    return EXIT_FAILED;
}
