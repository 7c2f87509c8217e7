/* llvm-profdata show and overlap, printed as LLVM 19 prints them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/llvm.h>

#include "base/file.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "cli/family/llvm_memory.h"
#include "cli/family/llvm_names.h"
#include "cli/family/llvm_verdict.h"
#include "cli/profiles/llvm_refused.h"
#include "hot_functions.h"
#include "hottest.h"
#include "llvm_profdata_debug_info.h"
#include "llvm_profdata_version.h"

enum {
    OUTPUT = 1,
    COUNTS,
    TEXT,
    IGNORED,
    TARGETS,
    VTABLES,
    SIZES,
    DETAILED,
    CUTOFFS,
    ALL,
    CONTEXT_SENSITIVE,
    TOP,
    VALUE_CUTOFF,
    ONLY_BELOW,
    BINARY_IDS,
    TRACES,
    COVERED,
    VERSION,
    HOT_LIST,
    FUNCTION,
    FORMAT,
    JSON,
    DEBUG_INFO,
    SYMBOL_LIST,
    MEMORY,
    PROFILED_BINARY,
};

#define SHOW_KINDS TAKEN_LLVM("Profile kind supported by show:")

static const char *const show_formats[] = {"text", "json", "yaml", NULL};

static const struct option_spec show_options[] = {
    {OUTPUT, 'o', "output", "FILE", "output file (default: standard output)", TAKEN},
    {ALL, 0, "all-functions", NULL, "details for each and every function", TAKEN},
    {FUNCTION, 0, "function", "NAME", "only functions whose name contains NAME", TAKEN},
    {COUNTS, 0, "counts", NULL, "show counter values for shown functions", TAKEN},
    {TARGETS, 0, "ic-targets", NULL, "show indirect call targets for shown functions", TAKEN},
    {SIZES, 0, "memop-sizes", NULL, "show memory operation sizes for shown functions", TAKEN},
    {VTABLES, 0, "show-vtables", NULL, "show virtual tables for shown functions", TAKEN},
    {TEXT, 0, "text", NULL, "show in the text format", TAKEN},
    {DETAILED, 0, "detailed-summary", NULL, "show the detailed summary", TAKEN},
    {CUTOFFS,
     0,
     "detailed-summary-cutoffs",
     "N,...",
     "for these shares, in millionths",
     {.kind = VALUE_TAKEN, .again = true, .llvm = "uint"}},
    {TOP, 0, "topn", "N", "functions with the largest internal counts", TAKEN_LLVM("uint")},
    {VALUE_CUTOFF, 0, "value-cutoff", "N", "leave out functions whose largest count is less",
     TAKEN_LLVM("uint")},
    {ONLY_BELOW, 0, "list-below-cutoff", NULL, "list those functions", TAKEN},
    {CONTEXT_SENSITIVE, 0, "showcs", NULL, "show context-sensitive counts", TAKEN},
    {COVERED, 0, "covered", NULL, "show only the names of functions that ran", TAKEN},
    {BINARY_IDS, 0, "binary-ids", NULL, "show binary ids", TAKEN},
    {TRACES, 0, "temporal-profile-traces", NULL, "show temporal profile traces", TAKEN},
    {VERSION, 0, "profile-version", NULL, "show the profile's version", TAKEN},
    {HOT_LIST, 0, "hot-func-list", NULL, "list hot functions (as LLVM 22 and later)", TAKEN},
    {IGNORED, 0, "instr", NULL, "instrumentation profile (default)", SHOW_KINDS},
    {REFUSED_SAMPLE, 0, "sample", NULL, NULL, SHOW_KINDS},
    {MEMORY, 0, "memory", NULL, "raw memory profile", SHOW_KINDS},
    {FORMAT, 0, "show-format", "FORMAT", "text", TAKEN_WORD(show_formats)},
    {JSON, 0, "json", NULL, NULL, TAKEN},
    {DEBUG_INFO, 0, "debug-info", "FILE", "show the functions that debug info describes", TAKEN},
    /* These mean something for other kinds of profiles only. */
    {SYMBOL_LIST, 0, "show-prof-sym-list", NULL, NULL, TAKEN},
    {IGNORED, 0, "show-sec-info-only", NULL, NULL, TAKEN},
    {PROFILED_BINARY, 0, "profiled-binary", "FILE", "the program that left a raw memory profile",
     TAKEN},
    {IGNORED, 0, "max-debug-info-correlation-warnings", "N", NULL, TAKEN_LLVM("uint")},
    {0},
};

