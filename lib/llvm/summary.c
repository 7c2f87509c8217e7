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

const uint32_t an_llvm_cutoffs[SUMMARY_CUTOFFS] = {
    10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
    800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999};

struct an_llvm_summary_builder *an_llvm_summary_builder_new(void)
{
    return an_alloc_zero(1, sizeof(struct an_llvm_summary_builder));
}

void an_llvm_summary_builder_free(struct an_llvm_summary_builder *builder)
{
    if (builder)
        an_map_free(&builder->frequencies);
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
    if (record->counts[0] == PSEUDO_HOT || record->counts[0] == PSEUDO_WARM)
        return true;
    builder->functions++;
    builder->blocks += record->count_number;
    uint64_t zeros = 0;
    for (uint32_t i = 0; i < record->count_number; i++) {
        uint64_t count = record->counts[i];
        if (count == 0) {
            zeros++;
            continue;
        }
        uint64_t *largest = i ? &builder->max_internal_count : &builder->max_function_count;
        if (count > *largest)
            *largest = count;
        if (count > builder->max_count)
            builder->max_count = count;
        builder->total_count += count; /* wraps, as LLVM's does */
        bool is_new;
        uint64_t *frequency = an_map_insert(&builder->frequencies, count, &is_new);
        if (!frequency)
            return false;
        ++*frequency;
    }
    builder->frequencies.has_zero |= zeros != 0;
    builder->frequencies.zero_value += zeros;
    return true;
}

static int descending(const void *a, const void *b)
{
    uint64_t left = ((const struct an_map_slot *)a)->key;
    uint64_t right = ((const struct an_map_slot *)b)->key;
    return (left < right) - (left > right);
}

static int ascending(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static size_t collect(const struct an_map *map, struct an_map_slot *slots)
{
    size_t count = 0;
    for (size_t i = 0; map->slots && i <= map->mask; i++)
        if (map->slots[i].key)
            slots[count++] = map->slots[i];
    qsort(slots, count, sizeof *slots, descending);
    if (map->has_zero)
        slots[count++] = (struct an_map_slot){0, map->zero_value};
    return count;
}

enum an_code an_llvm_summary_builder_finish(struct an_llvm_summary_builder *builder,
                                            const uint32_t *cutoffs, size_t cutoff_count,
                                            struct an_llvm_summary *summary,
                                            struct an_error *error)
{
    if (!cutoffs) {
        cutoffs = an_llvm_cutoffs;
        cutoff_count = SUMMARY_CUTOFFS;
    }
    uint32_t *sorted = an_alloc(cutoff_count, sizeof *sorted);
    struct an_map_slot *slots = an_alloc(builder->frequencies.used + 1, sizeof *slots);
    struct an_llvm_summary_entry *entries = an_alloc(cutoff_count, sizeof *entries);
    if (!sorted || !slots || !entries) {
        free(sorted);
        free(slots);
        free(entries);
        return an_fail_memory(error);
    }
    memcpy(sorted, cutoffs, cutoff_count * sizeof *sorted);
    qsort(sorted, cutoff_count, sizeof *sorted, ascending);
    size_t count = collect(&builder->frequencies, slots), next = 0;
    uint64_t sum = 0, smallest = 0;
    uint32_t seen = 0; /* 32 bits wide in LLVM too */
    for (size_t i = 0; i < cutoff_count; i++) {
        uint64_t wanted = (uint64_t)((unsigned __int128)builder->total_count * sorted[i] / 1000000);
        for (; sum < wanted && next < count; next++) {
            smallest = slots[next].key;
            sum += slots[next].key * (uint32_t)slots[next].value;
            seen += (uint32_t)slots[next].value;
        }
        entries[i] = (struct an_llvm_summary_entry){sorted[i], smallest, seen};
    }
    free(sorted);
    free(slots);
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
