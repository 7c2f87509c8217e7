/*
 * Reading raw memory profiles. All numbers are little-endian; the runtime appends a whole one each time it dumps.
 *
 *     +-------------------------------------------------------------+ 0
 *     | magic "\x81rforpm\xff" | u64 version | u64 size of it all   |
 *     | u64 offsets of segments, measurements and call stacks       |
 *     +-------------------------------------------------------------+ segments
 *     | u64 number of | u64 start | u64 end | u64 where it has been |
 *     |   loaded | u64 bytes of build-id, at most 32 | 32 bytes...  |
 *     +-------------------------------------------------------------+ measurements
 *     | u64 number of                                               |
 *     | u64 call stack | the fields of allocations, in their order  |
 *     |   | as many accesses as the last but one says...            |
 *     +-------------------------------------------------------------+ call stacks
 *     | u64 number of                                               |
 *     | u64 number it has | u64 addresses | u64 address...          |
 *     +-------------------------------------------------------------+
 *
 * Version 3 ends before the fields for accesses (26 and 27). Accesses have 64 bits in version 4; in version 5 they have 16, four
 * for an exponent and twelve for what it multiplies. The runtime has made addresses those of calls, not of what follows them.
 *
 * Sources: MemProfData.inc, MIBEntryDef.inc, memprof_rawprofile.cpp; what programs by clang 19 to 23 write.
 */
#include "llvm/memprof_raw.h"

#include <string.h>

enum { HEADER = 48, SEGMENT = 64, BUILD_ID = 32, FIELDS_OF_3 = 25 };

static const char magic[8] = {'\x81', 'r', 'f', 'o', 'r', 'p', 'm', '\xff'};

/* One raw profile. */
struct dump {
    struct memprof_raw *raw;
    struct an_bytes file; /* up to its end */
    struct an_error *error;
    uint64_t at;
    unsigned version;
    uint64_t size, segments, measured, traces; /* offsets in it */
};

bool an_memprof_raw_recognise(struct an_bytes file)
{
    return file.size >= sizeof magic && memcmp(file.data, magic, sizeof magic) == 0;
}

void an_memprof_raw_free(struct memprof_raw *raw)
{
    an_arena_free(&raw->arena);
    an_vector_free(&raw->segments);
    an_vector_free(&raw->measured);
    an_map_free(&raw->measured_of);
    an_vector_free(&raw->traces);
    an_map_free(&raw->trace_of);
    an_vector_free(&raw->numbers);
    an_vector_free(&raw->ends);
    *raw = (struct memprof_raw){0};
}

const struct memprof_trace *an_memprof_raw_trace(const struct memprof_raw *raw, uint64_t number)
{
    const uint64_t *place = an_map_find(&raw->trace_of, number);
    return place ? &raw->traces.items[*place - 1] : NULL;
}

static bool fail(struct dump *dump, uint64_t at, const char *what)
{
    an_fail_at(dump->error, AN_MALFORMED, at, "raw memory profile: %s", what);
    return false;
}

static bool fail_memory(struct dump *dump)
{
    an_fail_memory(dump->error);
    return false;
}

/* A section's cursor, and how many items it has, of at least `least` bytes. */
static bool open_section(struct dump *dump, uint64_t offset, size_t least, const char *what,
                         struct an_cursor *cursor, uint64_t *number)
{
    if (offset < HEADER || offset > dump->size)
        return fail(dump, dump->at, what);
    *cursor = an_cursor_at(dump->file, (size_t)(dump->at + offset), false);
    *number = an_cursor_u64(cursor);
    if (cursor->short_read || *number > an_cursor_left(cursor) / least)
        return fail(dump, dump->at + offset, what);
    return true;
}

/* ---- segments ---- */

static bool is_same(const struct memprof_segment *a, const struct memprof_segment *b)
{
    return a->start == b->start && a->end == b->end && a->offset == b->offset &&
           a->build_id.size == b->build_id.size &&
           memcmp(a->build_id.data, b->build_id.data, a->build_id.size) == 0;
}

static bool read_segments(struct dump *dump)
{
    struct memprof_raw *raw = dump->raw;
    struct an_cursor cursor;
    uint64_t number;
    bool is_first = raw->segments.count == 0;
    if (!open_section(dump, dump->segments, SEGMENT, "segments that do not fit it", &cursor,
                      &number))
        return false;
    static const char *const differs = "segments that are not those of the ones before it";
    if (!is_first && number != raw->segments.count)
        return fail(dump, dump->at + dump->segments, differs);
    for (uint64_t i = 0; i < number; i++) {
        struct memprof_segment segment = {.start = an_cursor_u64(&cursor),
                                          .end = an_cursor_u64(&cursor)};
        segment.offset = an_cursor_u64(&cursor);
        uint64_t length = an_cursor_u64(&cursor);
        segment.build_id.data = an_cursor_take(&cursor, BUILD_ID);
        if (length > BUILD_ID)
            return fail(dump, cursor.at, "a build-id of more than 32 bytes");
        segment.build_id.size = (size_t)length;
        if (!is_first && !is_same(&segment, &raw->segments.items[i]))
            return fail(dump, cursor.at, differs);
        struct memprof_segment *place = is_first ? an_vector_push(&raw->segments) : &segment;
        if (!place)
            return fail_memory(dump);
        *place = segment;
    }
    return true;
}

