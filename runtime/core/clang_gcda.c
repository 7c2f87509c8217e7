/* See clang_gcda.h. */
#include "core/clang_gcda.h"

#include "core/bytes.h"
#include "core/gcc_gcda.h"

enum { WORD = 4, COUNTER = 8, HEADER = 3 * WORD, LEAST_ROOM = 1 << 16 };
#define FUNCTION 0x01000000u
#define ARCS 0x01a10000u

/* ---- gathering ---- */

void an_rt_clang_gcda_begin(struct an_rt_clang_gcda *gcda, uint32_t version, uint32_t stamp)
{
    gcda->version = version;
    gcda->stamp = stamp;
    gcda->used = 0;
    gcda->is_cut = false;
}

static bool make_room(struct an_rt_clang_gcda *gcda, size_t size)
{
    if (size <= gcda->room - gcda->used)
        return true;
    size_t room = gcda->room ? gcda->room : LEAST_ROOM;
    while (room - gcda->used < size)
        room *= 2;
    uint8_t *larger = an_rt_memory(room);
    if (!larger)
        return false;
    if (gcda->bytes) {
        memcpy(larger, gcda->bytes, gcda->used);
        an_rt_memory_free(gcda->bytes, gcda->room);
    }
    gcda->bytes = larger;
    gcda->room = room;
    return true;
}

static void gather(struct an_rt_clang_gcda *gcda, const void *bytes, size_t size)
{
    if (gcda->is_cut || !make_room(gcda, size)) {
        gcda->is_cut = true;
        return;
    }
    memcpy(gcda->bytes + gcda->used, bytes, size);
    gcda->used += size;
}

/* 47 for "407*", 93 for "A93*", 121 for "B21*": the release of GCC, and the one behind its dot. */
static unsigned release_of(uint32_t version)
{
    unsigned first = version >> 24, second = version >> 16 & 0xff, third = version >> 8 & 0xff;
    if (first >= 'A')
        return (first - 'A') * 100 + (second - '0') * 10 + third - '0';
    return (first - '0') * 10 + third - '0';
}

void an_rt_clang_gcda_function(struct an_rt_clang_gcda *gcda, uint32_t ident, uint32_t line_sum,
                               uint32_t flow_sum)
{
    unsigned sums = release_of(gcda->version) >= 47 ? 3 : 2;
    const uint32_t words[] = {FUNCTION, sums, ident, line_sum, flow_sum};
    gather(gcda, words, (2 + sums) * sizeof *words);
}

void an_rt_clang_gcda_arcs(struct an_rt_clang_gcda *gcda, uint32_t number, const uint64_t *counters)
{
    const uint32_t words[] = {ARCS, 2 * number};
    gather(gcda, words, sizeof words);
    for (uint32_t i = 0; i < number; i++) {
        uint64_t counter = an_rt_gcc_word_pair(counters[i]);
        gather(gcda, &counter, sizeof counter);
    }
}

/* ---- the file ---- */

static unsigned make_summary(uint32_t version, uint32_t runs, uint32_t words[5])
{
    const uint32_t newer[] = {0xa1000000, 2, runs, 0}, older[] = {0xa3000000, 3, 0, 0, runs};
    bool is_newer = release_of(version) >= 90;
    unsigned count = is_newer ? 4 : 5;
    memcpy(words, is_newer ? newer : older, count * sizeof *words);
    return count;
}

static unsigned place_of_runs(uint32_t version)
{
    return release_of(version) >= 90 ? 2 : 4;
}

/* The bytes of a record that was gathered, and whether they are counters. */
static size_t size_of(const uint8_t *record, bool *is_arcs)
{
    *is_arcs = an_rt_load32(record) == ARCS;
    return ((size_t)2 + an_rt_load32(record + WORD)) * WORD;
}

/* What is no counter is the same in both. */
static bool records_fit(const struct an_rt_clang_gcda *gcda, const uint8_t *old)
{
    bool is_arcs;
    for (size_t at = 0, size; at < gcda->used; at += size) {
        size = size_of(gcda->bytes + at, &is_arcs);
        if (memcmp(gcda->bytes + at, old + at, is_arcs ? (size_t)2 * WORD : size) != 0)
            return false;
    }
    return true;
}

enum an_rt_fit an_rt_clang_gcda_judge(const struct an_rt_clang_gcda *gcda, const uint8_t *old,
                                      size_t size, uint32_t *stamp)
{
    uint32_t summary[5];
    *stamp = 0;
    if (size < HEADER || an_rt_load32(old) != AN_RT_GCDA_MAGIC)
        return AN_RT_DAMAGED;
    *stamp = an_rt_load32(old + 2 * WORD);
    if (an_rt_load32(old + WORD) != gcda->version || *stamp != gcda->stamp)
        return AN_RT_OTHER;
    unsigned count = make_summary(gcda->version, 0, summary);
    if (size - HEADER < gcda->used || size - HEADER - gcda->used < count * sizeof *summary ||
        !records_fit(gcda, old + HEADER) ||
        memcmp(old + HEADER + gcda->used, summary, sizeof summary[0] * 2) != 0)
        return AN_RT_DAMAGED;
    return AN_RT_FITS;
}

static bool put_arcs(struct an_rt_sink *sink, const uint8_t *own, const uint8_t *old, size_t size)
{
    if (!an_rt_put(sink, own, (size_t)2 * WORD))
        return false;
    for (size_t at = (size_t)2 * WORD; at < size; at += COUNTER) {
        uint64_t sum = an_rt_load_gcc_counter(own + at) + an_rt_load_gcc_counter(old + at);
        uint64_t counter = an_rt_gcc_word_pair(sum);
        if (!an_rt_put(sink, &counter, sizeof counter))
            return false;
    }
    return true;
}

static bool put_records(const struct an_rt_clang_gcda *gcda, const uint8_t *old,
                        struct an_rt_sink *sink)
{
    bool is_arcs;
    if (!old)
        return an_rt_put(sink, gcda->bytes, gcda->used);
    for (size_t at = 0, size; at < gcda->used; at += size) {
        size = size_of(gcda->bytes + at, &is_arcs);
        if (is_arcs ? !put_arcs(sink, gcda->bytes + at, old + at, size)
                    : !an_rt_put(sink, gcda->bytes + at, size))
            return false;
    }
    return true;
}

bool an_rt_clang_gcda_write(const struct an_rt_clang_gcda *gcda, const uint8_t *old, size_t size,
                            struct an_rt_sink *sink)
{
    const uint32_t header[] = {AN_RT_GCDA_MAGIC, gcda->version, gcda->stamp};
    uint32_t summary[5], runs = old && gcda->is_later ? 0 : 1;
    (void)size;
    if (gcda->is_cut)
        return false;
    if (old)
        runs +=
            an_rt_load32(old + HEADER + gcda->used + (size_t)place_of_runs(gcda->version) * WORD);
    unsigned count = make_summary(gcda->version, runs, summary);
    return an_rt_put(sink, header, sizeof header) &&
           put_records(gcda, old ? old + HEADER : NULL, sink) &&
           an_rt_put(sink, summary, count * sizeof *summary) &&
           an_rt_put_zeros(sink, (size_t)2 * WORD);
}
