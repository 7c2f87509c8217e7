/*
 * anneal worth --layouts: what the layout in force is worth, in a process to which anneal live has given one. It and the
 * original code take turns, and in the end the process runs what it ran before.
 */
#include <stdio.h>
#include <sys/stat.h>

#include <json-c/json.h>

#include "cli/core/output.h"
#include "cli/core/tracer.h"
#include "cli/live/live.h"
#include "worth.h"

static void tell_json(const struct worth_request *request, const struct live_verdict *verdict,
                      unsigned layout)
{
    struct json_object *object = json_document();
    json_object_object_add(object, "pid", json_object_new_int(request->pids[0]));
    json_add_number(object, "layout", layout);
    live_add_turns(object, verdict);
    json_print(stdout, object);
}

static void tell(const struct worth_request *request, const struct live_verdict *verdict,
                 unsigned layout)
{
    const struct an_work_estimate *gain = &verdict->found.gain;
    if (request->json) {
        tell_json(request, verdict, layout);
    } else if (request->quiet) {
        printf("%.6g %.6g %.6g\n", gain->value, gain->low, gain->high);
    } else {
        printf("process %d, layout %u\n", request->pids[0], layout);
        live_tell_turns(verdict);
    }
}

/* Puts back what was in force, also on failure. */
static enum an_code measure(const struct live_judge *judge, unsigned layout,
                            struct live_verdict *verdict, struct an_error *error)
{
    struct an_live_round round;
    struct an_error later;
    enum an_code code = live_take_turns(judge, layout, verdict, error);
    if (verdict->in_force == layout)
        return code;
    enum an_code back = an_live_switch(judge->live, layout, &round, code == AN_OK ? error : &later);
    return code == AN_OK ? back : code;
}

static int measure_and_tell(const struct worth_request *request, const struct live_judge *judge)
{
    struct live_verdict verdict = {.is_known = false};
    struct an_error error;
    int status = EXIT_FAILED;
    unsigned layout = live_in_force(judge->live);
    if (layout == 0) {
        say_error("process %d runs its original code ('anneal live' gives it a layout)",
                  request->pids[0]);
    } else if (measure(judge, layout, &verdict, &error) != AN_OK) {
        live_failed(&error);
    } else if (!verdict.is_known) {
        say_error("process %d: too little work in %.1f s", request->pids[0], verdict.seconds);
    } else {
        tell(request, &verdict, layout);
        status = fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
    }
    live_verdict_free(&verdict);
    return status;
}

static int work(void *context)
{
    const struct worth_request *request = context;
    mode_t mask = umask(S_IRWXG | S_IRWXO); /* as anneal live does */
    struct live_request live = {
        .options = {.size = sizeof(struct an_live_options),
                    .pid = request->pids[0],
                    .keep_older = true,
                    .stop = &tracer_stop},
        .counter = request->counters[0],
        .mask = mask,
        .clock = request->clock,
        .worth_time = request->duration,
        .quiet = request->quiet,
    };
    struct live_judge judge = {.request = &live,
                               .functions = request->functions,
                               .function_count = request->function_count,
                               .counting = request->overhead};
    struct an_error error;
    if (an_live_open(&live.options, &judge.live, &error) != AN_OK)
        return live_failed(&error);
    int status = measure_and_tell(request, &judge);
    an_live_close(judge.live);
    return status;
}

int worth_layouts(struct worth_request *request)
{
    return tracer_run("an-tracer", work, request);
}
