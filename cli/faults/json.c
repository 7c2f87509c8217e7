/* anneal faults for scripts; docs/formats/json.md describes the fields. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/core/output.h"
#include "faults.h"

static void put_bool(struct json_object *json, const char *key, bool value)
{
    json_add_flag(json, key, value);
}

static void put_text(struct json_object *json, const char *key, const char *text)
{
    json_object_object_add(json, key, json_text(text, strlen(text)));
}

static bool is_whole(enum an_faults_measure measure)
{
    return measure < AN_FAULTS_SECONDS;
}

static bool needs_events(enum an_faults_measure measure)
{
    return measure < AN_FAULTS_TEXT_BEFORE;
}

/* Whether a number of a text, or of anything, is known. */
static bool is_known(const struct an_faults_result *result, bool is_visible,
                     enum an_faults_measure measure)
{
    if (needs_events(measure))
        return result->has_events;
    return is_visible || measure > AN_FAULTS_TEXT_AFTER;
}

static struct json_object *number_json(enum an_faults_measure measure, double value)
{
    char text[32];
    if (is_whole(measure) && value == (double)(uint64_t)value)
        return json_object_new_uint64((uint64_t)value);
    snprintf(text, sizeof text, "%.*f", is_whole(measure) ? 1 : 6, value);
    return json_object_new_double_s(value, text);
}

static bool all_visible(const struct an_faults_subject *subject)
{
    for (size_t i = 0; i < subject->file_count; i++)
        if (!subject->files[i].is_visible)
            return false;
    return true;
}

/* ---- runs ---- */

static void put_values(struct json_object *json, const struct an_faults_result *result,
                       const struct an_faults_run *run, bool is_visible, int measures)
{
    for (int i = 0; i < measures; i++) {
        enum an_faults_measure measure = (enum an_faults_measure)i;
        json_object_object_add(json, an_faults_measure_name(measure),
                               is_known(result, is_visible, measure)
                                   ? number_json(measure, an_faults_value(run, measure))
                                   : NULL);
    }
}

static void put_status(struct json_object *json, const struct an_faults_run *run)
{
    struct json_object *nothing = NULL;
    bool exited = WIFEXITED(run->status), killed = WIFSIGNALED(run->status);
    json_object_object_add(json, "exit_status",
                           exited ? json_object_new_int(WEXITSTATUS(run->status)) : nothing);
    json_object_object_add(json, "signal",
                           killed ? json_object_new_int(WTERMSIG(run->status)) : nothing);
    put_bool(json, "time_was_over", run->time_was_over);
    put_bool(json, "left_running", run->left_running);
}

static struct json_object *run_json(const struct an_faults_result *result,
                                    const struct an_faults_subject *subject, size_t number)
{
    const struct an_faults_run *run = &subject->runs[number];
    struct json_object *json = json_object_new_object(), *files = json_object_new_array();
    put_status(json, run);
    put_values(json, result, run, all_visible(subject), AN_FAULTS_MEASURES);
    json_add_number(json, "lost", run->lost);
    for (size_t i = 0; i < subject->file_count; i++) {
        struct json_object *file = json_object_new_object();
        const struct an_faults_run of_file = {.text = run->files[i]};
        put_values(file, result, &of_file, subject->files[i].is_visible, AN_FAULTS_TEXT_AFTER + 1);
        json_object_array_add(files, file);
    }
    json_object_object_add(json, "files", files);
    return json;
}

/* ---- subjects ---- */

static struct json_object *file_json(const struct an_faults_file *file)
{
    struct json_object *json = json_object_new_object();
    char device[32];
    snprintf(device, sizeof device, "%u:%u", file->device_major, file->device_minor);
    put_text(json, "path", file->path);
    json_add_number(json, "text_pages", file->text_pages);
    put_text(json, "device", device);
    json_object_object_add(json, "read_ahead",
                           file->has_read_ahead ? json_object_new_uint64(file->read_ahead) : NULL);
    return json;
}

static struct json_object *summary_json(const struct an_faults_result *result,
                                        const struct an_faults_subject *subject)
{
    struct json_object *json = json_object_new_object();
    for (int i = 0; i < AN_FAULTS_MEASURES; i++) {
        enum an_faults_measure measure = (enum an_faults_measure)i;
        struct an_faults_summary of = an_faults_summarize(subject, measure);
        struct json_object *numbers = NULL;
        if (subject->run_count && is_known(result, all_visible(subject), measure)) {
            numbers = json_object_new_object();
            json_object_object_add(numbers, "median", number_json(measure, of.median));
            json_object_object_add(numbers, "least", number_json(measure, of.least));
            json_object_object_add(numbers, "most", number_json(measure, of.most));
        }
        json_object_object_add(json, an_faults_measure_name(measure), numbers);
    }
    return json;
}

static struct json_object *subject_json(const struct an_faults_result *result,
                                        const struct an_faults_subject *subject)
{
    struct json_object *json = json_object_new_object();
    struct json_object *files = json_object_new_array(), *runs = json_object_new_array();
    put_text(json, "binary", subject->name);
    for (size_t i = 0; i < subject->file_count; i++)
        json_object_array_add(files, file_json(&subject->files[i]));
    for (size_t i = 0; i < subject->run_count; i++)
        json_object_array_add(runs, run_json(result, subject, i));
    json_object_object_add(json, "files", files);
    json_object_object_add(json, "summary", summary_json(result, subject));
    json_object_object_add(json, "runs", runs);
    return json;
}

bool faults_tell_json(const struct faults_request *request, const struct an_faults_result *result)
{
    struct json_object *json = json_document(), *command = json_object_new_array();
    struct json_object *subjects = json_object_new_array();
    for (char *const *word = request->options.command; *word; word++)
        json_object_array_add(command, json_text(*word, strlen(*word)));
    json_object_object_add(json, "command", command);
    put_bool(json, "warm", request->options.warm);
    put_bool(json, "copy", request->options.copy);
    put_bool(json, "events", result->has_events);
    put_bool(json, "kernel_faults", result->has_kernel);
    put_bool(json, "interrupted", result->interrupted);
    json_add_number(json, "page_size", result->page_size);
    for (size_t i = 0; i < result->subject_count; i++)
        json_object_array_add(subjects, subject_json(result, &result->subjects[i]));
    json_object_object_add(json, "binaries", subjects);
    return json_print(stdout, json);
}
