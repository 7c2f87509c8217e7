/* anneal show: one profile, for people and for scripts. */
#include <json-c/json.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/llvm.h>

#include "base/file.h"
#include "command.h"
#include "names.h"
#include "output.h"

enum {
    ALL = 1,
    FUNCTION,
    COUNTS,
    VALUES,
    TOP,
    SUMMARY,
    CUTOFFS,
    BINARY_IDS,
    TRACES,
    HEADER,
    COVERED,
    CONTEXT_SENSITIVE,
    TEXT,
    JSON,
    OUTPUT,
};

static const struct option_spec options[] = {
    {ALL, 'a', "all-functions", NULL, "show every function"},
    {FUNCTION, 0, "function", "REGEX", "show the functions whose name matches"},
    {COUNTS, 'c', "counts", NULL, "with their counters (and MC/DC bitmaps)"},
    {VALUES, 'v', "values", NULL,
     "with their values: indirect-call targets, sizes of memory operations, virtual tables"},
    {TOP, 'n', "topn", "N", "show the N hottest functions (default: 10, unless functions are "
                            "selected)"},
    {SUMMARY, 's', "detailed-summary", NULL, "how many counters make up how much of all counts"},
    {CUTOFFS, 0, "detailed-summary-cutoffs", "N,...", "for these shares, in millionths"},
    {BINARY_IDS, 0, "binary-ids", NULL, "show the build ids of the programs"},
    {TRACES, 0, "traces", NULL, "show temporal traces"},
    {HEADER, 0, "header", NULL, "show what the file's header says, and no functions"},
    {COVERED, 0, "covered", NULL, "list the names of functions that ran, and nothing else"},
    {CONTEXT_SENSITIVE, 0, "cs", NULL, "show the context-sensitive records of an IR profile"},
    {TEXT, 't', "text", NULL, "show the selected functions in the text format"},
    {JSON, 'j', "json", NULL, "print JSON"},
    {OUTPUT, 'o', "output", "FILE", "write to FILE"},
    {0},
};

struct request {
    bool all, counts, values, summary, binary_ids, traces, header, covered, cs, text, json;
    const char *function, *output;
    unsigned long long top;
    bool top_given;
    uint32_t cutoffs[MOST_CUTOFFS];
    size_t cutoff_count;
};

/* One line of the table of hot functions. */
struct hot {
    char *name;
    uint64_t hash, max, sum, entry;
    uint32_t counters;
};

struct show {
    struct request request;
    struct an_llvm_reader *reader;
    const struct an_llvm_info *info;
    regex_t pattern;
    struct an_llvm_summary_builder *summary;
    struct hot *hot;
    size_t hot_count, hot_capacity;
    uint64_t total; /* of the records looked at */
    size_t functions, ran, shown;
};

static bool selected(const struct show *show, const struct an_llvm_record *record)
{
    if (show->request.all)
        return true;
    regmatch_t range = {0, (regoff_t)record->name_length};
    return show->request.function &&
           regexec(&show->pattern, record->name, 1, &range, REG_STARTEND) == 0;
}

/* ---- text, for people ---- */

static void print_values(const struct show *show, const struct an_llvm_values *values)
{
    for (int kind = 0; values && kind < AN_LLVM_VALUE_KINDS; kind++) {
        if (values->site_count[kind] == 0)
            continue;
        printf("  %s, %u sites\n", value_kind_text(kind), values->site_count[kind]);
        for (uint32_t s = 0; s < values->site_count[kind]; s++) {
            const struct an_llvm_site *site = &values->sites[kind][s];
            uint64_t sum = 0;
            for (uint32_t v = 0; v < site->count; v++)
                sum += site->values[v].count;
            for (uint32_t v = 0; v < site->count; v++) {
                size_t length = 0;
                const char *name = kind == AN_LLVM_MEMOP_SIZE
                                       ? NULL
                                       : reader_symbol(show->reader, site->values[v].value, &length);
                printf("    site %-4u %14s  %5.1f%%  ", s, with_commas(site->values[v].count),
                       sum ? 100.0 * (double)site->values[v].count / (double)sum : 0.0);
                if (kind == AN_LLVM_MEMOP_SIZE)
                    printf("%llu bytes\n", (unsigned long long)site->values[v].value);
                else if (name)
                    printf("%.*s\n", (int)length, name);
                else
                    printf("%s\n", site->values[v].value ? "(unknown)" : "(not instrumented)");
            }
        }
    }
}

