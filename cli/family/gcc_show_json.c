/* anneal show for scripts, of GCC's profiles; docs/formats/json.md describes the fields. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cli/core/output.h"
#include "gcc_show.h"

static void print(struct json_object *json)
{
    printf("%s", json_object_to_json_string_ext(json, JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(json);
}

static void put_text(struct json_object *json, const char *key, const char *text)
{
    json_object_object_add(json, key, text ? json_text(text, strlen(text)) : NULL);
}

static void put_checksum(struct json_object *json, const char *key, uint32_t checksum)
{
    char text[16];
    snprintf(text, sizeof text, "0x%08" PRIx32, checksum);
    json_object_object_add(json, key, json_object_new_string(text));
}

/* ---- functions ---- */

/* What functions have in all lists. */
static struct json_object *brief_json(const struct gcc_view_function *function)
{
    const struct an_gcc_function *found = function->function;
    struct json_object *json = json_object_new_object();
    put_text(json, "name", found->name);
    put_text(json, "demangled", found->name ? gcc_view_name(function) : NULL);
    put_text(json, "module", function->module->path);
    json_add_number(json, "ident", found->ident);
    return json;
}

static void put_sums(struct json_object *json, const struct an_gcc_function *function)
{
    json_object_object_add(json, "entries",
                           function->has_entries ? json_object_new_int64(function->entries) : NULL);
    json_add_number(json, "total", function->total);
    json_add_number(json, "largest", function->largest);
}

/* Counters that are all 0 may be any number of them: the file says only how many. */
static struct json_object *counters_json(const struct an_gcc_counters *counters)
{
    struct json_object *json = json_object_new_object(), *values = json_object_new_array();
    put_text(json, "kind", counters->kind);
    json_add_number(json, "number", counters->count);
    for (uint32_t i = 0; counters->values && i < counters->count; i++)
        json_object_array_add(values, json_object_new_int64((int64_t)counters->values[i]));
    json_object_object_add(json, "values", values);
    return json;
}

static struct json_object *value_json(const struct gcc_show_view *view, bool are_calls,
                                      const uint64_t *pair)
{
    struct json_object *json = json_object_new_object();
    const struct gcc_view_function *target =
        are_calls ? gcc_view_find(&view->profile, pair[0]) : NULL;
    if (are_calls)
        put_text(json, "target", target ? target->function->name : NULL);
    json_object_object_add(json, are_calls ? "ident" : "value",
                           json_object_new_int64((int64_t)pair[0]));
    json_object_object_add(json, "count", json_object_new_int64((int64_t)pair[1]));
    return json;
}

static void put_values(const struct gcc_show_view *view, struct json_object *json,
                       const struct an_gcc_counters *counters)
{
    bool are_calls = gcc_show_are_calls(counters);
    struct an_gcc_values at = an_gcc_values_of(counters);
    if (counters->count == 0 || !at.are_there)
        return;
    struct json_object *places = json_object_new_array();
    while (an_gcc_values_next(&at)) {
        struct json_object *values = json_object_new_array();
        for (size_t i = 0; i < at.count; i++)
            if (at.pairs[2 * i + 1])
                json_object_array_add(values, value_json(view, are_calls, at.pairs + 2 * i));
        json_object_array_add(places, values);
    }
    json_object_object_add(json, counters->kind, places);
}

static struct json_object *function_json(const struct gcc_show_view *view,
                                         const struct gcc_view_function *function)
{
    const struct an_gcc_function *found = function->function;
    struct json_object *json = brief_json(function), *counts = json_object_new_array();
    struct json_object *values = json_object_new_object();
    put_text(json, "file", found->file);
    json_object_object_add(json, "line", found->file ? json_object_new_int64(found->line) : NULL);
    put_checksum(json, "lines_checksum", found->line_sum);
    put_checksum(json, "flow_checksum", found->flow_sum);
    put_sums(json, found);
    json_add_number(json, "counters", found->arcs);
    json_add_number(json, "counters_that_ran", found->ran);
    json_add_number(json, "first_run", found->first_run);
    for (unsigned i = 0; i < found->kinds; i++) {
        const struct an_gcc_counters *counters = &found->counters[i];
        if (view->request->counts)
            json_object_array_add(counts, counters_json(counters));
        if (view->request->values)
            put_values(view, values, counters);
    }
    if (view->request->counts)
        json_object_object_add(json, "counts", json_object_get(counts));
    if (view->request->values)
        json_object_object_add(json, "values", json_object_get(values));
    json_object_put(counts);
    json_object_put(values);
    return json;
}

