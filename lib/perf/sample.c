/*
 * Decoding a sample. Behind the fields that have fixed places (attr.h):
 *
 *     READ          u64 value, [u64 time enabled], [u64 time running], [u64 id], [u64 lost]
 *       of a group  u64 n, [u64 time enabled], [u64 time running], n times value, [id], [lost]
 *     CALLCHAIN     u64 n, n addresses
 *     RAW           u32 size, as many bytes
 *     BRANCH_STACK  u64 n, [u64 hardware index], n times { u64 from, to, flags }, [n counters]
 *
 * and more, which is not looked at.
 */
#include "perf/sample.h"

#include <string.h>

#include "perf/format.h"

/* ---- branches in the other byte order ---- */

/* The flags are bit fields, which begin at the other end of the word there: each field moves, the
 * bits within it stay in order. (struct perf_branch_entry) */
static uint64_t straighten_flags(uint64_t flags)
{
    static const uint8_t widths[] = {1, 1, 1, 1, 16, 4, 2, 4, 3, 31};
    uint64_t straight = 0;
    unsigned at = 0;
    for (size_t i = 0; i < sizeof widths; i++) {
        uint64_t mask = ((uint64_t)1 << widths[i]) - 1;
        straight |= (flags >> (64 - at - widths[i]) & mask) << at;
        at += widths[i];
    }
    return straight;
}

static void swap_branches(const uint8_t *from, uint64_t count, uint8_t *to)
{
    for (uint64_t i = 0; i < count; i++, from += AN_BRANCH_SIZE, to += AN_BRANCH_SIZE) {
        uint64_t entry[3] = {
            __builtin_bswap64(an_load64(from)),
            __builtin_bswap64(an_load64(from + 8)),
            straighten_flags(__builtin_bswap64(an_load64(from + 16))),
        };
        memcpy(to, entry, sizeof entry);
    }
}

/* ---- the fields of varying size ---- */

static void skip_words(struct an_cursor *cursor, uint64_t count)
{
    if (count > an_cursor_left(cursor) / 8)
        cursor->short_read = true;
    else
        an_cursor_take(cursor, (size_t)count * 8);
}

static unsigned is_set(uint64_t bits, uint64_t bit)
{
    return (bits & bit) != 0;
}

static void skip_read(struct an_cursor *cursor, uint64_t format)
{
    unsigned times =
        is_set(format, PERF_READ_TIME_ENABLED) + is_set(format, PERF_READ_TIME_RUNNING);
    unsigned each = 1 + is_set(format, PERF_READ_ID) + is_set(format, PERF_READ_LOST);
    if (!(format & PERF_READ_GROUP)) {
        skip_words(cursor, times + each);
        return;
    }
    uint64_t count = an_cursor_u64(cursor);
    skip_words(cursor, times);
    if (count > an_cursor_left(cursor) / 8)
        cursor->short_read = true;
    else
        skip_words(cursor, count * each);
}

static void take_branches(struct an_cursor *cursor, uint64_t branch_type,
                          struct perf_scratch *scratch, struct an_branch_sample *sample)
{
    uint64_t count = an_cursor_u64(cursor);
    if (branch_type & PERF_BRANCH_HW_INDEX)
        an_cursor_u64(cursor);
    if (count > an_cursor_left(cursor) / AN_BRANCH_SIZE) {
        cursor->short_read = true;
        return;
    }
    sample->branch_count = count;
    sample->branches = an_cursor_take(cursor, (size_t)count * AN_BRANCH_SIZE);
    sample->has_branches = true;
    if (cursor->big != AN_HOST_BIG && !cursor->short_read) {
        swap_branches(sample->branches, count, scratch->branches);
        sample->branches = scratch->branches;
    }
}

static bool take_varying(const struct perf_layout *layout, struct an_cursor *cursor,
                         struct perf_scratch *scratch, struct an_branch_sample *sample)
{
    if (layout->sample_type & PERF_HAS_READ)
        skip_read(cursor, layout->read_format);
    if (layout->sample_type & PERF_HAS_CALLCHAIN)
        skip_words(cursor, an_cursor_u64(cursor));
    if (layout->sample_type & PERF_HAS_RAW)
        an_cursor_take(cursor, an_cursor_u32(cursor));
    if (layout->sample_type & PERF_HAS_BRANCH_STACK)
        take_branches(cursor, layout->branch_type, scratch, sample);
    return !cursor->short_read;
}

/* ---- the whole ---- */

static void take_fixed(const struct perf_layout *layout, const uint8_t *bytes, bool big,
                       struct an_branch_sample *sample)
{
    sample->has_ip = layout->ip;
    sample->has_tid = layout->tid;
    sample->has_time = layout->time;
    sample->has_addr = layout->addr;
    sample->has_cpu = layout->cpu;
    if (layout->ip)
        sample->ip = an_get64(bytes + layout->ip, big);
    if (layout->tid) {
        sample->pid = an_get32(bytes + layout->tid, big);
        sample->tid = an_get32(bytes + layout->tid + 4, big);
    }
    if (layout->time)
        sample->time = an_get64(bytes + layout->time, big);
    if (layout->addr)
        sample->addr = an_get64(bytes + layout->addr, big);
    if (layout->cpu)
        sample->cpu = an_get32(bytes + layout->cpu, big);
    sample->period =
        layout->own_period ? an_get64(bytes + layout->own_period, big) : layout->period;
}

enum an_code an_perf_sample_read(const struct perf_recording *recording,
                                 const struct perf_record *record, struct perf_scratch *scratch,
                                 struct an_branch_sample *sample, bool *known,
                                 struct an_error *error)
{
    const struct perf_layout *layout =
        an_perf_layout_of(recording, record->bytes, record->size, false);
    *known = layout != NULL;
    if (!layout)
        return AN_OK;
    if (record->size < layout->fixed)
        return an_fail_at(error, AN_MALFORMED, record->offset,
                          "a sample of %u bytes, expected at least %u", record->size,
                          layout->fixed);
    *sample = (struct an_branch_sample){
        .misc_cpumode = record->misc & PERF_MISC_CPUMODE,
        .event = (unsigned)(layout - recording->layouts.items),
        .offset = record->offset,
    };
    take_fixed(layout, record->bytes, recording->big, sample);
    struct an_cursor cursor =
        an_cursor_at((struct an_bytes){record->bytes, record->size}, layout->fixed, recording->big);
    if (!take_varying(layout, &cursor, scratch, sample))
        return an_fail_at(error, AN_MALFORMED, record->offset,
                          "the fields of a sample extend beyond its %u bytes", record->size);
    return AN_OK;
}