static void print_function(const struct show *show, const struct an_llvm_record *record,
                           const struct hot *hot)
{
    printf("%.*s\n  hash 0x%016llx, %u counters, total %s, largest %s\n",
           (int)record->name_length, record->name, (unsigned long long)record->hash,
           record->count_number, with_commas(hot->sum), with_commas(hot->max));
    if (show->request.counts) {
        printf("  counts");
        for (uint32_t i = 0; i < record->count_number; i++)
            printf(" %llu", (unsigned long long)record->counts[i]);
        printf("\n");
        if (record->bitmap_bytes)
            printf("  bitmap ");
        for (uint32_t i = 0; i < record->bitmap_bytes; i++)
            printf("%02x", record->bitmap[i]);
        if (record->bitmap_bytes)
            printf("\n");
    }
    if (show->request.values)
        print_values(show, record->values);
}

static void print_header(const struct show *show, const char *path, uint64_t bytes)
{
    const struct an_llvm_info *info = show->info;
    printf("%s: %s profile", path, an_llvm_format_name(info->format));
    if (info->format != AN_LLVM_TEXT)
        printf(" version %u", info->version);
    printf(", %s, %s\n", variants_text(info->variants), as_size(bytes));
    if (info->format == AN_LLVM_RAW)
        printf("%zu raw profile%s, %s-bit, %s-endian\n", info->raw_profiles,
               plural(info->raw_profiles), info->wide ? "64" : "32",
               info->big_endian ? "big" : "little");
    if (info->format == AN_LLVM_INDEXED)
        printf("hash table of %zu buckets\n", info->hash_buckets);
    if (info->memprof_bytes)
        printf("a memory profile of %s, which anneal does not read\n",
               as_size(info->memprof_bytes));
    if (info->unnamed)
        printf("%zu functions have no name in the file\n", info->unnamed);
    if (info->trace_count)
        printf("%zu temporal traces, of %llu\n", info->trace_count,
               (unsigned long long)info->trace_stream_size);
    if (info->binary_id_count)
        printf("%zu binary id%s\n", info->binary_id_count, plural(info->binary_id_count));
}

static void print_summary(const struct an_llvm_summary *summary)
{
    printf("\n%10s  %20s  %12s\n", "share", "count at least", "counters");
    for (size_t i = 0; i < summary->entry_count; i++)
        printf("%9.4f%%  %20s  %12s\n", summary->entries[i].cutoff / 10000.0,
               with_commas(summary->entries[i].min_count),
               with_commas(summary->entries[i].blocks));
}

static void print_hot(const struct show *show, size_t number)
{
    printf("\n%14s  %14s  %7s  %s\n", "largest count", "total", "share", "function");
    for (size_t i = 0; i < number && i < show->hot_count; i++)
        printf("%14s  %14s  %6.2f%%  %s\n", with_commas(show->hot[i].max),
               with_commas(show->hot[i].sum),
               show->total ? 100.0 * (double)show->hot[i].sum / (double)show->total : 0.0,
               show->hot[i].name);
}

static void print_binary_ids(const struct an_llvm_info *info)
{
    printf("\nbinary ids\n");
    for (size_t i = 0; i < info->binary_id_count; i++) {
        printf("  ");
        for (size_t b = 0; b < info->binary_ids[i].size; b++)
            printf("%02x", info->binary_ids[i].bytes[b]);
        printf("\n");
    }
}

static void print_traces(const struct show *show)
{
    for (size_t i = 0; i < show->info->trace_count; i++) {
        const struct an_llvm_trace *trace = &show->info->traces[i];
        printf("\ntrace %zu, weight %llu, %zu functions\n", i, (unsigned long long)trace->weight,
               trace->function_count);
        for (size_t f = 0; f < trace->function_count; f++) {
            size_t length = 0;
            const char *name = reader_symbol(show->reader, trace->functions[f], &length);
            printf("  %.*s\n", name ? (int)length : 9, name ? name : "(unknown)");
        }
    }
}

/* ---- JSON ---- */

static struct json_object *json_name(const char *name, size_t length)
{
    return json_object_new_string_len(name, (int)length);
}

static struct json_object *site_json(const struct show *show, int kind,
                                     const struct an_llvm_site *site)
{
    struct json_object *json = json_object_new_array();
    for (uint32_t v = 0; v < site->count; v++) {
        struct json_object *value = json_object_new_object();
        size_t length = 0;
        const char *name = kind == AN_LLVM_MEMOP_SIZE
                               ? NULL
                               : reader_symbol(show->reader, site->values[v].value, &length);
        if (kind == AN_LLVM_MEMOP_SIZE)
            json_object_object_add(value, "size", json_object_new_uint64(site->values[v].value));
        else
            json_object_object_add(value, "target", name ? json_name(name, length) : NULL);
        json_object_object_add(value, "count", json_object_new_uint64(site->values[v].count));
        json_object_array_add(json, value);
    }
    return json;
}

