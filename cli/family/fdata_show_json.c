/* anneal show for scripts, of BOLT's text profiles; docs/formats/json.md describes the fields. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/output.h"
#include "fdata_view.h"

static void print(struct json_object *json)
{
    printf("%s", json_object_to_json_string_ext(json, JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(json);
}

static struct json_object *name_json(const char *name, size_t length)
{
    struct plain_name plain = fdata_plain_name(name, length);
    struct json_object *json = plain.text ? json_text(plain.text, plain.length) : NULL;
    free(plain.text);
    return json;
}

/* {"name": "main", "offset": 28}; places that are no symbols say so. */
static struct json_object *location_json(const struct an_fdata_location *location)
{
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "name", name_json(location->name, location->name_length));
    json_add_number(json, "offset", location->offset);
    json_add_flag(json, "symbol", location->kind % 3 != 0);
    return json;
}

static struct json_object *record_json(const struct an_fdata_record *record)
{
    static const char *const kinds[] = {"branch", "sample", "memory"};
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "kind", json_object_new_string(kinds[record->kind]));
    json_object_object_add(json, "from", location_json(&record->from));
    if (record->kind != AN_FDATA_SAMPLE)
        json_object_object_add(json, "to", location_json(&record->to));
    if (record->kind == AN_FDATA_BRANCH)
        json_add_number(json, "mispredictions", record->mispreds);
    json_add_number(json, "count", record->count);
    return json;
}

static struct json_object *function_json(const struct fdata_view *view,
                                         const struct fdata_function *function, bool counts)
{
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "name", name_json(function->name, function->length));
    if (view->info->no_lbr) {
        json_add_number(json, "samples", function->branches);
    } else {
        json_add_number(json, "entries", function->entries);
        json_add_number(json, "branches", function->branches);
        json_add_number(json, "mispredictions", function->mispreds);
    }
    json_add_number(json, "memory_accesses", function->accesses);
    json_add_number(json, "records", function->records);
    if (!counts)
        return json;
    struct json_object *records = json_object_new_array();
    struct an_fdata_record record;
    for (size_t at = function->first; at; at = view->functions.next[at - 1])
        if (an_fdata_profile_record(view->profile, at - 1, &record))
            json_object_array_add(records, record_json(&record));
    json_object_object_add(json, "counts", records);
    return json;
}

static struct json_object *profile_json(const struct fdata_view *view)
{
    const struct an_fdata_info *info = view->info;
    struct json_object *json = json_object_new_object();
    struct json_object *events = json_object_new_array(), *hottest = json_object_new_array();
    json_object_object_add(json, "path", json_text(view->path, strlen(view->path)));
    json_add_number(json, "bytes", view->bytes);
    json_object_object_add(json, "format", json_object_new_string("fdata"));
    json_add_flag(json, "no_lbr", info->no_lbr);
    json_add_flag(json, "boltedcollection", info->bolted);
    for (size_t i = 0; i < info->event_count; i++)
        json_object_array_add(events, json_text(info->events[i].name, info->events[i].length));
    json_object_object_add(json, "events", events);
    json_add_number(json, "functions", info->functions);
    json_add_number(json, "branch_records", info->branches);
    json_add_number(json, "sample_records", info->samples);
    json_add_number(json, "memory_records", info->memory);
    json_add_number(json, "total_count", info->total_count);
    json_add_number(json, "mispredictions", info->total_mispreds);
    json_add_number(json, "memory_accesses", info->memory_count);
    for (size_t i = 0; i < view->functions.count && i < view->request->top; i++)
        json_object_array_add(hottest, function_json(view, &view->functions.items[i], false));
    json_object_object_add(json, "hottest", hottest);
    return json;
}

void fdata_print_json(struct fdata_view *view)
{
    bool first = true;
    printf(JSON_BEGIN "\"functions\": [");
    fdata_functions_sort_by_name(&view->functions);
    for (size_t i = 0; i < view->functions.count; i++)
        if (fdata_selected(view, &view->functions.items[i])) {
            printf(first ? "\n" : ",\n");
            print(function_json(view, &view->functions.items[i], view->request->counts));
            first = false;
        }
    printf("%s],\n\"profile\": ", first ? "" : "\n");
    fdata_functions_sort(&view->functions);
    print(profile_json(view));
    printf("}\n");
}
