/* Doing what anneal live is asked for: rounds, revert, status. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "live.h"
#include "output.h"
#include "worker.h"

static int failed(const struct an_error *error)
{
    progress_clear();
    report_error(error);
    return error->code == AN_USAGE && !worker_stop ? EXIT_USAGE : EXIT_FAILED;
}

static void on_step(void *context, enum an_live_step step)
{
    (void)context;
    progress_step(an_live_step_name(step));
}

static void on_record(void *context, const struct an_record_counts *counts)
{
    const struct live_request *request = context;
    progress_show(NULL, (size_t)(counts->seconds * 1000),
                  (size_t)(request->record.duration * 1000));
}

/* ---- a round ---- */

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

static bool is_original(struct an_live *live)
{
    size_t count;
    an_live_generations(live, &count);
    return count == 0;
}

/* Back to the original code, unless it is better than nothing known. */
static int judge(struct live_judge *judge, struct live_verdict *verdict)
{
    struct an_live_round round;
    struct an_error error;
    if (judge->request->options.dry_run || !live_judge_after(judge, verdict))
        return judge->request->options.dry_run ? EXIT_DONE : EXIT_FAILED;
    if (!verdict->is_worse || judge->request->keep_anyway)
        return EXIT_DONE;
    return an_live_revert(judge->live, &round, &error) == AN_OK ? EXIT_DONE : failed(&error);
}

static int do_round(struct live_request *request, struct an_live *live, unsigned number,
                    struct json_object *list, bool *goes_on)
{
    struct live_verdict verdict = {.unit = "none"};
    struct live_judge measure = {.request = request, .live = live, .is_first = is_original(live)};
    struct an_live_round round;
    struct an_error error;
    char path[4200];
    if (!live_judge_begin(&measure))
        return EXIT_FAILED;
    enum an_code code = take_profile(&measure, path, sizeof path, &error);
    if (code == AN_OK && !live_judge_end_of_before(&measure))
        return EXIT_FAILED;
    if (code == AN_OK)
        code = an_live_apply(live, path, &round, &error);
    progress_clear();
    if (code != AN_OK) {
        unlink(measure.before_file);
        return failed(&error);
    }
    int status = judge(&measure, &verdict);
    *goes_on = !verdict.is_worse || request->keep_anyway;
    progress_clear();
    live_tell_round(request, number, &round, &verdict, list);
    return status;
}

/* ---- continuous ---- */

/* The profile that the layout in force was made for; kept between calls. */
static void name_of_force(struct an_live *live, char *path, size_t size)
{
    snprintf(path, size, "%s/force.fdata", an_live_folder(live));
}

static void keep_as_force(const struct live_request *request, struct an_live *live)
{
    char now[4200], force[4200];
    snprintf(now, sizeof now, "%s/profile.fdata", an_live_folder(live));
    name_of_force(live, force, sizeof force);
    if (!request->profile && !request->options.dry_run)
        rename(now, force);
}

static void sleep_for(double seconds)
{
    static const struct timespec piece = {0, 200000000};
    for (double slept = 0; slept < seconds && !worker_stop; slept += 0.2)
        nanosleep(&piece, NULL);
}

/* A light look at what the process does; false when it has ended, or does nothing. */
static bool look(struct live_request *request, struct an_live *live, double *overlap)
{
    enum { LONGEST = 10, FEWEST = 100 }; /* seconds; samples, with fewer of which chance decides */
    struct an_record_options record = request->record;
    struct an_live_profile profile;
    struct an_error error;
    char now[4200], force[4200];
    record.duration = record.duration < LONGEST ? record.duration : LONGEST;
    record.progress = NULL;
    snprintf(now, sizeof now, "%s/now.fdata", an_live_folder(live));
    name_of_force(live, force, sizeof force);
    bool known = an_live_record(live, &record, NULL, now, &profile, &error) == AN_OK &&
                 profile.record.samples >= FEWEST && access(force, R_OK) == 0 &&
                 an_live_overlap(force, now, overlap, &error) == AN_OK;
    unlink(now);
    return known;
}

/* Looks now and then, until it is told to stop or the process ends. */
static int watch(struct live_request *request, struct an_live *live, struct json_object *list)
{
    int status = EXIT_DONE;
    unsigned number = 0;
    double overlap = 0;
    bool goes_on;
    if (is_original(live)) {
        status = do_round(request, live, ++number, list, &goes_on);
        keep_as_force(request, live);
    }
    while (status == EXIT_DONE && !worker_stop) {
        sleep_for(request->interval);
        if (worker_stop || kill(request->options.pid, 0) != 0)
            break;
        if (!look(request, live, &overlap))
            continue;
        live_tell_drift(request, overlap);
        if (overlap >= request->threshold)
            continue;
        status = do_round(request, live, ++number, list, &goes_on);
        keep_as_force(request, live);
    }
    return status;
}

/* ---- the rest ---- */

static int do_rounds(struct live_request *request, struct an_live *live)
{
    struct json_object *object = json_object_new_object(), *list = json_object_new_array();
    int status = EXIT_DONE;
    bool goes_on = true;
    json_object_object_add(object, "pid", json_object_new_int(request->options.pid));
    json_object_object_add(object, "rounds", list);
    if (request->continuous) {
        status = watch(request, live, list);
        goes_on = false;
    }
    for (unsigned i = 0; status == EXIT_DONE && goes_on && i < request->rounds && !worker_stop;
         i++) {
        status = do_round(request, live, i + 1, list, &goes_on);
        keep_as_force(request, live);
    }
    if (request->json)
        live_print_json(object);
    json_object_put(object);
    return status;
}

static int do_revert(struct live_request *request, struct an_live *live)
{
    struct an_live_round round;
    struct an_error error;
    if (an_live_revert(live, &round, &error) != AN_OK)
        return failed(&error);
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
    request->options.look_only = request->status;
    request->options.context = request->record.context = request;
    if (an_live_open(&request->options, &live, &error) != AN_OK)
        return failed(&error);
    if (request->status) {
        live_tell_status(request, live);
        status = EXIT_DONE;
    } else if (request->revert) {
        status = do_revert(request, live);
    } else {
        status = do_rounds(request, live);
    }
    an_live_close(live);
    return status;
}