struct site_statistics {
    uint64_t sites, with_values, values;
    unsigned histogram[AN_LLVM_VALUES_PER_SITE + 1];
};

struct show {
    bool all, counts, text, targets, vtables, sizes, detailed, cs, only_below, binary_ids, traces,
        covered, version, hot_list;
    const char *function, *output, *debug_info, *program;
    bool memory;
    bool symbol_list;
    unsigned long long top, cutoff;
    uint32_t cutoffs[MOST_CUTOFFS];
    size_t cutoff_count;

    struct an_llvm_reader *reader;
    const struct an_llvm_info *info;
    struct an_llvm_summary_builder *summary;
    struct site_statistics statistics[AN_LLVM_VALUE_KINDS];
    struct hottest hottest;
    struct hot_functions hot;
    size_t shown, below;
};

static bool is_ir(const struct show *show)
{
    return show->info->variants & AN_LLVM_IR;
}

/* LLVM 19 has a list for sample profiles only, and finds the first functions by a heap. */
static bool sorts_functions(const struct show *show)
{
    return (show->hot_list || show->top) && llvm_profdata_release() > 19;
}

static bool selected(const struct show *show, const struct an_llvm_record *record)
{
    return show->all ||
           (show->function && *show->function &&
            memmem(record->name, record->name_length, show->function, strlen(show->function)));
}

static uint32_t sites_of(const struct an_llvm_record *record, int kind)
{
    return record->values ? record->values->site_count[kind] : 0;
}

static void print_sites(struct show *show, const struct an_llvm_record *record, int kind)
{
    struct site_statistics *statistics = &show->statistics[kind];
    statistics->sites += sites_of(record, kind);
    for (uint32_t i = 0; i < sites_of(record, kind); i++) {
        const struct an_llvm_site *site = &record->values->sites[kind][i];
        uint64_t sum = 0;
        if (site->count == 0)
            continue;
        statistics->values += site->count;
        statistics->with_values++;
        statistics->histogram[site->count <= AN_LLVM_VALUES_PER_SITE ? site->count : 0]++;
        for (uint32_t v = 0; v < site->count; v++)
            sum += site->values[v].count;
        for (uint32_t v = 0; v < site->count; v++) {
            printf("\t[ %2u, ", i);
            if (kind == AN_LLVM_MEMOP_SIZE) {
                printf("%4" PRIu64, site->values[v].value);
            } else {
                size_t length = 0;
                const char *name =
                    an_llvm_reader_symbol(show->reader, site->values[v].value, &length);
                printf("%.*s", (int)length, name ? name : "");
            }
            printf(", %10" PRId64 " ] (%.2f%%)\n", (int64_t)site->values[v].count,
                   (double)site->values[v].count * 100.0 / (double)(sum ? sum : 1));
        }
    }
}

static void print_head(struct show *show, const struct an_llvm_record *record)
{
    if (show->shown++ == 0)
        printf("Counters:\n");
    printf("  %.*s:\n    Hash: 0x%016" PRIx64 "\n    Counters: %u", (int)record->name_length,
           record->name, record->hash, record->count_number);
}

/* As LLVM 23, which shows it of indexed profiles: where all lanes of a wave went the same way (U), or diverged (D). */
static void print_uniformity(const struct show *show, const struct an_llvm_record *record)
{
    uint32_t start = is_ir(show) ? 0 : 1;
    if (!record->uniform || show->info->format != AN_LLVM_INDEXED)
        return;
    printf("    Block uniformity: [");
    for (uint32_t i = start; i < record->count_number; i++)
        printf("%s%c", i == start ? "" : ", ", an_llvm_is_uniform(record, i) ? 'U' : 'D');
    printf("]\n");
}

