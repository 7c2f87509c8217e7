/* Writing gcda files; format.h draws them. */
#include "gcc/gcda.h"

static void put(const struct an_gcda *gcda, struct an_buffer *to, uint32_t word)
{
    uint8_t *bytes = an_buffer_extend(to, 4);
    for (unsigned i = 0; bytes && i < 4; i++)
        bytes[i] = (uint8_t)(word >> 8 * (gcda->header.big ? 3 - i : i));
}

static void put_tag(const struct an_gcda *gcda, struct an_buffer *to, uint32_t tag, int64_t words)
{
    put(gcda, to, tag);
    put(gcda, to, (uint32_t)(words * 4 / (int64_t)gcda->header.version.unit));
}

static bool all_are_zero(const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i])
            return false;
    return true;
}

/* clang's runtime does not know the short form of zeros, whatever version its files have. */
static void put_counters(const struct an_gcda *gcda, struct an_buffer *to,
                         const struct an_gcda_counters *counters)
{
    enum { WORDS = 2 };
    const uint64_t *values = gcda->values.items + counters->first;
    uint32_t tag = AN_GCC_COUNTERS + (counters->kind << AN_GCC_KIND_SHIFT);
    bool may_be_zeros = gcda->header.version.has_zeros && !gcda->is_clang &&
                        an_gcda_rule(gcda, counters) != AN_GCC_TOP;
    if (counters->are_zero || (may_be_zeros && all_are_zero(values, counters->count))) {
        put_tag(gcda, to, tag, -(int64_t)counters->count * WORDS);
        return;
    }
    put_tag(gcda, to, tag, (int64_t)counters->count * WORDS);
    for (size_t i = 0; i < counters->count; i++) {
        put(gcda, to, (uint32_t)values[i]);
        put(gcda, to, (uint32_t)(values[i] >> 32));
    }
}

static void put_function(const struct an_gcda *gcda, struct an_buffer *to,
                         const struct an_gcda_function *function)
{
    enum { WORDS = 3 };
    put_tag(gcda, to, AN_GCC_FUNCTION, function->is_present ? WORDS : 0);
    if (!function->is_present)
        return;
    put(gcda, to, function->ident);
    put(gcda, to, function->line_sum);
    put(gcda, to, function->flow_sum);
    for (unsigned i = 0; i < function->kinds; i++)
        put_counters(gcda, to, &gcda->counters.items[function->first + i]);
}

static void put_program(const struct an_gcda *gcda, struct an_buffer *to,
                        const struct an_gcc_program *program)
{
    uint32_t words[AN_GCC_PROGRAM_MOST_WORDS];
    size_t count = an_gcc_program_words(program, &gcda->header.version, words);
    put_tag(gcda, to, AN_GCC_PROGRAM, (int64_t)count);
    for (size_t i = 0; i < count; i++)
        put(gcda, to, words[i]);
}

/* Where there would be a program's, clang's is shorter than those of GCC. */
static void put_summary(const struct an_gcda *gcda, struct an_buffer *to)
{
    enum { WORDS = 2 };
    bool is_program = gcda->header.version.has_programs;
    put_tag(gcda, to, is_program ? AN_GCC_PROGRAM : AN_GCC_SUMMARY,
            is_program ? AN_GCC_CLANG_SUMMARY_WORDS : WORDS);
    for (unsigned i = 0; is_program && i < WORDS; i++)
        put(gcda, to, 0);
    put(gcda, to, gcda->runs);
    if (!is_program)
        put(gcda, to, gcda->sum_max);
}

void an_gcda_write(const struct an_gcda *gcda, struct an_buffer *to)
{
    put(gcda, to, AN_GCDA_MAGIC);
    put(gcda, to, gcda->header.version.word);
    put(gcda, to, gcda->header.stamp);
    if (gcda->header.version.has_checksum)
        put(gcda, to, gcda->header.checksum);
    if (gcda->has_summary && !gcda->is_clang)
        put_summary(gcda, to);
    for (size_t i = 0; i < gcda->programs.count; i++)
        put_program(gcda, to, &gcda->programs.items[i]);
    for (size_t i = 0; i < gcda->functions.count; i++)
        put_function(gcda, to, &gcda->functions.items[i]);
    if (gcda->has_summary && gcda->is_clang) {
        put_summary(gcda, to);
        put(gcda, to, 0);
    }
    put(gcda, to, 0);
}
