/* Frequent values in places of fixed size; see places.h. */
#include "gcc/places.h"

#include <string.h>

enum { PAIRS = 4, PAIR = 2 };

void an_places_contend(uint64_t *value, uint64_t *lead, uint64_t other, uint64_t by)
{
    if (*value == other) {
        *lead += by;
    } else if ((int64_t)by > (int64_t)*lead) {
        *value = other;
        *lead = by - *lead;
    } else {
        *lead -= by;
    }
}

static void merge_single(uint64_t *own, const uint64_t *added)
{
    an_places_contend(&own[0], &own[1], added[0], added[1]);
    own[2] += added[2];
}

/* What the last value was does not matter any more. */
static void merge_delta(uint64_t *own, const uint64_t *added)
{
    an_places_contend(&own[1], &own[2], added[1], added[2]);
    own[3] += added[3];
}

/* The most frequent first; pairs of the same count stay in their order. */
static void sort_pairs(uint64_t *pairs, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t value = pairs[PAIR * i], times = pairs[PAIR * i + 1];
        size_t to = i;
        for (; to > 0 && (int64_t)pairs[PAIR * (to - 1) + 1] < (int64_t)times; to--)
            memcpy(&pairs[PAIR * to], &pairs[PAIR * (to - 1)], PAIR * sizeof *pairs);
        pairs[PAIR * to] = value;
        pairs[PAIR * to + 1] = times;
    }
}

static void merge_calls(uint64_t *own, const uint64_t *added)
{
    uint64_t all[2 * PAIRS * PAIR];
    size_t count = PAIRS;
    memcpy(all, own + 1, PAIRS * PAIR * sizeof *all);
    for (size_t i = 0; i < PAIRS; i++) {
        const uint64_t *pair = added + 1 + PAIR * i;
        size_t at = 0;
        while (at < count && all[PAIR * at] != pair[0])
            at++;
        if (at == count) {
            all[PAIR * count] = pair[0];
            all[PAIR * count++ + 1] = pair[1];
        } else {
            all[PAIR * at + 1] += pair[1];
        }
    }
    sort_pairs(all, count);
    memcpy(own + 1, all, PAIRS * PAIR * sizeof *all);
}

/* The least frequent one makes room, or loses what the other one had. */
static void add_to_four(uint64_t *own, uint64_t value, uint64_t times)
{
    uint64_t *pairs = own + 1;
    size_t least = 0;
    for (size_t i = 0; i < PAIRS; i++) {
        if (pairs[PAIR * i] == value) {
            pairs[PAIR * i + 1] += times;
            return;
        }
        if ((int64_t)pairs[PAIR * i + 1] < (int64_t)pairs[PAIR * least + 1])
            least = i;
    }
    uint64_t *place = &pairs[PAIR * least];
    if (place[1] && (int64_t)own[0] >= 0)
        own[0] = -own[0];
    if ((int64_t)times <= (int64_t)place[1] && place[1]) {
        place[1] -= times;
        return;
    }
    place[0] = value;
    place[1] = times;
}

/* As in libgcov, where `own` is of a run, and its total is not negative. */
static void merge_four(uint64_t *own, const uint64_t *added)
{
    if ((int64_t)added[0] < 0)
        own[0] = -own[0];
    own[0] += added[0];
    for (size_t i = 0; i < PAIRS; i++)
        if (added[1 + PAIR * i + 1])
            add_to_four(own, added[1 + PAIR * i], added[1 + PAIR * i + 1]);
}

/* The same when it may be. */
static void merge_four_signed(uint64_t *own, const uint64_t *added)
{
    bool is_full = (int64_t)own[0] < 0;
    own[0] = is_full ? -own[0] : own[0];
    merge_four(own, added);
    if (is_full && (int64_t)own[0] > 0)
        own[0] = -own[0];
}

void an_places_merge(uint64_t *own, const uint64_t *added, size_t count, enum an_gcc_rule rule,
                     bool keeps_sign)
{
    static void (*const merges[])(uint64_t *, const uint64_t *) = {
        [AN_GCC_SINGLE] = merge_single,
        [AN_GCC_DELTA] = merge_delta,
        [AN_GCC_CALLS] = merge_calls,
        [AN_GCC_FOUR] = merge_four,
    };
    size_t size = an_gcc_place_size(rule);
    void (*merge)(uint64_t *, const uint64_t *) =
        rule == AN_GCC_FOUR && !keeps_sign ? merge_four_signed : merges[rule];
    for (size_t at = 0; at + size <= count; at += size)
        merge(own + at, added + at);
}

unsigned an_places_counts(enum an_gcc_rule rule)
{
    switch (rule) {
    case AN_GCC_SINGLE:
        return 1 << 1 | 1 << 2;
    case AN_GCC_DELTA:
        return 1 << 2 | 1 << 3;
    case AN_GCC_CALLS:
    case AN_GCC_FOUR:
        return 1 << 0 | 1 << 2 | 1 << 4 | 1 << 6 | 1 << 8;
    default:
        return 0;
    }
}
