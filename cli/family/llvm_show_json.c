/* anneal show for scripts; docs/formats/json.md describes the fields. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "cli/core/output.h"
#include "llvm_names.h"
#include "llvm_show.h"

static void print(struct json_object *json)
{
    printf("%s", json_object_to_json_string_ext(json, JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(json);
}

static struct json_object *site_json(const struct llvm_show *show, int kind,
                                     const struct an_llvm_site *site)
{
    struct json_object *json = json_object_new_array();
    for (uint32_t v = 0; v < site->count; v++) {
        struct json_object *value = json_object_new_object();
        size_t length = 0;
        const char *name =
            kind == AN_LLVM_MEMOP_SIZE
                ? NULL
                : an_llvm_reader_symbol(show->reader, site->values[v].value, &length);
        if (kind == AN_LLVM_MEMOP_SIZE)
            json_add_number(value, "size", site->values[v].value);
        else
            json_object_object_add(value, "target", name ? json_text(name, length) : NULL);
        json_add_number(value, "count", site->values[v].count);
        json_object_array_add(json, value);
    }
    return json;
}

static struct json_object *uniform_json(const struct an_llvm_record *record)
{
    struct json_object *uniform = json_object_new_array();
    for (uint32_t i = 0; i < record->count_number; i++)
        json_object_array_add(uniform, json_object_new_boolean(an_llvm_is_uniform(record, i)));
    return uniform;
}

void llvm_show_function_json(const struct llvm_show *show, const struct an_llvm_record *record,
                             const struct hot *hot)
{
    static const char *const kinds[] = {"indirect_calls", "memop_sizes", "vtables"};
    struct json_object *json = json_object_new_object();
    char hash[24];
    snprintf(hash, sizeof hash, "0x%016llx", (unsigned long long)record->hash);
    json_object_object_add(json, "name", json_text(record->name, record->name_length));
    json_object_object_add(json, "hash", json_object_new_string(hash));
    json_add_number(json, "total", hot->sum);
    json_add_number(json, "largest", hot->max);
    if (show->request->counts) {
        struct json_object *counts = json_object_new_array();
        for (uint32_t i = 0; i < record->count_number; i++)
            json_object_array_add(counts, json_object_new_uint64(record->counts[i]));
        json_object_object_add(json, "counts", counts);
        struct json_object *bitmap = json_object_new_array();
        for (uint32_t i = 0; i < record->bitmap_bytes; i++)
            json_object_array_add(bitmap, json_object_new_int(record->bitmap[i]));
        if (record->bitmap_bytes)
            json_object_object_add(json, "bitmap", bitmap);
        else
            json_object_put(bitmap);
        if (record->uniform)
            json_object_object_add(json, "uniform", uniform_json(record));
    }
    for (int kind = 0; show->request->values && record->values && kind < AN_LLVM_VALUE_KINDS;
         kind++) {
        struct json_object *sites = json_object_new_array();
        for (uint32_t s = 0; s < record->values->site_count[kind]; s++)
            json_object_array_add(sites, site_json(show, kind, &record->values->sites[kind][s]));
        json_object_object_add(json, kinds[kind], sites);
    }
    print(json);
}

static struct json_object *binary_ids_json(const struct an_llvm_info *info)
{
    struct json_object *ids = json_object_new_array();
    for (size_t i = 0; i < info->binary_id_count; i++) {
        struct an_buffer text = {0};
        for (size_t b = 0; b < info->binary_ids[i].size; b++)
            an_buffer_print(&text, "%02x", info->binary_ids[i].bytes[b]);
        json_object_array_add(ids, json_text((const char *)text.data, text.size));
        an_buffer_free(&text);
    }
    return ids;
}

static struct json_object *summary_json(const struct an_llvm_summary *summary)
{
    struct json_object *entries = json_object_new_array();
    for (size_t i = 0; i < summary->entry_count; i++) {
        struct json_object *entry = json_object_new_object();
        json_object_object_add(entry, "cutoff", json_object_new_int64(summary->entries[i].cutoff));
        json_add_number(entry, "min_count", summary->entries[i].min_count);
        json_add_number(entry, "counters", summary->entries[i].blocks);
        json_object_array_add(entries, entry);
    }
    return entries;
}

static struct json_object *hottest_json(const struct llvm_show *show)
{
    struct json_object *hottest = json_object_new_array();
    for (size_t i = 0; i < show->request->top && i < show->hot_count; i++) {
        struct json_object *function = json_object_new_object();
        json_object_object_add(function, "name",
                               json_text(show->hot[i].name, strlen(show->hot[i].name)));
        json_add_number(function, "largest", show->hot[i].max);
        json_add_number(function, "total", show->hot[i].sum);
        json_object_array_add(hottest, function);
    }
    return hottest;
}

static struct json_object *traces_json(const struct llvm_show *show)
{
    struct json_object *traces = json_object_new_array();
    for (size_t i = 0; i < show->info->trace_count; i++) {
        const struct an_llvm_trace *from = &show->info->traces[i];
        struct json_object *trace = json_object_new_object();
        struct json_object *functions = json_object_new_array();
        json_add_number(trace, "weight", from->weight);
        for (size_t f = 0; f < from->function_count; f++) {
            size_t length = 0;
            const char *name = an_llvm_reader_symbol(show->reader, from->functions[f], &length);
            json_object_array_add(functions, name ? json_text(name, length) : NULL);
        }
        json_object_object_add(trace, "functions", functions);
        json_object_array_add(traces, trace);
    }
    return traces;
}

static void add_kind(struct json_object *json, const struct an_llvm_info *info)
{
    static const struct {
        const char *name;
        unsigned variant;
    } flags[] = {
        {"context_sensitive", AN_LLVM_CONTEXT_SENSITIVE},
        {"entry_first", AN_LLVM_ENTRY_FIRST},
        {"loop_entries", AN_LLVM_LOOP_ENTRIES},
        {"single_byte_coverage", AN_LLVM_BYTE_COVERAGE},
        {"entry_only", AN_LLVM_ENTRY_ONLY},
        {"temporal", AN_LLVM_TEMPORAL},
        {"memprof", AN_LLVM_MEMPROF},
    };
    json_object_object_add(json, "format",
                           json_object_new_string(an_llvm_format_name(info->format)));
    json_object_object_add(json, "version", json_object_new_int64(info->version));
    json_object_object_add(
        json, "level", json_object_new_string(info->variants & AN_LLVM_IR ? "IR" : "front-end"));
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        json_add_flag(json, flags[i].name, info->variants & flags[i].variant);
    if (info->memprof_bytes) {
        json_add_number(json, "memprof_version", info->memprof_version);
        json_add_number(json, "memprof_functions", info->memprof_functions);
        json_add_number(json, "memprof_allocations", info->memprof_allocations);
        json_add_number(json, "memprof_bytes", info->memprof_bytes);
    }
    if (info->format != AN_LLVM_RAW)
        return;
    json_add_number(json, "raw_profiles", info->raw_profiles);
    json_add_flag(json, "big_endian", info->big_endian);
    json_object_object_add(json, "pointer_bits", json_object_new_int(info->wide ? 64 : 32));
}

void llvm_show_profile_json(const struct llvm_show *show, const char *path, uint64_t bytes,
                            const struct an_llvm_summary *summary)
{
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "path", json_text(path, strlen(path)));
    json_add_number(json, "bytes", bytes);
    add_kind(json, show->info);
    json_object_object_add(json, "binary_ids", binary_ids_json(show->info));
    json_add_number(json, "functions", summary->functions);
    json_add_number(json, "functions_that_ran", show->ran);
    json_add_number(json, "counters", summary->blocks);
    json_add_number(json, "total_count", summary->total_count);
    json_add_number(json, "max_function_count", summary->max_function_count);
    json_add_number(json, "max_internal_count", summary->max_internal_count);
    json_object_object_add(json, "detailed_summary",
                           show->request->summary ? summary_json(summary)
                                                  : json_object_new_array());
    json_object_object_add(json, "hottest", hottest_json(show));
    json_object_object_add(json, "traces",
                           show->request->traces ? traces_json(show) : json_object_new_array());
    print(json);
}
