/* Summaries of programs; see program.h. */
#include "gcc/program.h"

#include <string.h>

enum { HEAD_WORDS = 9, MAP_WORDS = 8, BUCKET_WORDS = 5 };

bool an_gcc_program_read(struct an_gcc_program *program, const struct an_gcc_version *version,
                         struct an_cursor cursor)
{
    uint32_t map[MAP_WORDS] = {0};
    uint64_t halves[6];
    memset(program, 0, sizeof *program);
    program->checksum = an_cursor_u32(&cursor);
    program->counters = an_cursor_u32(&cursor);
    program->runs = an_cursor_u32(&cursor);
    for (unsigned i = 0; i < 6; i++)
        halves[i] = an_cursor_u32(&cursor);
    program->sum = halves[0] | halves[1] << 32;
    program->greatest = halves[2] | halves[3] << 32;
    program->sum_max = halves[4] | halves[5] << 32;
    for (unsigned i = 0; version->has_histogram && i < MAP_WORDS; i++)
        map[i] = an_cursor_u32(&cursor);
    for (unsigned i = 0; i < 32 * MAP_WORDS; i++) {
        if (!(map[i / 32] >> i % 32 & 1))
            continue;
        if (i >= AN_GCC_PROGRAM_BUCKETS)
            return false;
        program->buckets[i].counters = an_cursor_u32(&cursor);
        for (unsigned k = 0; k < 4; k++)
            halves[k] = an_cursor_u32(&cursor);
        program->buckets[i].least = halves[0] | halves[1] << 32;
        program->buckets[i].sum = halves[2] | halves[3] << 32;
    }
    return !cursor.short_read && an_cursor_left(&cursor) == 0;
}

static size_t put(uint32_t *to, size_t at, uint64_t value, unsigned words)
{
    for (unsigned i = 0; to && i < words; i++)
        to[at + i] = (uint32_t)(value >> 32 * i);
    return at + words;
}

size_t an_gcc_program_words(const struct an_gcc_program *program,
                            const struct an_gcc_version *version, uint32_t *to)
{
    size_t at = put(to, 0, program->checksum, 1);
    uint32_t map[MAP_WORDS] = {0};
    at = put(to, at, program->counters, 1);
    at = put(to, at, program->runs, 1);
    at = put(to, at, program->sum, 2);
    at = put(to, at, program->greatest, 2);
    at = put(to, at, program->sum_max, 2);
    if (!version->has_histogram)
        return at;
    for (unsigned i = 0; i < AN_GCC_PROGRAM_BUCKETS; i++)
        map[i / 32] |= (uint32_t)(program->buckets[i].counters != 0) << i % 32;
    for (unsigned i = 0; i < MAP_WORDS; i++)
        at = put(to, at, map[i], 1);
    for (unsigned i = 0; i < AN_GCC_PROGRAM_BUCKETS; i++) {
        const struct an_bucket *bucket = &program->buckets[i];
        if (!bucket->counters)
            continue;
        at = put(to, at, bucket->counters, 1);
        at = put(to, at, bucket->least, 2);
        at = put(to, at, bucket->sum, 2);
    }
    return at;
}

bool an_gcc_program_is_same(const struct an_gcc_program *one, const struct an_gcc_program *other)
{
    return one->checksum == other->checksum && one->counters == other->counters;
}

/* ---- histograms ---- */

/* The buckets of 0 to 3 are their own; then the highest bit and the two below it tell. */
static unsigned bucket_of(uint64_t count)
{
    if (count < 4)
        return (unsigned)count;
    unsigned highest = 63u - (unsigned)__builtin_clzll(count);
    return (highest - 1) * 4 + (unsigned)(count >> (highest - 2) & 3);
}

static void add_to(struct an_bucket *bucket, uint32_t counters, uint64_t least, uint64_t sum)
{
    bucket->counters += counters;
    bucket->sum += sum;
    if (!bucket->least || (int64_t)least < (int64_t)bucket->least)
        bucket->least = least;
}

