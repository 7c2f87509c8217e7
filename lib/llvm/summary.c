/*
 * The summary that compilers take their hot and cold thresholds from (LLVM's ProfileSummaryBuilder):
 * for each cutoff the smallest count among the hottest counters that together make up that share
 * of all counts.
 */
#include "llvm/summary.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "llvm/format.h"

const uint32_t an_llvm_cutoffs[SUMMARY_CUTOFFS] = {10000,  100000, 200000, 300000, 400000, 500000,
                                                   600000, 700000, 800000, 900000, 950000, 990000,
                                                   999000, 999900, 999990, 999999};

struct an_llvm_summary_builder *an_llvm_summary_builder_new(void)
{
    return an_alloc_zero(1, sizeof(struct an_llvm_summary_builder));
}

void an_llvm_summary_builder_free(struct an_llvm_summary_builder *builder)
{
    if (builder)
        an_vector_free(&builder->counts);
    free(builder);
}

void an_llvm_summary_clear(struct an_llvm_summary *summary)
{
    free(summary->entries);
    *summary = (struct an_llvm_summary){0};
}

bool an_llvm_summary_builder_add(struct an_llvm_summary_builder *builder,
                                 const struct an_llvm_record *record)
{
    if (record->counts[0] == AN_LLVM_HOT || record->counts[0] == AN_LLVM_WARM)
        return true;
    builder->functions++;
    builder->blocks += record->count_number;
    for (uint32_t i = 0; i < record->count_number; i++) {
        uint64_t count = record->counts[i];
        if (count == 0) {
            builder->zeros++;
            continue;
        }
        uint64_t *largest = i ? &builder->max_internal_count : &builder->max_function_count;
        if (count > *largest)
            *largest = count;
        if (count > builder->max_count)
            builder->max_count = count;
        builder->total_count += count; /* wraps, as LLVM's does */
        uint64_t *place = an_vector_push(&builder->counts);
        if (!place)
            return false;
        *place = count;
    }
    return true;
}

static int ascending(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/*
 * Ascending, by a radix sort of a byte at a time that skips bytes in which all agree: counts are
 * many, and mostly small. spare is as long as counts; the result is in one of the two.
 */
static uint64_t *sort_counts(uint64_t *counts, uint64_t *spare, size_t number)
{
    uint64_t either = 0;
    for (size_t i = 0; i < number; i++)
        either |= counts[i];
    for (unsigned shift = 0; shift < 64 && either >> shift; shift += 8) {
        size_t starts[257] = {0};
        for (size_t i = 0; i < number; i++)
            starts[(counts[i] >> shift & 255) + 1]++;
        for (unsigned digit = 0; digit < 256; digit++)
            starts[digit + 1] += starts[digit];
        for (size_t i = 0; i < number; i++)
            spare[starts[counts[i] >> shift & 255]++] = counts[i];
        uint64_t *sorted = spare;
        spare = counts;
        counts = sorted;
    }
    return counts;
}

/* The counts from the largest down, one run of equal ones at a time. */
struct descent {
    const uint64_t *counts;
    size_t left;
    uint64_t zeros;
};

static bool next_run(struct descent *descent, uint64_t *count, uint64_t *number)
{
    if (descent->left == 0) {
        *count = 0;
        *number = descent->zeros;
        descent->zeros = 0;
        return *number != 0;
    }
    *count = descent->counts[descent->left - 1];
    *number = 0;
    while (descent->left && descent->counts[descent->left - 1] == *count) {
        descent->left--;
        ++*number;
    }
    return true;
}

enum an_code an_llvm_summary_builder_finish(struct an_llvm_summary_builder *builder,
                                            const uint32_t *cutoffs, size_t cutoff_count,
                                            struct an_llvm_summary *summary, struct an_error *error)
{
    if (!cutoffs) {
        cutoffs = an_llvm_cutoffs;
        cutoff_count = SUMMARY_CUTOFFS;
    }
    uint32_t *sorted = an_alloc(cutoff_count, sizeof *sorted);
    uint64_t *spare = an_alloc(2 * builder->counts.count, sizeof *spare);
    struct an_llvm_summary_entry *entries = an_alloc(cutoff_count, sizeof *entries);
    if (!sorted || !spare || !entries) {
        free(sorted);
        free(spare);
        free(entries);
        return an_fail_memory(error);
    }
    size_t number = builder->counts.count;
    memcpy(sorted, cutoffs, cutoff_count * sizeof *sorted);
    qsort(sorted, cutoff_count, sizeof *sorted, ascending);
    if (number)
        memcpy(spare, builder->counts.items, number * sizeof *spare);
    struct descent descent = {sort_counts(spare, spare + number, number), number, builder->zeros};
    uint64_t sum = 0, smallest = 0, run, count;
    uint32_t seen = 0; /* 32 bits wide in LLVM too */
    for (size_t i = 0; i < cutoff_count; i++) {
        uint64_t wanted = (uint64_t)((unsigned __int128)builder->total_count * sorted[i] / 1000000);
        while (sum < wanted && next_run(&descent, &count, &run)) {
            smallest = count;
            sum += count * (uint32_t)run;
            seen += (uint32_t)run;
        }
        entries[i] = (struct an_llvm_summary_entry){sorted[i], smallest, seen};
    }
    free(sorted);
    free(spare);
    *summary = (struct an_llvm_summary){
        .functions = builder->functions,
        .blocks = builder->blocks,
        .total_count = builder->total_count,
        .max_function_count = builder->max_function_count,
        .max_internal_count = builder->max_internal_count,
        .max_count = builder->max_count,
        .entries = entries,
        .entry_count = cutoff_count,
    };
    return AN_OK;
}