/* ---- measurements ---- */

/* How a field of two measurements of one call stack becomes one. */
static const enum {
    KEPT,
    SUM,
    LEAST,
    MOST,
    LATER
} rules[MEMPROF_FIELDS] = {
    [1] = SUM,   [2] = SUM,    [3] = LEAST, [4] = MOST,   [5] = SUM,    [6] = LEAST,  [7] = MOST,
    [8] = LATER, [9] = LATER,  [10] = SUM,  [11] = LEAST, [12] = MOST,  [13] = LATER, [14] = LATER,
    [20] = SUM,  [21] = LEAST, [22] = MOST, [23] = SUM,   [24] = LEAST, [25] = MOST,
};

/* The longer histogram stays, and gets the other one's accesses. */
static void merge_histograms(struct memprof_measured *into, struct memprof_measured *from)
{
    if (from->values[MEMPROF_HISTOGRAM] > into->values[MEMPROF_HISTOGRAM]) {
        struct memprof_measured shorter = *into;
        into->histogram = from->histogram;
        into->values[MEMPROF_HISTOGRAM] = from->values[MEMPROF_HISTOGRAM];
        into->values[MEMPROF_HISTOGRAM_AT] = from->values[MEMPROF_HISTOGRAM_AT];
        from->histogram = shorter.histogram;
        from->values[MEMPROF_HISTOGRAM] = shorter.values[MEMPROF_HISTOGRAM];
    }
    for (uint64_t i = 0; i < from->values[MEMPROF_HISTOGRAM]; i++)
        into->histogram[i] += from->histogram[i];
}

/* What of two measurements is equal, or overlaps, counts before the later one's values take the place of the earlier ones'. */
static void merge(struct memprof_measured *into, struct memprof_measured *from)
{
    enum { BEGIN = 8, END = 9, BEGIN_CPU = 13, END_CPU = 14, OVERLAPS = 16, SAME_BEGIN, SAME_END };
    uint64_t *a = into->values;
    const uint64_t *b = from->values;
    a[OVERLAPS] += b[BEGIN] < a[END];
    a[SAME_BEGIN] += a[BEGIN_CPU] == b[BEGIN_CPU];
    a[SAME_END] += a[END_CPU] == b[END_CPU];
    for (unsigned field = 1; field < MEMPROF_FIELDS; field++) {
        if (rules[field] == SUM)
            a[field] += b[field];
        else if (rules[field] == LATER || (rules[field] == LEAST && b[field] < a[field]) ||
                 (rules[field] == MOST && b[field] > a[field]))
            a[field] = b[field];
        if (an_memprof_field_size(field) == 4)
            a[field] &= UINT32_MAX;
    }
    merge_histograms(into, from);
}

static bool read_histogram(struct dump *dump, struct an_cursor *cursor,
                           struct memprof_measured *measured)
{
    uint64_t number = measured->values[MEMPROF_HISTOGRAM];
    bool is_packed = dump->version >= 5;
    if (number == 0)
        return true;
    if (number > an_cursor_left(cursor) / (is_packed ? 2 : 8))
        return fail(dump, cursor->at, "a histogram that does not fit it");
    measured->values[MEMPROF_HISTOGRAM_AT] = 0; /* where it was in the process */
    measured->histogram = an_arena_alloc(&dump->raw->arena, (size_t)number, sizeof(uint64_t));
    if (!measured->histogram)
        return fail_memory(dump);
    for (uint64_t i = 0; i < number; i++) {
        uint64_t value = is_packed ? an_cursor_u16(cursor) : an_cursor_u64(cursor);
        measured->histogram[i] = is_packed ? (value & 0xfff) << (value >> 12) : value;
    }
    return true;
}

static bool keep_measured(struct dump *dump, struct memprof_measured *measured)
{
    struct memprof_raw *raw = dump->raw;
    bool is_new = false;
    uint64_t *place = an_map_insert(&raw->measured_of, measured->stack, &is_new);
    if (place && !is_new) {
        merge(&raw->measured.items[*place - 1], measured);
        return true;
    }
    struct memprof_measured *added = place ? an_vector_push(&raw->measured) : NULL;
    if (!added)
        return fail_memory(dump);
    *added = *measured;
    *place = raw->measured.count;
    return true;
}