static struct json_object *function_json(const struct show *show,
                                         const struct an_llvm_record *record,
                                         const struct hot *hot)
{
    static const char *const kinds[] = {"indirect_calls", "memop_sizes", "vtables"};
    struct json_object *json = json_object_new_object();
    char hash[24];
    snprintf(hash, sizeof hash, "0x%016llx", (unsigned long long)record->hash);
    json_object_object_add(json, "name", json_name(record->name, record->name_length));
    json_object_object_add(json, "hash", json_object_new_string(hash));
    json_object_object_add(json, "total", json_object_new_uint64(hot->sum));
    json_object_object_add(json, "largest", json_object_new_uint64(hot->max));
    if (show->request.counts) {
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
    }
    for (int kind = 0; show->request.values && record->values && kind < AN_LLVM_VALUE_KINDS;
         kind++) {
        struct json_object *sites = json_object_new_array();
        for (uint32_t s = 0; s < record->values->site_count[kind]; s++)
            json_object_array_add(sites, site_json(show, kind, &record->values->sites[kind][s]));
        json_object_object_add(json, kinds[kind], sites);
    }
    return json;
}

static void print_json(struct json_object *json)
{
    printf("%s", json_object_to_json_string_ext(json, JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(json);
}

static struct json_object *info_json(const struct show *show, const char *path, uint64_t bytes,
                                     const struct an_llvm_summary *summary)
{
    const struct an_llvm_info *info = show->info;
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "path", json_object_new_string(path));
    json_object_object_add(json, "bytes", json_object_new_uint64(bytes));
    json_object_object_add(json, "format",
                           json_object_new_string(an_llvm_format_name(info->format)));
    json_object_object_add(json, "version", json_object_new_int64(info->version));
    json_object_object_add(json, "level",
                           json_object_new_string(info->variants & AN_LLVM_IR ? "IR"
                                                                              : "front-end"));
    static const struct {
        const char *name;
        unsigned variant;
    } flags[] = {
        {"context_sensitive", AN_LLVM_CONTEXT_SENSITIVE}, {"entry_first", AN_LLVM_ENTRY_FIRST},
        {"single_byte_coverage", AN_LLVM_BYTE_COVERAGE},  {"entry_only", AN_LLVM_ENTRY_ONLY},
        {"temporal", AN_LLVM_TEMPORAL},                   {"memprof", AN_LLVM_MEMPROF},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        json_object_object_add(json, flags[i].name,
                               json_object_new_boolean(info->variants & flags[i].variant));
    if (info->format == AN_LLVM_RAW) {
        json_object_object_add(json, "raw_profiles", json_object_new_uint64(info->raw_profiles));
        json_object_object_add(json, "big_endian", json_object_new_boolean(info->big_endian));
        json_object_object_add(json, "pointer_bits", json_object_new_int(info->wide ? 64 : 32));
    }
    struct json_object *ids = json_object_new_array();
    for (size_t i = 0; i < info->binary_id_count; i++) {
        char text[3] = "", whole[513] = "";
        for (size_t b = 0; b < info->binary_ids[i].size && b < 256; b++) {
            snprintf(text, sizeof text, "%02x", info->binary_ids[i].bytes[b]);
            strcat(whole, text);
        }
        json_object_array_add(ids, json_object_new_string(whole));
    }
    json_object_object_add(json, "binary_ids", ids);
    json_object_object_add(json, "functions", json_object_new_uint64(summary->functions));
    json_object_object_add(json, "functions_that_ran", json_object_new_uint64(show->ran));
    json_object_object_add(json, "counters", json_object_new_uint64(summary->blocks));
    json_object_object_add(json, "total_count", json_object_new_uint64(summary->total_count));
    json_object_object_add(json, "max_function_count",
                           json_object_new_uint64(summary->max_function_count));
    json_object_object_add(json, "max_internal_count",
                           json_object_new_uint64(summary->max_internal_count));
    struct json_object *entries = json_object_new_array();
    for (size_t i = 0; show->request.summary && i < summary->entry_count; i++) {
        struct json_object *entry = json_object_new_object();
        json_object_object_add(entry, "cutoff",
                               json_object_new_int64(summary->entries[i].cutoff));
        json_object_object_add(entry, "min_count",
                               json_object_new_uint64(summary->entries[i].min_count));
        json_object_object_add(entry, "counters",
                               json_object_new_uint64(summary->entries[i].blocks));
        json_object_array_add(entries, entry);
    }
    json_object_object_add(json, "detailed_summary", entries);
    struct json_object *hottest = json_object_new_array();
    for (size_t i = 0; i < show->request.top && i < show->hot_count; i++) {
        struct json_object *function = json_object_new_object();
        json_object_object_add(function, "name", json_object_new_string(show->hot[i].name));
        json_object_object_add(function, "largest", json_object_new_uint64(show->hot[i].max));
        json_object_object_add(function, "total", json_object_new_uint64(show->hot[i].sum));
        json_object_array_add(hottest, function);
    }
    json_object_object_add(json, "hottest", hottest);
    struct json_object *traces = json_object_new_array();
    for (size_t i = 0; show->request.traces && i < info->trace_count; i++) {
        struct json_object *trace = json_object_new_object();
        struct json_object *functions = json_object_new_array();
        json_object_object_add(trace, "weight", json_object_new_uint64(info->traces[i].weight));
        for (size_t f = 0; f < info->traces[i].function_count; f++) {
            size_t length = 0;
            const char *name = reader_symbol(show->reader, info->traces[i].functions[f], &length);
            json_object_array_add(functions, name ? json_name(name, length) : NULL);
        }
        json_object_object_add(trace, "functions", functions);
        json_object_array_add(traces, trace);
    }
    json_object_object_add(json, "traces", traces);
    return json;
}

/* ---- walking over the profile ---- */

static bool remember(struct show *show, const struct an_llvm_record *record, struct hot hot)
{
    if (show->hot_count == show->hot_capacity) {
        size_t capacity = show->hot_capacity ? 2 * show->hot_capacity : 256;
        struct hot *grown = realloc(show->hot, capacity * sizeof *grown);
        if (!grown)
            return false;
        show->hot = grown;
        show->hot_capacity = capacity;
    }
    hot.name = strndup(record->name, record->name_length);
    show->hot[show->hot_count++] = hot;
    return hot.name != NULL;
}

static int hottest_first(const void *a, const void *b)
{
    const struct hot *left = a, *right = b;
    if (left->max != right->max)
        return left->max > right->max ? -1 : 1;
    if (left->sum != right->sum)
        return left->sum > right->sum ? -1 : 1;
    return strcmp(left->name, right->name);
}

static void show_record(struct show *show, const struct an_llvm_record *record,
                        const struct hot *hot)
{
    if (show->request.text) {
        print_record_text(show->reader, record);
    } else if (show->request.json) {
        printf(show->shown ? ",\n" : "\n");
        print_json(function_json(show, record, hot));
    } else {
        print_function(show, record, hot);
    }
    show->shown++;
}

static bool walk(struct show *show)
{
    struct an_llvm_record record;
    struct request *request = &show->request;
    if (request->text && show->info->variants & AN_LLVM_IR)
        printf(":ir\n");
    while (an_llvm_reader_next(show->reader, &record)) {
        bool context_sensitive = record.hash >> 60 & 1;
        if (show->info->variants & AN_LLVM_IR && context_sensitive != request->cs)
            continue;
        struct hot hot = {.hash = record.hash, .counters = record.count_number};
        for (uint32_t i = 0; i < record.count_number; i++) {
            hot.sum += record.counts[i];
            if (record.counts[i] > hot.max)
                hot.max = record.counts[i];
        }
        show->functions++;
        show->ran += hot.max != 0;
        show->total += hot.sum;
        if (request->covered) {
            if (hot.max)
                printf("%.*s\n", (int)record.name_length, record.name);
            continue;
        }
        if (!an_llvm_summary_builder_add(show->summary, &record) ||
            (request->top && hot.max && !remember(show, &record, hot)))
            return false;
        if (selected(show, &record))
            show_record(show, &record, &hot);
    }
    return !an_llvm_reader_failed(show->reader);
}

static bool finish(struct show *show, const char *path, uint64_t bytes)
{
    struct an_llvm_summary summary;
    struct an_error error;
    struct request *request = &show->request;
    if (an_llvm_summary_builder_finish(show->summary,
                                       request->cutoff_count ? request->cutoffs : NULL,
                                       request->cutoff_count, &summary, &error) != AN_OK) {
        report_error(&error);
        return false;
    }
    qsort(show->hot, show->hot_count, sizeof *show->hot, hottest_first);
    if (request->json) {
        printf("%s],\n\"profile\": ", show->shown ? "\n" : "");
        print_json(info_json(show, path, bytes, &summary));
        printf("}\n");
    } else if (!request->text && !request->covered) {
        if (show->shown)
            printf("\n");
        print_header(show, path, bytes);
        printf("%s function%s, %s ran; %s counters, total %s, largest %s\n",
               with_commas(show->functions), plural(show->functions), with_commas(show->ran), with_commas(summary.blocks),
               with_commas(summary.total_count), with_commas(summary.max_count));
        if (request->summary)
            print_summary(&summary);
        if (request->top && show->hot_count)
            print_hot(show, (size_t)request->top);
        if (request->binary_ids)
            print_binary_ids(show->info);
        if (request->traces)
            print_traces(show);
    }
    an_llvm_summary_clear(&summary);
    return true;
}

static int show_file(struct show *show, const char *path)
{
    struct an_file file = {0};
    struct an_error error;
    int status = EXIT_FAILED;
    if (an_file_load(&file, path, &error) != AN_OK ||
        (an_llvm_reader_open(&show->reader, file.bytes.data, file.bytes.size, &error) != AN_OK &&
         an_error_in(&error, path))) {
        report_error(&error);
        an_file_close(&file);
        return EXIT_FAILED;
    }
    show->info = an_llvm_reader_info(show->reader);
    show->summary = an_llvm_summary_builder_new();
    if (redirect_start(show->request.output)) {
        if (show->request.json)
            printf("{\"functions\": [");
        if (show->summary && walk(show)) {
            if (finish(show, path, file.bytes.size))
                status = EXIT_DONE;
        } else {
            say_error("out of memory");
        }
        if (!redirect_finish())
            status = EXIT_FAILED;
    }
    for (size_t i = 0; i < show->hot_count; i++)
        free(show->hot[i].name);
    free(show->hot);
    an_llvm_summary_builder_free(show->summary);
    an_llvm_reader_close(show->reader);
    an_file_close(&file);
    return status;
}

static bool take(struct request *request, const struct command *command, int id, const char *value)
{
    switch (id) {
    case ALL:
        request->all = true;
        break;
    case FUNCTION:
        request->function = value;
        break;
    case COUNTS:
        request->counts = true;
        break;
    case VALUES:
        request->values = true;
        break;
    case TOP:
        request->top_given = true;
        return option_number(command, "topn", value, 1u << 30, &request->top);
    case SUMMARY:
        request->summary = true;
        break;
    case CUTOFFS:
        request->summary = true;
        return option_cutoffs(value, request->cutoffs, &request->cutoff_count);
    case BINARY_IDS:
        request->binary_ids = true;
        break;
    case TRACES:
        request->traces = true;
        break;
    case HEADER:
        request->header = true;
        break;
    case COVERED:
        request->covered = true;
        break;
    case CONTEXT_SENSITIVE:
        request->cs = true;
        break;
    case TEXT:
        request->text = true;
        break;
    case JSON:
        request->json = true;
        break;
    default:
        request->output = value;
    }
    return true;
}

static int show_operand(struct show *show, const struct option_parser *parser)
{
    struct request *request = &show->request;
    if (parser->operand_count != 1) {
        say_error("expected one profile, got %zu", parser->operand_count);
        return EXIT_USAGE;
    }
    if (!request->top_given)
        request->top = request->all || request->function || request->header ? 0 : 10;
    if (request->text && !request->function)
        request->all = true;
    int status = request->function
                     ? regcomp(&show->pattern, request->function, REG_EXTENDED | REG_NOSUB)
                     : 0;
    if (status) {
        char text[256];
        regerror(status, &show->pattern, text, sizeof text);
        say_error("--function=%s: %s", request->function, text);
        return EXIT_USAGE;
    }
    status = show_file(show, parser->operands[0]);
    if (request->function)
        regfree(&show->pattern);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct show show = {0};
    struct option_parser parser;
    const char *value;
    int id, status = EXIT_USAGE;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0)
        if (!take(&show.request, command, id, value))
            break;
    if (id == OPTION_HELP)
        status = EXIT_DONE;
    else if (id == OPTION_END)
        status = show_operand(&show, &parser);
    option_finish(&parser);
    return status;
}

const struct command command_show = {
    .name = "show",
    .operands = "PROFILE",
    .summary = "show what is in a profile",
    .description =
        "Shows an LLVM instrumentation profile of any format: what it is, how much it counted, "
        "and its hottest functions; with options, any function's counters and values. '-' is the "
        "standard input.",
    .options = options,
    .examples = "anneal show app.profdata\n"
                "    the header and the ten hottest functions\n"
                "anneal show --function='^parse_' --counts --values app.profdata\n"
                "    all about some functions\n"
                "anneal show --json --all-functions --counts app.profdata\n"
                "    everything, for a script\n",
    .see_also = "anneal-merge(1), anneal-diff(1)",
    .run = run,
};