/* ---- the whole ---- */

static void put_all(struct json_object *json, const struct gcc_show_sums *sums)
{
    json_add_number(json, "functions", sums->functions);
    json_add_number(json, "functions_that_ran", sums->ran);
    json_add_number(json, "counters", sums->counters);
    json_add_number(json, "counters_that_ran", sums->counters_ran);
    json_add_number(json, "total_count", sums->total);
    json_add_number(json, "largest", sums->largest);
}

static uint64_t runs_of(const struct an_gcc_profile *profile)
{
    uint64_t runs = profile->runs;
    for (size_t i = 0; i < profile->programs; i++)
        runs += profile->program_runs[i];
    return runs;
}

static struct json_object *module_json(const struct gcc_view_module *module)
{
    const struct an_gcc_profile *profile = module->profile;
    const struct gcc_show_sums sums = gcc_show_sums_of(module);
    struct json_object *json = json_object_new_object();
    put_text(json, "path", module->path);
    json_add_number(json, "bytes", module->bytes);
    put_text(json, "compiler", gcc_show_compiler(profile));
    json_add_flag(json, "big_endian", profile->is_big_endian);
    put_checksum(json, "stamp", profile->stamp);
    json_add_number(json, "runs", runs_of(profile));
    put_all(json, &sums);
    put_text(json, "gcno", profile->names == AN_GCC_NAMES ? module->notes : NULL);
    return json;
}

static struct json_object *summary_json(const struct an_llvm_summary *summary)
{
    struct json_object *entries = json_object_new_array();
    for (size_t i = 0; i < summary->entry_count; i++) {
        struct json_object *entry = json_object_new_object();
        json_add_number(entry, "cutoff", summary->entries[i].cutoff);
        json_add_number(entry, "min_count", summary->entries[i].min_count);
        json_add_number(entry, "counters", summary->entries[i].blocks);
        json_object_array_add(entries, entry);
    }
    return entries;
}

static struct json_object *profile_json(const struct gcc_show_view *view)
{
    struct json_object *json = json_object_new_object(), *modules = json_object_new_array();
    struct json_object *hottest = json_object_new_array(), *first_runs = json_object_new_array();
    put_text(json, "format", "gcda");
    put_all(json, &view->sums);
    for (size_t i = 0; i < view->profile.count; i++)
        json_object_array_add(modules, module_json(&view->profile.modules[i]));
    for (size_t i = 0; i < view->request->top && i < view->profile.function_count; i++) {
        struct json_object *function = brief_json(&view->hottest[i]);
        put_sums(function, view->hottest[i].function);
        json_object_array_add(hottest, function);
    }
    for (size_t i = 0; i < view->first_run_count; i++) {
        struct json_object *function = brief_json(&view->first_runs[i]);
        json_add_number(function, "first_run", view->first_runs[i].function->first_run);
        json_object_array_add(first_runs, function);
    }
    json_object_object_add(json, "modules", modules);
    json_object_object_add(json, "hottest", hottest);
    if (view->request->summary)
        json_object_object_add(json, "detailed_summary", summary_json(&view->summary));
    if (view->request->traces)
        json_object_object_add(json, "first_runs", json_object_get(first_runs));
    json_object_put(first_runs);
    return json;
}

void gcc_show_json(const struct gcc_show_view *view)
{
    bool first = true;
    printf(JSON_BEGIN "\"functions\": [");
    for (size_t i = 0; i < view->profile.function_count; i++)
        if (gcc_show_selected(view, &view->profile.functions[i])) {
            printf(first ? "\n" : ",\n");
            print(function_json(view, &view->profile.functions[i]));
            first = false;
        }
    printf("%s],\n\"profile\": ", first ? "" : "\n");
    print(profile_json(view));
    printf("}\n");
}