static bool read_measured(struct dump *dump)
{
    static const char *const what = "measurements that do not fit it";
    unsigned fields = dump->version >= 4 ? MEMPROF_FIELDS - 1 : FIELDS_OF_3;
    struct an_cursor cursor;
    uint64_t number;
    size_t least = 8 + an_memprof_schema_size((uint32_t)((1ull << (fields + 1)) - 2));
    if (!open_section(dump, dump->measured, least, what, &cursor, &number))
        return false;
    for (uint64_t i = 0; i < number; i++) {
        struct memprof_measured measured = {.stack = an_cursor_u64(&cursor)};
        for (unsigned field = 1; field <= fields; field++)
            measured.values[field] =
                an_memprof_field_size(field) == 8 ? an_cursor_u64(&cursor) : an_cursor_u32(&cursor);
        if (cursor.short_read)
            return fail(dump, cursor.at, what);
        if (!read_histogram(dump, &cursor, &measured) || !keep_measured(dump, &measured))
            return false;
    }
    return true;
}

/* ---- call stacks ---- */

/* Of a number that comes again in one raw profile, the later trace counts; from one to the next, both have to be the same. */
static bool keep_trace(struct dump *dump, struct memprof_trace trace, size_t before, uint64_t at)
{
    struct memprof_raw *raw = dump->raw;
    bool is_new = false;
    uint64_t *place = an_map_insert(&raw->trace_of, trace.number, &is_new);
    if (place && !is_new) {
        struct memprof_trace *known = &raw->traces.items[*place - 1];
        if (*place <= before &&
            (known->count != trace.count ||
             memcmp(known->addresses, trace.addresses, trace.count * sizeof *trace.addresses) != 0))
            return fail(dump, at, "a call stack that is another one in those before it");
        *known = trace;
        return true;
    }
    struct memprof_trace *added = place ? an_vector_push(&raw->traces) : NULL;
    if (!added)
        return fail_memory(dump);
    *added = trace;
    *place = raw->traces.count;
    return true;
}

static bool read_traces(struct dump *dump)
{
    static const char *const what = "call stacks that do not fit it";
    struct memprof_raw *raw = dump->raw;
    size_t before = raw->traces.count;
    struct an_cursor cursor;
    uint64_t number;
    if (!open_section(dump, dump->traces, 16, what, &cursor, &number))
        return false;
    for (uint64_t i = 0; i < number; i++) {
        uint64_t at = cursor.at;
        struct memprof_trace trace = {.number = an_cursor_u64(&cursor)};
        uint64_t count = an_cursor_u64(&cursor);
        if (cursor.short_read || count > an_cursor_left(&cursor) / 8)
            return fail(dump, at, what);
        trace.count = (size_t)count;
        trace.addresses = an_arena_alloc(&raw->arena, trace.count, sizeof *trace.addresses);
        if (!trace.addresses)
            return fail_memory(dump);
        for (size_t a = 0; a < trace.count; a++)
            trace.addresses[a] = an_cursor_u64(&cursor);
        uint64_t *place = an_vector_push(&raw->numbers);
        if (!place)
            return fail_memory(dump);
        *place = trace.number;
        if (!keep_trace(dump, trace, before, at))
            return false;
    }
    size_t *end = an_vector_push(&raw->ends);
    if (!end)
        return fail_memory(dump);
    *end = raw->numbers.count;
    return true;
}

/* ---- the whole ---- */

static bool read_header(struct dump *dump, struct an_bytes file)
{
    struct an_bytes here = {file.data + dump->at, file.size - (size_t)dump->at};
    if (!an_memprof_raw_recognise(here))
        return fail(dump, dump->at, "no other one follows it");
    struct an_cursor cursor = an_cursor_at(file, (size_t)dump->at + sizeof magic, false);
    uint64_t version = an_cursor_u64(&cursor);
    if (!cursor.short_read && (version < MEMPROF_RAW_OLDEST || version > MEMPROF_RAW_NEWEST)) {
        an_fail_at(dump->error, AN_UNSUPPORTED, dump->at,
                   "raw memory profile of version %llu, expected %d to %d",
                   (unsigned long long)version, MEMPROF_RAW_OLDEST, MEMPROF_RAW_NEWEST);
        return false;
    }
    dump->version = (unsigned)version;
    dump->size = an_cursor_u64(&cursor);
    dump->segments = an_cursor_u64(&cursor);
    dump->measured = an_cursor_u64(&cursor);
    dump->traces = an_cursor_u64(&cursor);
    if (cursor.short_read || dump->size < HEADER || dump->size > here.size) {
        an_fail_at(dump->error, AN_TRUNCATED, dump->at, "file ends within its raw memory profile");
        return false;
    }
    dump->file = (struct an_bytes){file.data, (size_t)(dump->at + dump->size)};
    return true;
}

enum an_code an_memprof_raw_read(struct memprof_raw *raw, struct an_bytes file,
                                 struct an_error *error)
{
    for (uint64_t at = 0; at < file.size;) {
        struct dump dump = {.raw = raw, .error = error, .at = at};
        if (!read_header(&dump, file) || !read_segments(&dump) || !read_measured(&dump) ||
            !read_traces(&dump))
            return error->code;
        raw->version = dump.version;
        raw->dumps++;
        at += dump.size;
    }
    return AN_OK;
}
