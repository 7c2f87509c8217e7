/* Doing what anneal live is asked for: rounds, revert, status. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "base/file.h"
#include "live.h"
#include "output.h"
#include "worker.h"

int live_failed(const struct an_error *error)
{
    progress_clear();
    report_error(error);
    return EXIT_FAILED;
}

static void on_step(void *context, enum an_live_step step)
{
    const struct live_request *request = context;
    if (!request->takes_turns)
        progress_step(an_live_step_name(step));
}

static void on_record(void *context, const struct an_record_counts *counts)
{
    const struct live_request *request = context;
    progress_show(NULL, (size_t)(counts->seconds * 1000),
                  (size_t)(request->record.duration * 1000));
}

/* ---- a round ---- */

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

/* The profile to lay out for: the one given, or a new recording; its path in `path`. */
static enum an_code take_profile(struct live_judge *judge, char *path, size_t size,
                                 struct an_error *error)
{
    const struct live_request *request = judge->request;
    struct an_live_profile profile;
    if (request->profile) {
        snprintf(path, size, "%s", request->profile);
        return AN_OK;
    }
    snprintf(path, size, "%s/profile.fdata", an_live_folder(judge->live));
    enum an_code code =
        an_live_record(judge->live, &request->record, judge->before_file, path, &profile, error);
    progress_clear();
    if (code == AN_OK)
        live_tell_profile(request, &profile);
    return code;
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
    if (code == AN_OK)
        an_live_release(judge->live, last);
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
    enum an_code code = live_judge_begin(&measure, error);
    if (code == AN_OK)
        code = take_profile(&measure, path, sizeof path, error);
    if (code == AN_OK)
        code = an_live_apply(live, path, &round, error);
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
    live_verdict_free(&verdict);
    return code;
}

/* ---- the rest ---- */

static int do_rounds(struct live_request *request, struct an_live *live)
{
    struct json_object *object = json_document(), *list = json_object_new_array();
    struct an_error error;
    enum an_code code = AN_OK;
    bool goes_on = true;
    json_object_object_add(object, "pid", json_object_new_int(request->options.pid));
    json_object_object_add(object, "rounds", list);
    for (unsigned i = 0; code == AN_OK && goes_on && i < request->rounds && !worker_stop; i++)
        code = live_round(request, live, i + 1, list, &goes_on, &error);
    if (request->json)
        json_print(stdout, object);
    else
        json_object_put(object);
    return code == AN_OK ? EXIT_DONE : live_failed(&error);
}

static int do_revert(struct live_request *request, struct an_live *live)
{
    struct an_live_round round;
    struct an_error error;
    if (an_live_revert(live, &round, &error) != AN_OK)
        return live_failed(&error);
    progress_clear();
    live_tell_revert(request, &round);
    return EXIT_DONE;
}

int live_run(struct live_request *request)
{
    struct an_live *live;
    struct an_error error;
    int status;
    if (!request->quiet) {
        request->options.progress = on_step;
        request->record.progress = on_record;
    }
    request->mask = umask(S_IRWXG | S_IRWXO); /* code and profiles are not everybody's to read */
    request->options.look_only = request->status;
    request->options.keep_older = live_is_judged(request);
    request->options.context = request->record.context = request;
    if (an_live_open(&request->options, &live, &error) != AN_OK)
        return live_failed(&error);
    if (request->status) {
        live_tell_status(request, live);
        status = EXIT_DONE;
    } else if (request->revert) {
        status = do_revert(request, live);
    } else if (request->continuous) {
        status = live_watch(request, live);
    } else {
        status = do_rounds(request, live);
    }
    an_live_close(live);
    return status;
}