/* The part of `sum` that so many of `all` counters have, as signed numbers, as GCC divides them. */
static uint64_t share(uint32_t counters, uint32_t all, uint64_t sum)
{
    return counters < all ? (uint64_t)((int64_t)((uint64_t)counters * sum) / (int64_t)all) : sum;
}

/* Walks down the buckets that are not empty; what is left of the present one. */
struct descent {
    const struct an_bucket *buckets;
    int at; /* below 0: there are no more */
    uint32_t left;
    uint64_t sum;
};

static bool find(struct descent *descent)
{
    while (descent->left == 0) {
        if (--descent->at < 0)
            return false;
        descent->left = descent->buckets[descent->at].counters;
        descent->sum = descent->buckets[descent->at].sum;
    }
    return true;
}

/*
 * Which counter had which count is not known. It is taken that the most frequent ones of one run are those of
 * the other one, too: both are walked down from the top, and as many counters as both have left in their
 * buckets go where the sum of the least counts belongs.
 */
static void merge_histograms(struct an_bucket *into, const struct an_bucket *later)
{
    struct an_bucket merged[AN_GCC_PROGRAM_BUCKETS] = {{0}};
    struct descent own = {into, AN_GCC_PROGRAM_BUCKETS, 0, 0};
    struct descent other = {later, AN_GCC_PROGRAM_BUCKETS, 0, 0};
    unsigned bucket = 0;
    bool any = false;
    while (find(&own) && find(&other)) {
        uint32_t counters = own.left < other.left ? own.left : other.left;
        uint64_t one = share(counters, own.left, own.sum);
        uint64_t two = share(counters, other.left, other.sum);
        uint64_t least = into[own.at].least + later[other.at].least;
        bucket = bucket_of(least);
        if (bucket >= AN_GCC_PROGRAM_BUCKETS)
            bucket = AN_GCC_PROGRAM_BUCKETS - 1;
        add_to(&merged[bucket], counters, least, one + two);
        own.left -= counters;
        own.sum -= one;
        other.left -= counters;
        other.sum -= two;
        any = true;
    }
    for (; own.at >= 0 && find(&own); own.left = 0) /* the other one has fewer counters */
        add_to(&merged[own.at], own.left, into[own.at].least, own.sum);
    for (; any && other.at >= 0 && find(&other); other.left = 0) /* or more: no sum is to be lost */
        merged[bucket].sum += other.sum;
    memcpy(into, merged, sizeof merged);
}

void an_gcc_program_merge(struct an_gcc_program *into, const struct an_gcc_program *later)
{
    into->runs += later->runs;
    into->sum += later->sum;
    into->sum_max += later->sum_max;
    if ((int64_t)into->greatest < (int64_t)later->greatest)
        into->greatest = later->greatest;
    merge_histograms(into->buckets, later->buckets);
}

/* ---- weights ---- */

void an_gcc_program_scale(struct an_gcc_program *program, const struct an_gcc_scale *scale)
{
    struct an_bucket scaled[AN_GCC_PROGRAM_BUCKETS] = {{0}};
    program->sum = an_gcc_scaled(program->sum, scale);
    program->sum_max = an_gcc_scaled(program->sum_max, scale);
    for (unsigned i = 0; i < AN_GCC_PROGRAM_BUCKETS; i++) {
        const struct an_bucket *bucket = &program->buckets[i];
        uint64_t least = an_gcc_scaled(bucket->least, scale);
        unsigned to = bucket_of(least);
        if (bucket->counters)
            add_to(&scaled[to < AN_GCC_PROGRAM_BUCKETS ? to : AN_GCC_PROGRAM_BUCKETS - 1],
                   bucket->counters, least, an_gcc_scaled(bucket->sum, scale));
    }
    memcpy(program->buckets, scaled, sizeof scaled);
}
