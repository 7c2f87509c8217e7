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
    json_add_number(json, "offset", call->offset);
    json_add_number(json, "function", call->function);
    json_add_number(json, "entry", call->entry);
    json_add_number(json, "count", call->count);
    json_add_number(json, "mispredictions", call->mispreds);
    return json;
}

static struct json_object *successor_json(const struct an_yaml_successor *successor)
{
    struct json_object *json = json_object_new_object();
    json_add_number(json, "block", successor->block);
    json_add_number(json, "count", successor->count);
    json_add_number(json, "mispredictions", successor->mispreds);
    return json;
}

static struct json_object *block_json(const struct an_yaml_block *block)
{
    struct json_object *json = json_object_new_object();
    struct json_object *calls = json_object_new_array(), *successors = json_object_new_array();
    json_add_number(json, "block", block->number);
    json_add_number(json, "instructions", block->instructions);
    put_hash(json, "hash", block->hash);
    json_add_number(json, "entries", block->executed);
    json_add_number(json, "samples", block->events);
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
    json_add_number(json, "id", function->id);
    put_hash(json, "hash", function->hash);
    json_add_number(json, "entries", function->executed);
    json_add_number(json, "external_entries", function->external);
    json_add_number(json, "count", line->count);
    json_add_number(json, "mispredictions", line->mispreds);
    json_add_number(json, "blocks", function->block_number);
    json_add_number(json, "counted_blocks", function->block_count);
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
    json_add_number(json, "bytes", view->bytes);
    json_object_object_add(json, "format", json_object_new_string("yaml"));
    json_add_number(json, "version", header->version);
    put_text(json, "binary_name", &header->binary_name);
    put_text(json, "build_id", &header->build_id);
    json_object_object_add(json, "flags", flags_json(header->flags));
    put_text(json, "origin", &header->origin);
    put_text(json, "events", &header->events);
    json_add_flag(json, "dfs_order", header->dfs_order);
    json_object_object_add(json, "hash_function",
                           json_object_new_string(an_yaml_hash_name(header->hash)));
    json_add_flag(json, "pseudo_probes", info->has_probes);
    json_add_number(json, "functions", info->functions);
    json_add_number(json, "counted_functions", info->counted);
    json_add_number(json, "blocks", info->blocks);
    json_add_number(json, "branches", info->branches);
    json_add_number(json, "calls", info->calls);
    json_add_number(json, "samples", info->events);
    json_add_number(json, "total_count", info->total_count);
    json_add_number(json, "mispredictions", info->mispreds);
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
