/* A round of anneal live: a profile, a layout for it, and whether that stays. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/file.h"
#include "cli/core/output.h"
#include "cli/core/tracer.h"
#include "live.h"

unsigned live_in_force(struct an_live *live)
{
    size_t count;
    const struct an_live_generation *generations = an_live_generations(live, &count);
    for (size_t i = 0; i < count; i++)
        if (generations[i].is_in_force)
            return generations[i].number;
    return 0;
}

void live_name_force(struct an_live *live, char *path, size_t size)
{
    snprintf(path, size, "%s/force.fdata", an_live_folder(live));
}

void live_name_rejected(struct an_live *live, char *path, size_t size)
{
    snprintf(path, size, "%s/rejected.fdata", an_live_folder(live));
}

/* By so few branches, llvm-bolt would tear hot code apart as often as it joins it. */
static enum an_code check_density(const struct live_request *request,
                                  const struct an_record_counts *counts, struct an_error *error)
{
    const double margin = 1.2;
    double more = an_record_seconds_more(counts);
    if (more <= 0 || request->thin)
        return AN_OK;
    an_fail(error, AN_EMPTY,
            "too thin to lay out by: %.2f branches for each byte of hot code (%s KB) in %.0f s, "
            "where llvm-bolt needs %.0f",
            counts->density, with_commas((counts->hot_bytes + 1023) / 1024), counts->seconds,
            AN_RECORD_DENSE);
    return an_error_hint(
        error,
        "record while the process is busy, or for longer (about --duration=%.0fs), "
        "or raise --overhead; --thin goes on all the same",
        ceil(margin * (counts->seconds + more)));
}

/* The profile to lay out for: the one given, or a new recording; its path in `path`. */
static enum an_code take_profile(const struct live_judge *judge, char *path, size_t size,
                                 struct an_error *error)
{
    const struct live_request *request = judge->request;
    struct an_live_profile profile;
    if (request->profile) {
        snprintf(path, size, "%s", request->profile);
        return AN_OK;
    }
    snprintf(path, size, "%s/profile.fdata", an_live_folder(judge->live));
    if (!request->quiet)
        progress_step("recording");
    enum an_code code =
        an_live_record(judge->live, &request->record, judge->before_file, path, &profile, error);
    progress_clear();
    live_add_held(&judge->request->stops.recording, &profile.record);
    if (code == AN_OK)
        live_tell_profile(request, &profile);
    return code == AN_OK ? check_density(request, &profile.record, error) : code;
}

/* A recording is moved, a profile that was given is copied. The original code has none. */
static enum an_code keep_profile(const struct live_judge *judge, const char *path,
                                 const struct live_verdict *verdict, struct an_error *error)
{
    char kept[4200];
    live_name_force(judge->live, kept, sizeof kept);
    if (verdict->is_taken_back && verdict->instead == 0)
        unlink(kept);
    if (verdict->is_taken_back)
        live_name_rejected(judge->live, kept, sizeof kept);
    if (!judge->request->profile)
        return rename(path, kept) == 0 ? AN_OK : an_fail_errno(error, kept, "renaming");
    struct an_file file = {.capacity = 0};
    enum an_code code = an_file_load(&file, path, error);
    if (code == AN_OK)
        code = an_file_replace(kept, file.bytes, error);
    an_file_close(&file);
    return code;
}

enum an_code live_settle(const struct live_judge *judge, unsigned number,
                         struct live_verdict *verdict, struct an_live_round *last,
                         struct an_error *error)
{
    enum an_code code = AN_OK;
    unsigned wanted = number;
    if (!judge->request->keep_anyway && verdict->choice != AN_WORTH_NEW) {
        wanted = verdict->choice == AN_WORTH_BEFORE ? judge->before : 0;
        verdict->is_taken_back = true;
        verdict->instead = wanted;
    }
    if (wanted != verdict->in_force || verdict->turns)
        code = an_live_switch(judge->live, wanted, last, error);
    else
        last->stopped = last->called = (struct an_live_stops){0};
    if (code == AN_OK)
        an_live_release(judge->live, last);
    live_add_round(&judge->request->stops, &judge->request->stops.back, last);
    return code;
}

/* The round is told how much is left of the other layouts. */
static enum an_code settle(const struct live_judge *judge, struct an_live_round *round,
                           struct live_verdict *verdict, struct an_error *error)
{
    struct an_live_round last = *round;
    enum an_code code = live_settle(judge, round->number, verdict, &last, error);
    if (code != AN_OK)
        return code;
    round->released = last.released;
    round->held_by_probes = last.held_by_probes;
    round->mapped_bytes = last.mapped_bytes;
    return AN_OK;
}

static enum an_code judge(const struct live_judge *judge, struct an_live_round *round,
                          struct live_verdict *verdict, struct an_error *error)
{
    struct an_error later;
    enum an_code code = live_judge_after(judge, round->number, verdict, error);
    if (!live_is_judged(judge->request))
        return code;
    enum an_code settled = settle(judge, round, verdict, code == AN_OK ? error : &later);
    return code == AN_OK ? settled : code;
}

void live_verdict_free(struct live_verdict *verdict)
{
    live_names_free(&verdict->functions);
}

enum an_code live_round(struct live_request *request, struct an_live *live, unsigned number,
                        struct json_object *list, bool *is_kept, struct an_error *error)
{
    struct live_verdict verdict = {.unit = "none"};
    struct live_judge measure = {.request = request, .live = live, .before = live_in_force(live)};
    struct an_live_round round;
    char path[4200];
    enum an_code code = request->options.dry_run ? AN_OK : an_live_try(live, error);
    if (code == AN_OK)
        code = live_judge_begin(&measure, error);
    if (code == AN_OK)
        code = take_profile(&measure, path, sizeof path, error);
    if (code == AN_OK)
        code = an_live_apply(live, path, &round, error);
    if (code == AN_OK)
        live_add_round(&request->stops, &request->stops.change, &round);
    progress_clear();
    if (code != AN_OK) {
        unlink(measure.before_file);
        return code;
    }
    if (!request->options.dry_run) {
        code = judge(&measure, &round, &verdict, error);
        if (code == AN_OK)
            code = keep_profile(&measure, path, &verdict, error);
    }
    *is_kept = !verdict.is_taken_back;
    progress_clear();
    live_tell_round(request, number, &round, &verdict, list);
    request->stops = (struct live_stops){0};
    live_verdict_free(&verdict);
    return code;
}
