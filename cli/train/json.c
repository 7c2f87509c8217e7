/* What a training tells of itself, for scripts: the summary, and the ledger. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cli/core/output.h"
#include "train.h"

static void add_text(struct json_object *to, const char *name, const char *text)
{
    json_object_object_add(to, name, text ? json_text(text, strlen(text)) : NULL);
}

/* Rounded, for nobody reads nanoseconds. */
static void add_seconds(struct json_object *to, const char *name, double seconds)
{
    char text[32];
    snprintf(text, sizeof text, "%.3f", seconds);
    json_object_object_add(to, name, json_object_new_double_s(seconds, text));
}

/* ---- a run ---- */

static const char *status_of(const struct an_train_profile *profile)
{
    return profile->status == AN_INPUT_PENDING ? "left out" : an_input_status_name(profile->status);
}

static struct json_object *profile_json(const struct an_train_profile *profile)
{
    struct json_object *json = json_object_new_object();
    add_text(json, "name", profile->name);
    add_text(json, "family", an_train_family_name(profile->family));
    add_text(json, "status", status_of(profile));
    json_add_number(json, "bytes", profile->bytes);
    if (profile->status == AN_INPUT_USED)
        json_add_number(json, "total_count", profile->total_count);
    if (profile->problem)
        add_text(json, "error", profile->problem);
    return json;
}

static void add_failure(struct json_object *json, const struct an_train_run *run)
{
    char reason[400];
    if (run->outcome == AN_TRAIN_EXITED)
        json_add_number(json, "exit_status", (uint64_t)run->status);
    if (run->outcome == AN_TRAIN_KILLED)
        json_add_number(json, "signal", (uint64_t)run->status);
    add_text(json, "reason", an_train_reason(run, reason, sizeof reason));
    if (run->last_words)
        add_text(json, "last_words", run->last_words);
}

static bool has_failed(const struct an_train_run *run)
{
    return run->outcome > AN_TRAIN_SUCCEEDED && run->outcome < AN_TRAIN_INTERRUPTED;
}

static struct json_object *run_json(const struct train_request *request,
                                    const struct an_train_result *result, size_t number)
{
    const struct an_train_run *run = &result->runs[number];
    const struct an_train_workload *workload = &request->options.workloads[run->workload];
    struct json_object *json = json_object_new_object(), *profiles = json_object_new_array();
    json_add_number(json, "run", run->number + 1);
    add_text(json, "workload", workload->text);
    json_add_number(json, "workload_number", run->workload + 1);
    json_add_number(json, "weight", workload->weight);
    add_text(json, "status", an_train_outcome_name(run->outcome));
    if (has_failed(run))
        add_failure(json, run);
    add_seconds(json, "seconds", run->seconds);
    json_add_flag(json, "left_running", run->left_running);
    for (size_t i = 0; i < run->profile_count; i++)
        json_object_array_add(profiles, profile_json(&run->profiles[i]));
    json_object_object_add(json, "profiles", profiles);
    return json;
}

/* ---- the summary ---- */

static struct json_object *llvm_json(const struct an_train_result *result)
{
    struct json_object *json = json_object_new_object();
    if (!result->llvm_output) {
        json_object_put(json);
        return NULL;
    }
    add_text(json, "output", result->llvm_output);
    json_add_number(json, "profiles", result->profiles[AN_TRAIN_LLVM]);
    json_add_number(json, "functions", result->llvm_functions);
    json_add_number(json, "total_count", result->totals[AN_TRAIN_LLVM]);
    json_add_number(json, "bytes", result->llvm_bytes);
    return json;
}

static struct json_object *gcc_json(const struct train_request *request,
                                    const struct an_train_result *result)
{
    struct json_object *json = json_object_new_object();
    if (!result->gcc_output) {
        json_object_put(json);
        return NULL;
    }
    add_text(json, "output", request->options.in_place ? NULL : result->gcc_output);
    json_add_flag(json, "in_place", request->options.in_place);
    json_add_number(json, "profiles", result->profiles[AN_TRAIN_GCC]);
    json_add_number(json, "modules", result->gcc_modules);
    json_add_number(json, "total_count", result->totals[AN_TRAIN_GCC]);
    return json;
}

static struct json_object *share_json(const struct train_request *request)
{
    if (!request->options.shares)
        return NULL;
    struct json_object *json = json_object_new_object();
    json_add_number(json, "number", request->options.share);
    json_add_number(json, "of", request->options.shares);
    return json;
}

static struct json_object *summary_json(const struct train_request *request,
                                        const struct an_train_result *result, double seconds)
{
    const struct an_train_counts *counts = &result->counts;
    struct json_object *json = json_document(), *command = json_object_new_array();
    for (char *const *word = request->options.command; *word; word++)
        json_object_array_add(command, json_text(*word, strlen(*word)));
    json_object_object_add(json, "command", command);
    json_add_number(json, "workloads", request->options.workload_count);
    json_object_object_add(json, "share", share_json(request));
    json_add_number(json, "runs", counts->total);
    json_add_number(json, "succeeded", counts->succeeded);
    json_add_number(json, "failed", counts->failed);
    json_add_number(json, "interrupted", counts->interrupted);
    json_add_number(json, "not_run", counts->total - counts->ended);
    json_add_flag(json, "too_many_failed", result->too_many_failed);
    add_seconds(json, "seconds", seconds);
    json_object_object_add(json, "llvm", llvm_json(result));
    json_object_object_add(json, "gcc", gcc_json(request, result));
    return json;
}

bool train_tell_json(const struct train_request *request, const struct an_train_result *result,
                     double seconds)
{
    struct json_object *json = summary_json(request, result, seconds);
    struct json_object *failures = json_object_new_array();
    for (size_t i = 0; i < result->run_count; i++)
        if (has_failed(&result->runs[i]))
            json_object_array_add(failures, run_json(request, result, i));
    json_object_object_add(json, "failures", failures);
    return json_print(stdout, json);
}

/* ---- the ledger ---- */

/* A line, of which there may be very many: so none of them stays in memory as an object. */
static void put_run(struct an_buffer *buffer, const struct train_request *request,
                    const struct an_train_result *result, size_t number)
{
    struct json_object *json = run_json(request, result, number);
    const char *text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN |
                                                                JSON_C_TO_STRING_NOSLASHESCAPE);
    if (text)
        an_buffer_print(buffer, "%s    %s", number ? ",\n" : "\n", text);
    else
        buffer->failed = true;
    json_object_put(json);
}

bool train_write_ledger(const struct train_request *request, const struct an_train_result *result,
                        double seconds)
{
    struct json_object *json = summary_json(request, result, seconds);
    const char *text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY |
                                                                JSON_C_TO_STRING_NOSLASHESCAPE);
    struct an_buffer buffer = {0};
    const char *end = text ? strrchr(text, '\n') : NULL; /* before the brace */
    if (end)
        an_buffer_put(&buffer, text, (size_t)(end - text));
    an_buffer_print(&buffer, ",\n  \"ledger\":[");
    for (size_t i = 0; i < result->run_count; i++)
        put_run(&buffer, request, result, i);
    an_buffer_print(&buffer, "\n  ]\n}\n");
    bool done = end && !buffer.failed;
    if (!done)
        say_error("out of memory");
    done = done && write_result(request->ledger, buffer.data, buffer.size, true);
    an_buffer_free(&buffer);
    json_object_put(json);
    return done;
}
