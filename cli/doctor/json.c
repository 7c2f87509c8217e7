/* anneal doctor for scripts; docs/formats/json.md describes the fields. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cli/core/output.h"
#include "doctor.h"

static void put_bool(struct json_object *json, const char *key, bool value)
{
    json_add_flag(json, key, value);
}

/* null for an empty text */
static void put_text(struct json_object *json, const char *key, const char *text)
{
    json_object_object_add(json, key, text[0] ? json_text(text, strlen(text)) : NULL);
}

static void put_setting(struct json_object *json, const char *key, int value)
{
    json_object_object_add(json, key, value == AN_NO_SETTING ? NULL : json_object_new_int(value));
}

static void put_method(struct json_object *json, enum an_record_method method)
{
    put_text(json, "method", method == AN_RECORD_AUTO ? "" : an_record_method_name(method));
}

static void put_findings(struct json_object *json, const struct an_diagnostics *diagnostics)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < diagnostics->count; i++) {
        const struct an_diagnostic *diagnostic = &diagnostics->items[i];
        struct json_object *item = json_object_new_object();
        put_text(item, "about", diagnostic->about);
        put_text(item, "level", an_level_name(diagnostic->level));
        put_text(item, "what", diagnostic->what);
        put_text(item, "remedy", diagnostic->remedy);
        json_object_array_add(array, item);
    }
    json_object_object_add(json, "findings", array);
}

static struct json_object *machine_json(const struct doctor_report *report)
{
    const struct an_machine *machine = &report->machine;
    struct json_object *json = json_object_new_object();
    put_text(json, "kernel", machine->kernel);
    put_text(json, "processor", machine->processor);
    json_add_number(json, "processors", machine->processors);
    json_add_number(json, "user", machine->user);
    put_setting(json, "perf_event_paranoid", machine->paranoid);
    put_setting(json, "ptrace_scope", machine->ptrace_scope);
    put_bool(json, "seccomp", machine->is_filtered);
    put_bool(json, "branch_records", machine->branch_records.step == AN_TRIAL_DONE);
    put_bool(json, "clock_events", machine->clock.step == AN_TRIAL_DONE);
    put_bool(json, "tracing", machine->tracing.step == AN_TRIAL_DONE);
    put_method(json, machine->method);
    put_findings(json, &report->machine_diagnostics);
    return json;
}

static struct json_object *tools_json(const struct doctor_tools *tools)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < tools->count; i++) {
        struct json_object *json = json_object_new_object();
        put_text(json, "name", tools->items[i].name);
        put_text(json, "path", tools->items[i].path);
        put_text(json, "version", tools->items[i].version);
        json_object_array_add(array, json);
    }
    return array;
}

static struct json_object *process_json(const struct doctor_report *report)
{
    const struct an_target_process *process = &report->process;
    struct json_object *json = json_object_new_object();
    json_add_number(json, "pid", (uint64_t)process->pid);
    put_bool(json, "fit", doctor_is_fit(report, &report->process_diagnostics));
    if (process->is_there) {
        put_text(json, "name", process->name);
        put_text(json, "state", (char[]){process->state, '\0'});
        json_add_number(json, "threads", process->threads);
        json_add_number(json, "user", process->user);
        json_object_object_add(json, "tracer",
                               process->tracer ? json_object_new_int(process->tracer) : NULL);
        put_text(json, "binary", process->binary);
    }
    put_method(json, an_target_process_method(process, &report->machine));
    put_findings(json, &report->process_diagnostics);
    return json;
}

static void put_traits(struct json_object *json, const struct an_elf_traits *traits)
{
    static const char *const kinds[] = {
        [AN_ELF_OTHER] = "other", [AN_ELF_OBJECT] = "object", [AN_ELF_CORE] = "core",
        [AN_ELF_FIXED] = "fixed", [AN_ELF_PIE] = "pie",       [AN_ELF_LIBRARY] = "library"};
    static const char *const compilers[] = {
        [AN_COMPILER_UNKNOWN] = "",
        [AN_COMPILER_GCC] = "gcc",
        [AN_COMPILER_CLANG] = "clang",
        [AN_COMPILER_RUST] = "rustc",
    };
    put_text(json, "processor", an_elf_machine_name(traits->machine));
    put_text(json, "kind", kinds[traits->kind]);
    put_text(json, "compiler", compilers[traits->compiler]);
    put_bool(json, "dynamic", traits->dynamic);
    put_bool(json, "symbols", traits->has_symbols);
    put_bool(json, "relocations", traits->has_relocations);
    put_bool(json, "debug_info", traits->has_debug_info);
    put_bool(json, "bolted", traits->is_bolted);
    put_bool(json, "bat", traits->has_bat);
    json_add_number(json, "code_size", traits->code_size);
    json_add_number(json, "functions", traits->functions);
    json_add_number(json, "fragments", traits->fragments);
    json_add_number(json, "computed_gotos", traits->computed_gotos);
    put_bool(json, "split_stacks", traits->has_split_stacks);
    put_text(json, "build_id", traits->build_id);
}

static struct json_object *binaries_json(const struct doctor_report *report)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < report->binary_count; i++) {
        const struct an_fitness *fitness = &report->binaries[i].fitness;
        struct json_object *json = json_object_new_object();
        put_text(json, "path", report->binaries[i].name);
        put_bool(json, "fit", doctor_is_fit(report, &fitness->diagnostics));
        if (fitness->is_known)
            put_traits(json, &fitness->traits);
        json_object_object_add(json, "flags", json_object_new_string(fitness->flags));
        put_findings(json, &fitness->diagnostics);
        json_object_array_add(array, json);
    }
    return array;
}

void doctor_print_json(const struct doctor_report *report)
{
    struct json_object *json = json_document();
    put_bool(json, "fit", doctor_all_fit(report));
    json_object_object_add(json, "machine", machine_json(report));
    json_object_object_add(json, "tools", tools_json(&report->tools));
    if (report->has_process)
        json_object_object_add(json, "process", process_json(report));
    json_object_object_add(json, "binaries", binaries_json(report));
    json_print(stdout, json);
}