static void print_record(struct show *show, const struct an_llvm_record *record)
{
    uint32_t sizes = sites_of(record, AN_LLVM_MEMOP_SIZE);
    print_head(show, record);
    printf("\n");
    if (!is_ir(show))
        printf("    Function count: %" PRIu64 "\n", record->counts[0]);
    if (show->targets)
        printf("    Indirect Call Site Count: %u\n", sites_of(record, AN_LLVM_INDIRECT_CALL));
    if (show->vtables)
        printf("    Number of instrumented vtables: %u\n", sites_of(record, AN_LLVM_VTABLE));
    if (show->sizes && sizes)
        printf("    Number of Memory Intrinsics Calls: %u\n", sizes);
    if (show->counts) {
        printf("    Block counts: [");
        for (uint32_t start = is_ir(show) ? 0 : 1, i = start; i < record->count_number; i++)
            printf("%s%" PRIu64, i == start ? "" : ", ", record->counts[i]);
        printf("]\n");
        print_uniformity(show, record);
    }
    if (show->targets) {
        printf("    Indirect Target Results:\n");
        print_sites(show, record, AN_LLVM_INDIRECT_CALL);
    }
    if (show->vtables) {
        printf("    VTable Results:\n");
        print_sites(show, record, AN_LLVM_VTABLE);
    }
    if (show->sizes && sizes) {
        printf("    Memory Intrinsic Size Results:\n");
        print_sites(show, record, AN_LLVM_MEMOP_SIZE);
    }
}

/* A function that was marked hot or warm instead of being counted. */
static void print_pseudo(struct show *show, const struct an_llvm_record *record)
{
    print_head(show, record);
    printf("    <Pseudo%s>\n", record->counts[0] == AN_LLVM_HOT ? "Hot" : "Warm");
}

/* Of a function that is not left out. */
static bool note_max(struct show *show, const struct an_llvm_record *record, uint64_t max)
{
    if (sorts_functions(show))
        return hot_functions_add(&show->hot, record->name, record->name_length, max);
    return !show->top || hottest_add(&show->hottest, record->name, record->name_length, max);
}

static bool visit(struct show *show, const struct an_llvm_record *record)
{
    uint64_t max = 0, sum = 0;
    if (is_ir(show) && AN_LLVM_IS_CONTEXT_SENSITIVE(record->hash) != show->cs)
        return true;
    bool shown = selected(show, record);
    if (shown && show->text) {
        print_record_text(show->reader, record);
        return true;
    }
    if (!an_llvm_summary_builder_add(show->summary, record))
        return false;
    for (uint32_t i = 0; i < record->count_number; i++) {
        max = record->counts[i] > max ? record->counts[i] : max;
        sum += record->counts[i];
    }
    if (show->covered) {
        if (max)
            printf("%.*s\n", (int)record->name_length, record->name);
        return true;
    }
    if (record->counts[0] == AN_LLVM_HOT || record->counts[0] == AN_LLVM_WARM) {
        if (shown)
            print_pseudo(show, record);
        return true;
    }
    if (max < show->cutoff) {
        show->below++;
        if (show->only_below)
            printf("  %.*s: (Max = %" PRIu64 " Sum = %" PRIu64 ")\n", (int)record->name_length,
                   record->name, max, sum);
        return true;
    }
    if (show->only_below)
        return true;
    if (!note_max(show, record, max))
        return false;
    if (shown)
        print_record(show, record);
    return true;
}

static void print_below(const struct show *show, uint32_t functions)
{
    if (show->cutoff)
        printf("Number of functions with maximum count (< %llu): %zu\n"
               "Number of functions with maximum count (>= %llu): %zu\n",
               show->cutoff, show->below, show->cutoff, functions - show->below);
}

static void print_top(struct show *show)
{
    printf("Top %llu functions with the largest internal block counts: \n", show->top);
    if (sorts_functions(show))
        hot_functions_print_top(&show->hot, show->top);
    else
        hottest_print(&show->hottest);
}

static void print_statistics(const struct site_statistics *statistics)
{
    printf("  Total number of sites: %" PRIu64 "\n"
           "  Total number of sites with values: %" PRIu64 "\n"
           "  Total number of profiled values: %" PRIu64 "\n"
           "  Value sites histogram:\n\tNumTargets, SiteCount\n",
           statistics->sites, statistics->with_values, statistics->values);
    for (unsigned i = 1; i <= AN_LLVM_VALUES_PER_SITE; i++)
        if (statistics->histogram[i])
            printf("\t%u, %u\n", i, statistics->histogram[i]);
}

