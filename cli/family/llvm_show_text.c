/* anneal show for people. */
#include <stdio.h>

#include "base/percent.h"
#include "cli/core/output.h"
#include "llvm_names.h"
#include "llvm_show.h"

static void print_values(const struct llvm_show *show, const struct an_llvm_values *values)
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
                const char *name =
                    kind == AN_LLVM_MEMOP_SIZE
                        ? NULL
                        : an_llvm_reader_symbol(show->reader, site->values[v].value, &length);
                printf("    site %-4u %14s  %5.1f%%  ", s, with_commas(site->values[v].count),
                       an_percent(site->values[v].count, sum, 1));
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

static void print_uniform(const struct an_llvm_record *record)
{
    printf("  uniform");
    for (uint32_t i = 0; i < record->count_number; i++)
        printf(" %s", an_llvm_is_uniform(record, i) ? "yes" : "no");
    printf("\n");
}

void llvm_show_function(const struct llvm_show *show, const struct an_llvm_record *record,
                        const struct hot *hot)
{
    printf("%.*s\n  hash 0x%016llx, %u counters, total %s, largest %s\n", (int)record->name_length,
           record->name, (unsigned long long)record->hash, record->count_number,
           with_commas(hot->sum), with_commas(hot->max));
    if (show->request->counts) {
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
        if (record->uniform)
            print_uniform(record);
    }
    if (show->request->values)
        print_values(show, record->values);
}

static void print_header(const struct llvm_show *show, const char *path, uint64_t bytes)
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
        printf("memory profile version %u, %zu function%s with %zu allocation%s, %s\n",
               info->memprof_version, info->memprof_functions, plural(info->memprof_functions),
               info->memprof_allocations, plural(info->memprof_allocations),
               as_size(info->memprof_bytes));
    if (info->unnamed)
        printf("%zu functions whose names are not in the file\n", info->unnamed);
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
               with_commas(summary->entries[i].min_count), with_commas(summary->entries[i].blocks));
}

static void print_hot(const struct llvm_show *show, size_t number)
{
    printf("\n%14s  %14s  %7s  %s\n", "largest count", "total", "share", "function");
    for (size_t i = 0; i < number && i < show->hot_count; i++)
        printf("%14s  %14s  %6.2f%%  %s\n", with_commas(show->hot[i].max),
               with_commas(show->hot[i].sum), an_percent(show->hot[i].sum, show->total, 2),
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

static void print_traces(const struct llvm_show *show)
{
    for (size_t i = 0; i < show->info->trace_count; i++) {
        const struct an_llvm_trace *trace = &show->info->traces[i];
        printf("\ntrace %zu, weight %llu, %zu functions\n", i, (unsigned long long)trace->weight,
               trace->function_count);
        for (size_t f = 0; f < trace->function_count; f++) {
            size_t length = 0;
            const char *name = an_llvm_reader_symbol(show->reader, trace->functions[f], &length);
            printf("  %.*s\n", name ? (int)length : 9, name ? name : "(unknown)");
        }
    }
}

void llvm_show_profile(const struct llvm_show *show, const char *path, uint64_t bytes,
                       const struct an_llvm_summary *summary)
{
    const struct show_request *request = show->request;
    print_header(show, path, bytes);
    printf("%s function%s, %s ran; %s counters, total %s, largest %s\n",
           with_commas(show->functions), plural(show->functions), with_commas(show->ran),
           with_commas(summary->blocks), with_commas(summary->total_count),
           with_commas(summary->max_count));
    if (request->summary)
        print_summary(summary);
    if (request->top && show->hot_count)
        print_hot(show, (size_t)request->top);
    if (request->binary_ids)
        print_binary_ids(show->info);
    if (request->traces)
        print_traces(show);
}
