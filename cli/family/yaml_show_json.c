/* anneal show for scripts, of BOLT's YAML profiles; docs/formats/json.md describes the fields. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cli/core/output.h"
#include "yaml_view.h"

static void print(struct json_object *json)
{
    printf("%s", json_object_to_json_string_ext(json, JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(json);
}

static void put(struct json_object *json, const char *key, uint64_t value)
{
    json_object_object_add(json, key, json_object_new_uint64(value));
}

static void put_text(struct json_object *json, const char *key, const struct an_yaml_text *text)
{
    json_object_object_add(json, key, json_text(text->text, text->length));
}

/* Numbers of 64 bits that are no amounts: not all who read JSON have so many. */
static void put_hash(struct json_object *json, const char *key, uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof text, "0x%016llx", (unsigned long long)hash);
    json_object_object_add(json, key, json_object_new_string(text));
}

static struct json_object *call_json(const struct an_yaml_call *call)
{
    struct json_object *json = json_object_new_object();
    put(json, "offset", call->offset);
    put(json, "function", call->function);
    put(json, "entry", call->entry);
    put(json, "count", call->count);
    put(json, "mispredictions", call->mispreds);
    return json;
}

static struct json_object *successor_json(const struct an_yaml_successor *successor)
{
    struct json_object *json = json_object_new_object();
    put(json, "block", successor->block);
    put(json, "count", successor->count);
    put(json, "mispredictions", successor->mispreds);
    return json;
}

static struct json_object *block_json(const struct an_yaml_block *block)
{
    struct json_object *json = json_object_new_object();
    struct json_object *calls = json_object_new_array(), *successors = json_object_new_array();
    put(json, "block", block->number);
    put(json, "instructions", block->instructions);
    put_hash(json, "hash", block->hash);
    put(json, "entries", block->executed);
    put(json, "samples", block->events);
    for (size_t i = 0; i < block->call_count; i++)
        json_object_array_add(calls, call_json(&block->calls[i]));
    for (size_t i = 0; i < block->successor_count; i++)
        json_object_array_add(successors, successor_json(&block->successors[i]));
    json_object_object_add(json, "calls", calls);
    json_object_object_add(json, "successors", successors);
    return json;
}

static struct json_object *function_json(const struct yaml_line *line, bool counts)
{
    const struct an_yaml_function *function = line->function;
    struct json_object *json = json_object_new_object();
    put_text(json, "name", &function->name);
    put(json, "id", function->id);
    put_hash(json, "hash", function->hash);
    put(json, "entries", function->executed);
    put(json, "external_entries", function->external);
    put(json, "count", line->count);
    put(json, "mispredictions", line->mispreds);
    put(json, "blocks", function->block_number);
    put(json, "counted_blocks", function->block_count);
    if (!counts)
        return json;
    struct json_object *blocks = json_object_new_array();
    for (size_t i = 0; i < function->block_count; i++)
        json_object_array_add(blocks, block_json(&function->blocks[i]));
    json_object_object_add(json, "counts", blocks);
    return json;
}

static struct json_object *flags_json(unsigned flags)
{
    struct json_object *json = json_object_new_array();
    for (unsigned flag = AN_YAML_LBR; flag <= AN_YAML_MEMORY; flag <<= 1)
        if (flags & flag)
            json_object_array_add(json, json_object_new_string(an_yaml_flag_name(flag)));
    return json;
}

static struct json_object *profile_json(const struct yaml_view *view)
{
    const struct an_yaml_info *info = view->info;
    const struct an_yaml_header *header = &info->header;
    struct json_object *json = json_object_new_object(), *hottest = json_object_new_array();
    json_object_object_add(json, "path", json_text(view->path, strlen(view->path)));
    put(json, "bytes", view->bytes);
    json_object_object_add(json, "format", json_object_new_string("yaml"));
    put(json, "version", header->version);
    put_text(json, "binary_name", &header->binary_name);
    put_text(json, "build_id", &header->build_id);
    json_object_object_add(json, "flags", flags_json(header->flags));
    put_text(json, "origin", &header->origin);
    put_text(json, "events", &header->events);
    json_object_object_add(json, "dfs_order", json_object_new_boolean(header->dfs_order));
    json_object_object_add(json, "hash_function",
                           json_object_new_string(an_yaml_hash_name(header->hash)));
    json_object_object_add(json, "pseudo_probes", json_object_new_boolean(info->has_probes));
    put(json, "functions", info->functions);
    put(json, "counted_functions", info->counted);
    put(json, "blocks", info->blocks);
    put(json, "branches", info->branches);
    put(json, "calls", info->calls);
    put(json, "samples", info->events);
    put(json, "total_count", info->total_count);
    put(json, "mispredictions", info->mispreds);
    for (size_t i = 0; i < info->functions && i < view->request->top; i++)
        json_object_array_add(hottest, function_json(&view->lines[i], false));
    json_object_object_add(json, "hottest", hottest);
    return json;
}

void yaml_print_json(struct yaml_view *view)
{
    bool first = true;
    printf(JSON_BEGIN "\"functions\": [");
    yaml_sort_by_name(view->lines, view->info->functions);
    for (size_t i = 0; i < view->info->functions; i++)
        if (yaml_selected(view, view->lines[i].function)) {
            printf(first ? "\n" : ",\n");
            print(function_json(&view->lines[i], view->request->counts));
            first = false;
        }
    printf("%s],\n\"profile\": ", first ? "" : "\n");
    yaml_sort_by_count(view->lines, view->info->functions);
    print(profile_json(view));
    printf("}\n");
}