static void print_traces(struct show *show)
{
    printf("Temporal Profile Traces (samples=%zu seen=%" PRIu64 "):\n", show->info->trace_count,
           show->info->trace_stream_size);
    for (size_t i = 0; i < show->info->trace_count; i++) {
        const struct an_llvm_trace *trace = &show->info->traces[i];
        printf("  Temporal Profile Trace %zu (weight=%" PRIu64 " count=%zu):\n", i, trace->weight,
               trace->function_count);
        for (size_t f = 0; f < trace->function_count; f++) {
            size_t length = 0;
            const char *name = an_llvm_reader_symbol(show->reader, trace->functions[f], &length);
            printf("    %.*s\n", (int)length, name ? name : "");
        }
    }
}

static void print_binary_ids(const struct an_llvm_info *info)
{
    if (info->binary_id_count || info->format == AN_LLVM_INDEXED)
        printf("Binary IDs: \n");
    for (size_t i = 0; i < info->binary_id_count; i++) {
        for (size_t b = 0; b < info->binary_ids[i].size; b++)
            printf("%02x", info->binary_ids[i].bytes[b]);
        printf("\n");
    }
}

static void print_sums(const struct an_llvm_summary *summary)
{
    printf("Total number of blocks: %" PRIu32 "\nTotal count: %" PRIu64 "\n",
           (uint32_t)summary->blocks, summary->total_count);
}

static void print_detailed(const struct an_llvm_summary *summary)
{
    bool is_new = llvm_profdata_release() > 19;
    if (!is_new)
        print_sums(summary);
    printf("Detailed summary:\n");
    for (size_t i = 0; i < summary->entry_count; i++) {
        const struct an_llvm_summary_entry *entry = &summary->entries[i];
        printf("%" PRIu64 " blocks ", entry->blocks);
        if (is_new)
            printf("(%.2f%%) ", 100.0 * (double)entry->blocks / (double)summary->blocks);
        printf("with count >= %" PRIu64 " account for %0.6g%s of the total counts.\n",
               entry->min_count, (double)((float)entry->cutoff / 1000000 * 100),
               is_new ? "%" : " percentage");
    }
}

/* False after a message. */
static bool print_totals(struct show *show, const struct an_llvm_summary *summary)
{
    /* The number of functions is 32 bits wide in LLVM. */
    uint32_t functions = (uint32_t)summary->functions;
    bool is_new = llvm_profdata_release() > 19;
    printf("Instrumentation level: %s", is_ir(show) ? "IR" : "Front-end");
    if (is_ir(show))
        printf("  entry_first = %d", (show->info->variants & AN_LLVM_ENTRY_FIRST) != 0);
    bool has_loops = show->info->variants & AN_LLVM_LOOP_ENTRIES;
    if (is_ir(show) && (has_loops || is_new)) /* as LLVM 20 and later */
        printf("  instrument_loop_entries = %d", has_loops);
    printf("\n");
    if (show->all || (show->function && *show->function))
        printf("Functions shown: %zu\n", show->shown);
    printf("Total functions: %" PRIu32 "\n", functions);
    if (!is_new)
        print_below(show, functions);
    printf("Maximum function count: %" PRIu64 "\nMaximum internal block count: %" PRIu64 "\n",
           summary->max_function_count, summary->max_internal_count);
    if (is_new) {
        print_sums(summary);
        print_below(show, functions);
    }
    if (show->top)
        print_top(show);
    if (is_new && show->hot_list && !hot_functions_print(&show->hot, summary)) {
        say_error("Desired percentile exceeds the maximum cutoff");
        return false;
    }
    if (show->shown && show->targets) {
        printf("Statistics for indirect call sites profile:\n");
        print_statistics(&show->statistics[AN_LLVM_INDIRECT_CALL]);
    }
    if (show->shown && show->vtables) {
        printf("Statistics for vtable profile:\n");
        print_statistics(&show->statistics[AN_LLVM_VTABLE]);
    }
    if (show->shown && show->sizes) {
        printf("Statistics for memory intrinsic calls sizes profile:\n");
        print_statistics(&show->statistics[AN_LLVM_MEMOP_SIZE]);
    }
    if (show->detailed)
        print_detailed(summary);
    if (show->binary_ids)
        print_binary_ids(show->info);
    if (show->version)
        printf("Profile version: %" PRIu64 "\n", /* of raw profiles the whole word, as LLVM does */
               show->info->format == AN_LLVM_RAW
                   ? an_llvm_version_word(show->info->version, show->info->variants)
                   : show->info->version);
    if (show->traces)
        print_traces(show);
    return true;
}

