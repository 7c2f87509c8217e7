/* Words of llvm-profdata about memory profiles; see memprof_words.h. */
#include "llvm/memprof_words.h"

#include "llvm/memprof_accesses.h"

const char *an_memprof_field_name(unsigned field)
{
    static const char *const names[MEMPROF_FIELDS] = {
        NULL,
        "AllocCount",
        "TotalAccessCount",
        "MinAccessCount",
        "MaxAccessCount",
        "TotalSize",
        "MinSize",
        "MaxSize",
        "AllocTimestamp",
        "DeallocTimestamp",
        "TotalLifetime",
        "MinLifetime",
        "MaxLifetime",
        "AllocCpuId",
        "DeallocCpuId",
        "NumMigratedCpu",
        "NumLifetimeOverlaps",
        "NumSameAllocCpu",
        "NumSameDeallocCpu",
        "DataTypeId",
        "TotalAccessDensity",
        "MinAccessDensity",
        "MaxAccessDensity",
        "TotalLifetimeAccessDensity",
        "MinLifetimeAccessDensity",
        "MaxLifetimeAccessDensity",
        "AccessHistogramSize",
        "AccessHistogram",
    };
    return names[field];
}

static void put_comment(struct an_buffer *text, const char *what, uint64_t number)
{
    an_buffer_print(text, "#   %s: %llu\n", what, (unsigned long long)number);
}

void an_memprof_put_summary(const struct memprof *memprof, const struct memprof_accesses *accesses,
                            struct an_buffer *text)
{
    static const char *const words[MEMPROF_SUMMARY] = {
        "Total contexts",
        "Total cold contexts",
        "Total hot contexts",
        "Maximum cold context total size",
        "Maximum warm context total size",
        "Maximum hot context total size",
    };
    uint64_t counted[MEMPROF_SUMMARY] = {0};
    if (!memprof->has_summary && !an_memprof_sum_up(memprof, counted))
        text->failed = true;
    an_buffer_print(text, "---\n# MemProfSummary:\n");
    for (int i = 0; i < MEMPROF_SUMMARY; i++)
        put_comment(text, words[i], memprof->has_summary ? memprof->summary[i] : counted[i]);
    if (!accesses)
        return;
    put_comment(text, "Num hot symbols and string literals", accesses->record_number);
    put_comment(text, "Num known cold symbols", accesses->cold_number);
    put_comment(text, "Num known cold string literals", accesses->cold_hash_number);
}
