/* Doing what anneal live is asked for: rounds, revert, status. */
#include <sys/stat.h>

#include <json-c/json.h>

#include "cli/core/output.h"
#include "cli/core/tracer.h"
#include "live.h"

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

static int do_rounds(struct live_request *request, struct an_live *live)
{
    struct json_object *object = json_document(), *list = json_object_new_array();
    struct an_error error;
    enum an_code code = AN_OK;
    bool goes_on = true;
    json_object_object_add(object, "pid", json_object_new_int(request->options.pid));
    json_object_object_add(object, "rounds", list);
    for (unsigned i = 0; code == AN_OK && goes_on && i < request->rounds && !tracer_stop; i++)
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
    if (!request->quiet)
        progress_step("reading the program");
    if (an_live_open(&request->options, &live, &error) != AN_OK)
        return live_failed(&error);
    progress_clear();
    if (request->status) {
        live_tell_status(request, live);
        status = EXIT_DONE;
    } else if (request->revert) {
        status = do_revert(request, live);
    } else if (request->continuous) {
        live_ask_bolt(request, live);
        status = live_watch(request, live);
    } else {
        live_ask_bolt(request, live);
        status = do_rounds(request, live);
    }
    an_live_close(live);
    return status;
}