static bool walk(struct show *show)
{
    struct an_llvm_record record;
    if (!show->text && show->only_below)
        printf("The list of functions with the maximum counter less than %llu:\n", show->cutoff);
    if (show->text && is_ir(show))
        printf(":ir\n");
    while (an_llvm_reader_next(show->reader, &record))
        if (!visit(show, &record))
            return false;
    return !an_llvm_reader_failed(show->reader);
}

static bool print_all(struct show *show)
{
    struct an_llvm_summary summary;
    struct an_error error;
    show->summary = an_llvm_summary_builder_new();
    bool done =
        show->summary && walk(show) &&
        an_llvm_summary_builder_finish(show->summary, show->cutoff_count ? show->cutoffs : NULL,
                                       show->cutoff_count, &summary, &error) == AN_OK;
    if (!done) {
        say_error("out of memory");
    } else {
        if (!show->text && !show->covered)
            done = print_totals(show, &summary);
        an_llvm_summary_clear(&summary);
    }
    an_llvm_summary_builder_free(show->summary);
    hottest_free(&show->hottest);
    hot_functions_free(&show->hot);
    return done;
}

static void report(const struct an_error *error, const char *path, unsigned looks)
{
    char text[AN_LLVM_VERDICT_SIZE];
    llvm_tell(path, llvm_verdict(path, looks, error, text));
}

static int show_file(struct show *show, const char *path)
{
    struct an_file file = {0};
    struct an_error error;
    enum an_code code = an_file_load(&file, path, &error);
    int status = EXIT_FAILED;
    if (code == AN_OK)
        code = an_llvm_reader_open(&show->reader, file.bytes.data, file.bytes.size, &error);
    if (code != AN_OK) {
        report(&error, path, show->binary_ids ? AN_LLVM_LOOKS_AT_IDS : 0);
    } else if (redirect_start(show->output)) {
        show->info = an_llvm_reader_info(show->reader);
        show->hottest.most = (size_t)show->top;
        if (redirect_finish(print_all(show)))
            status = EXIT_DONE;
    }
    if (code == AN_OK)
        an_llvm_reader_close(show->reader);
    an_file_close(&file);
    return status;
}

static void report_memory(const struct an_error *error, const char *path)
{
    const char *between = llvm_profdata_release() > 19 ? ": " : "\n";
    if (error->code == AN_UNKNOWN && !error->file[0])
        fprintf(stderr, "error: %s%sinvalid instrumentation profile data (bad magic)\n", path,
                between);
    else
        report(error, error->file[0] ? error->file : path, 0);
}

static int show_memory(const struct show *show, const char *path)
{
    struct an_file file = {0};
    struct an_error error;
    enum an_code code = an_file_load(&file, path, &error);
    bool done = false;
    if (code != AN_OK) {
        report(&error, path, 0);
    } else if (redirect_start(show->output)) {
        code = llvm_memory_print(file.bytes, &show->program, show->program != NULL,
                                 llvm_profdata_release(), &error);
        done = redirect_finish(code == AN_OK);
        if (code != AN_OK)
            report_memory(&error, path);
    }
    an_file_close(&file);
    return done ? EXIT_DONE : EXIT_FAILED;
}

