/* How densely a recording covers code; see density.h. */
#include "record/density.h"

#include <stdlib.h>

#include "base/memory.h"
#include "perf/samples.h"

enum {
    PIECE = 32,        /* bytes */
    LONGEST = 1 << 16, /* bytes: what is longer is no straight code, but a gap in the recording */
    MOST = 1 << 22,    /* pieces: 128 MB of code */
    COLD_PART = 20,    /* one of so many parts */
};

static bool is_kernel(uint64_t address)
{
    return address >> 63;
}

/* From where a branch went to where the next one left. */
static void add_code(struct an_density *density, uint64_t start, uint64_t end)
{
    if (end < start || end - start > LONGEST || is_kernel(start))
        return;
    for (uint64_t piece = start / PIECE; piece <= end / PIECE && !density->failed; piece++) {
        bool is_new;
        uint64_t *count = an_map_insert(&density->pieces, piece, &is_new);
        density->failed = !count || density->pieces.used > MOST;
        if (count)
            ++*count;
    }
}

void an_density_add(struct an_density *density, const struct an_perf_branch *branches, size_t count)
{
    density->branches += count;
    for (size_t i = 1; i < count; i++)
        add_code(density, branches[i - 1].to, branches[i].from);
}

void an_density_add_stack(struct an_density *density, const uint8_t *stack, size_t size,
                          uint64_t count)
{
    if (count > size / AN_BRANCH_SIZE)
        return;
    density->branches += count;
    for (uint64_t i = 1; i < count; i++)
        add_code(density, an_load64(stack + i * AN_BRANCH_SIZE + 8),
                 an_load64(stack + (i - 1) * AN_BRANCH_SIZE));
}

static int descending(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return a < b ? 1 : a > b ? -1 : 0;
}

/* So many of the pieces, most frequent first, make up most. */
static size_t count_hot(uint64_t *counts, size_t count)
{
    uint64_t all = 0, sum = 0;
    size_t hot = 0;
    for (size_t i = 0; i < count; i++)
        all += counts[i];
    if (count)
        qsort(counts, count, sizeof *counts, descending);
    while (hot < count && sum < all - all / COLD_PART)
        sum += counts[hot++];
    return hot;
}

void an_density_finish(const struct an_density *density, struct an_record_counts *counts)
{
    const struct an_map *pieces = &density->pieces;
    counts->hot_bytes = 0;
    counts->density = 0;
    if (density->failed || pieces->used == 0)
        return;
    uint64_t *list = an_alloc(pieces->used, sizeof *list);
    if (!list)
        return;
    size_t count = 0;
    for (size_t i = 0; i <= pieces->mask; i++)
        if (pieces->slots[i].key)
            list[count++] = pieces->slots[i].value;
    counts->hot_bytes = (uint64_t)PIECE * count_hot(list, count);
    counts->density = (double)density->branches / (double)counts->hot_bytes;
    free(list);
}

/* The hot code of a longer recording is not less: with fewer branches than it has bytes now, nothing has changed. */
bool an_density_is_enough(struct an_density *density)
{
    enum { FEWEST = 10000, GROWTH = 16 };
    const double wanted = 1.25 * AN_RECORD_DENSE;
    struct an_record_counts counts;
    if (density->is_enough)
        return true;
    if (density->failed || density->branches < FEWEST || density->branches < density->next)
        return false;
    an_density_finish(density, &counts);
    uint64_t needed = (uint64_t)((double)counts.hot_bytes * wanted);
    density->next = density->branches + density->branches / GROWTH;
    density->next = density->next > needed ? density->next : needed;
    density->is_enough = counts.density >= wanted;
    return density->is_enough;
}

double an_record_seconds_more(const struct an_record_counts *counts)
{
    if (counts->density <= 0 || counts->density >= AN_RECORD_DENSE)
        return 0;
    return counts->seconds * (AN_RECORD_DENSE / counts->density - 1);
}

void an_density_free(struct an_density *density)
{
    an_map_free(&density->pieces);
}
