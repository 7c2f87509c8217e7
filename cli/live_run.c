/* Doing what anneal live is asked for: rounds, revert, status. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
static enum an_code take_profile(struct live_request *request, struct an_live *live, char *path,
                                 size_t size, struct an_error *error)
{
    struct an_live_profile profile;
    if (request->profile) {
        snprintf(path, size, "%s", request->profile);
        return AN_OK;
    }
    snprintf(path, size, "%s/profile.fdata", an_live_folder(live));
    on_step(request, AN_LIVE_RECORD);
    enum an_code code = an_live_record(live, &request->record, NULL, path, &profile, error);
    progress_clear();
    if (code == AN_OK)
        live_tell_profile(request, &profile);
    return code;
}

static int do_round(struct live_request *request, struct an_live *live, unsigned number,
                    struct json_object *list)
{
    struct live_verdict verdict = {.unit = "none"};
    struct an_live_round round;
    struct an_error error;
    char path[4200];
    enum an_code code = take_profile(request, live, path, sizeof path, &error);
    if (code == AN_OK)
        code = an_live_apply(live, path, &round, &error);
    progress_clear();
    if (code != AN_OK)
        return failed(&error);
    live_tell_round(request, number, &round, &verdict, list);
    return EXIT_DONE;
}

static int do_rounds(struct live_request *request, struct an_live *live)
{
    struct json_object *object = json_object_new_object(), *list = json_object_new_array();
    int status = EXIT_DONE;
    json_object_object_add(object, "pid", json_object_new_int(request->options.pid));
    json_object_object_add(object, "rounds", list);
    for (unsigned i = 0; status == EXIT_DONE && i < request->rounds && !worker_stop; i++)
        status = do_round(request, live, i + 1, list);
    if (request->json)
        live_print_json(object);
    json_object_put(object);
    return status;
}

/* ---- the rest ---- */

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