static bool take(const struct command *command, void *values, int id, const char *value)
{
    struct show *show = values;
    bool *const flags[] = {
        [COUNTS] = &show->counts,
        [TEXT] = &show->text,
        [TARGETS] = &show->targets,
        [VTABLES] = &show->vtables,
        [SIZES] = &show->sizes,
        [DETAILED] = &show->detailed,
        [ALL] = &show->all,
        [CONTEXT_SENSITIVE] = &show->cs,
        [ONLY_BELOW] = &show->only_below,
        [BINARY_IDS] = &show->binary_ids,
        [TRACES] = &show->traces,
        [COVERED] = &show->covered,
        [VERSION] = &show->version,
        [HOT_LIST] = &show->hot_list,
    };
    if (id < (int)(sizeof flags / sizeof *flags) && flags[id]) {
        *flags[id] = true;
        return true;
    }
    switch (id) {
    case OUTPUT:
        show->output = value;
        return true;
    case IGNORED:
        return true;
    case CUTOFFS:
        return option_cutoffs(value, show->cutoffs, &show->cutoff_count);
    case TOP:
        return option_number(command, "topn", value, UINT32_MAX, &show->top);
    case VALUE_CUTOFF:
        return option_number(command, "value-cutoff", value, UINT32_MAX, &show->cutoff);
    case DEBUG_INFO:
        show->debug_info = value;
        return true;
    case MEMORY:
        show->memory = true;
        return true;
    case PROFILED_BINARY:
        show->program = value;
        return true;
    case SYMBOL_LIST:
        show->symbol_list = true;
        return true;
    case FUNCTION:
        show->function = value;
        return true;
    case FORMAT:
    case JSON:
        if (id == FORMAT && strcmp(value, "text") == 0)
            return true;
        fprintf(stderr, "error: %s output is not supported for instr profiles\n",
                id == FORMAT && strcmp(value, "yaml") == 0 ? "YAML" : "JSON");
        return false;
    default:
        return !llvm_option_refused(id);
    }
}

static int act(void *values, const struct option_parser *parser)
{
    const struct show *show = values;
    if (show->debug_info)
        return llvm_profdata_debug_info(
            show->debug_info,
            &(struct debug_info_show){show->symbol_list, show->detailed, show->output});
    if (!parser->operand_count || !*parser->operands[0]) {
        fprintf(stderr, "error: the positional argument '<profdata-file>' is required unless "
                        "'--debug-info' is provided\n");
        return EXIT_FAILED;
    }
    if (show->output && strcmp(show->output, parser->operands[0]) == 0) {
        fprintf(stderr, "%s show: Input file name cannot be the same as the output file name!\n",
                program_name);
        return EXIT_FAILED;
    }
    if (show->all && show->function)
        fprintf(stderr, "warning: -function argument ignored: showing all functions\n");
    return show->memory ? show_memory(show, parser->operands[0])
                        : show_file(values, parser->operands[0]);
}

static int run_show(const struct command *command, int argc, char **argv)
{
    struct show show = {0};
    return option_run(command, argc, argv, &show, take, act);
}

const struct command llvm_show = {
    .name = "show",
    .operands = "<profdata-file>",
    .summary = "show a profile",
    .description = "Takes a profile and displays it.",
    .options = show_options,
    .examples = "",
    .see_also = "",
    .run = run_show,
    .usage_status = EXIT_FAILED,
    .single_dash = true,
    .stands_in = true,
    .last_counts = true,
    .parses_as_llvm = true,
    .most_operands = 1,
    .print_version = llvm_profdata_version,
};

/* ---- overlap ---- */

static const struct option_spec overlap_options[] = {
    {OUTPUT, 'o', "output", "FILE", "output file (default: standard output)", TAKEN},
    {CONTEXT_SENSITIVE, 0, "cs", NULL, "for context-sensitive counts", TAKEN},
    {FUNCTION, 0, "function", "NAME", "details of functions whose name contains NAME", TAKEN},
    {VALUE_CUTOFF, 0, "value-cutoff", "N", "details of functions with a count of at least N",
     TAKEN_LLVM("ullong")},
    {IGNORED, 0, "instr", NULL, "instrumentation profiles (default)", TAKEN_LLVM("Profile kind:")},
    {REFUSED_SAMPLE, 0, "sample", NULL, NULL, TAKEN_LLVM("Profile kind:")},
    {IGNORED, 0, "similarity-cutoff", "N", NULL, TAKEN_LLVM("ullong")},
    {0},
};

static void print_share(const char *before, double share)
{
    printf("  %s: %.3f%%\n", before, share * 100);
}

static void print_overlap(const struct an_llvm_overlap *o, const char *entries)
{
    static const char *const kinds[] = {"IndirectCall", "MemOP", "VTable"};
    bool mismatch = o->mismatch.entries, unique = o->unique.entries;
    printf("  # of %s overlap: %" PRIu64 "\n", entries, o->overlap.entries);
    if (mismatch)
        printf("  # of %s mismatch: %" PRIu64 "\n", entries, o->mismatch.entries);
    if (unique)
        printf("  # of %s only in test_profile: %" PRIu64 "\n", entries, o->unique.entries);
    print_share("Edge profile overlap", o->overlap.counts);
    if (mismatch)
        print_share("Mismatched count percentage (Edge)", o->mismatch.counts);
    if (unique)
        print_share("Percentage of Edge profile only in test_profile", o->unique.counts);
    printf("  Edge profile base count sum: %.0f\n  Edge profile test count sum: %.0f\n",
           o->base.counts, o->test.counts);
    for (int k = 0; k < AN_LLVM_VALUE_KINDS; k++) {
        if (o->base.values[k] < 1 && o->test.values[k] < 1)
            continue;
        printf("  %s profile overlap: %.3f%%\n", kinds[k], o->overlap.values[k] * 100);
        if (mismatch)
            printf("  Mismatched count percentage (%s): %.3f%%\n", kinds[k],
                   o->mismatch.values[k] * 100);
        if (unique)
            printf("  Percentage of %s profile only in test_profile: %.3f%%\n", kinds[k],
                   o->unique.values[k] * 100);
        printf("  %s profile base count sum: %.0f\n  %s profile test count sum: %.0f\n", kinds[k],
               o->base.values[k], kinds[k], o->test.values[k]);
    }
}

static void print_level(void *context, const struct an_llvm_overlap_function *function)
{
    (void)context;
    if (!function->level_valid)
        return;
    printf("Function level:\n  Function: %.*s (Hash=%" PRIu64 ")\n", (int)function->name_length,
           function->name, function->hash);
    print_overlap(&function->level, "edge counters");
}

static int overlap(char **paths, struct an_llvm_overlap_options *options)
{
    struct an_llvm_overlap result;
    struct an_error error;
    options->report = print_level;
    if (an_llvm_overlap(paths[0], paths[1], options, &result, &error) != AN_OK) {
        bool is_base = strcmp(error.file, paths[1]) != 0;
        char text[AN_LLVM_VERDICT_SIZE];
        llvm_tell("error in getting profile count sums",
                  llvm_verdict(paths[!is_base], 0, &error, text));
        return EXIT_FAILED;
    }
    if (result.base.counts < 1 || result.test.counts < 1) {
        printf("Sum of edge counts for profile %s is 0.\n", paths[result.base.counts >= 1]);
        return EXIT_DONE;
    }
    printf("Profile overlap %s for base_profile: %s and test_profile: %s\n"
           "Program level:\n",
           llvm_profdata_release() > 19 ? "information" : "infomation", paths[0], paths[1]);
    print_overlap(&result, "functions");
    return EXIT_DONE;
}

struct overlap_request {
    struct an_llvm_overlap_options options;
    const char *output;
};

static bool take_overlap(const struct command *command, void *values, int id, const char *value)
{
    struct overlap_request *request = values;
    unsigned long long number = 0;
    switch (id) {
    case OUTPUT:
        request->output = value;
        return true;
    case CONTEXT_SENSITIVE:
        request->options.context_sensitive = true;
        return true;
    case FUNCTION:
        request->options.function = value;
        return true;
    case VALUE_CUTOFF:
        if (!option_number(command, "value-cutoff", value, UINT64_MAX, &number))
            return false;
        request->options.value_cutoff = number;
        return true;
    case IGNORED:
        return true;
    default:
        return !llvm_option_refused(id);
    }
}

static int act_overlap(void *values, const struct option_parser *parser)
{
    struct overlap_request *request = values;
    if (!redirect_start(request->output))
        return EXIT_FAILED;
    int status = overlap(parser->operands, &request->options);
    return redirect_finish(status == EXIT_DONE) ? EXIT_DONE : EXIT_FAILED;
}

static int run_overlap(const struct command *command, int argc, char **argv)
{
    struct overlap_request request = {
        .options = {.size = sizeof request.options, .value_cutoff = UINT64_MAX}};
    return option_run(command, argc, argv, &request, take_overlap, act_overlap);
}

const struct command llvm_overlap = {
    .name = "overlap",
    .operands = "<base profile file> <test profile file>",
    .summary = "compare two profiles",
    .description = "Computes and displays the overlap between two profiles.",
    .options = overlap_options,
    .examples = "",
    .see_also = "",
    .run = run_overlap,
    .usage_status = EXIT_FAILED,
    .single_dash = true,
    .stands_in = true,
    .last_counts = true,
    .parses_as_llvm = true,
    .least_operands = 2,
    .most_operands = 2,
    .print_version = llvm_profdata_version,
};
