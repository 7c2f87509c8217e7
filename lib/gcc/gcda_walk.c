/* The records of gcda files; format.h draws them. */
#include "gcc/gcda_walk.h"

#include <stdlib.h>

#include "base/kind.h"
#include "gcc/top.h"

static enum an_code torn(const struct an_gcda_walk *walk, const char *what, struct an_error *error)
{
    an_fail_at(error, AN_TRUNCATED, walk->cursor.bytes.size, "file ends within %s", what);
    return an_error_hint(error, "the program died while writing it, or is still writing");
}

static enum an_code malformed(size_t at, const char *what, struct an_error *error)
{
    return an_fail_at(error, AN_MALFORMED, at, "%s", what);
}

/* Goes where a detour leads, if that is what stands here. */
static void follow_detour(struct an_gcda_walk *walk)
{
    struct an_cursor ahead = walk->cursor;
    uint32_t tag = an_cursor_u32(&ahead), length = an_cursor_u32(&ahead);
    if (!ahead.short_read && tag == AN_GCC_DETOUR &&
        an_cursor_take(&ahead, (size_t)length * walk->header.version.unit))
        walk->cursor = ahead;
}

/* Says what it is instead, if that is something known. */
static enum an_code no_gcda(struct an_bytes file, struct an_error *error)
{
    const char *what = an_kind_describe(file), *hint = an_kind_hint(file);
    if (!what)
        return malformed(0, "not a gcda file: it does not begin with 'gcda'", error);
    an_fail_at(error, AN_MALFORMED, 0, "not a gcda file but %s", what);
    return hint ? an_error_hint(error, "%s", hint) : AN_MALFORMED;
}

enum an_code an_gcda_walk(struct an_gcda_walk *walk, struct an_bytes file, struct an_error *error)
{
    struct an_gcda_header *header = &walk->header;
    struct an_cursor *cursor = &walk->cursor;
    *walk = (struct an_gcda_walk){.cursor = an_cursor_at(file, 0, false)};
    if (!an_gcc_recognise(file, AN_GCDA_MAGIC, &header->big))
        return no_gcda(file, error);
    if (file.size > AN_GCDA_MOST_BYTES)
        return an_fail(error, AN_UNSUPPORTED,
                       "too large for the counters of an object file: %zu "
                       "bytes",
                       file.size);
    cursor->big = header->big;
    an_cursor_u32(cursor);
    uint32_t version = an_cursor_u32(cursor);
    header->stamp = an_cursor_u32(cursor);
    if (cursor->short_read)
        return torn(walk, "its header", error);
    enum an_code code = an_gcc_version_of(version, &header->version, error);
    if (code == AN_OK && header->version.has_checksum)
        header->checksum = an_cursor_u32(cursor);
    if (code == AN_OK && cursor->short_read)
        return torn(walk, "its header", error);
    if (code == AN_OK)
        follow_detour(walk);
    return code;
}

static enum an_code read_summary(struct an_gcda_walk *walk, struct an_gcda_record *record,
                                 uint32_t length, struct an_error *error)
{
    enum { WORDS = 2 };
    record->what = AN_GCDA_SUMMARY;
    if (length != WORDS * 4 / walk->header.version.unit)
        return malformed(record->at,
                         "a summary whose length is not that of runs and their "
                         "maximum",
                         error);
    record->runs = an_cursor_u32(&walk->cursor);
    record->sum_max = an_cursor_u32(&walk->cursor);
    return walk->cursor.short_read ? torn(walk, "its summary", error) : AN_OK;
}

/* Of clang's only the runs are not 0. */
static enum an_code read_clang_summary(struct an_gcda_walk *walk, struct an_gcda_record *record,
                                       struct an_error *error)
{
    record->what = AN_GCDA_SUMMARY;
    uint32_t checksum = an_cursor_u32(&walk->cursor), counters = an_cursor_u32(&walk->cursor);
    record->runs = an_cursor_u32(&walk->cursor);
    record->sum_max = 0;
    if (walk->cursor.short_read)
        return torn(walk, "its summary", error);
    if (checksum || counters)
        return malformed(record->at, "a summary that is neither GCC's nor clang's", error);
    return AN_OK;
}

static enum an_code find_program(struct an_gcda_walk *walk, struct an_gcda_record *record,
                                 uint32_t length, struct an_error *error)
{
    if (length == AN_GCC_CLANG_SUMMARY_WORDS)
        return read_clang_summary(walk, record, error);
    size_t size = (size_t)length * walk->header.version.unit;
    const uint8_t *body = an_cursor_take(&walk->cursor, size);
    record->what = AN_GCDA_PROGRAM;
    if (!body)
        return torn(walk, "a summary", error);
    record->program = an_cursor_at((struct an_bytes){body, size}, 0, walk->header.big);
    return AN_OK;
}

static enum an_code read_function(struct an_gcda_walk *walk, struct an_gcda_record *record,
                                  uint32_t length, struct an_error *error)
{
    enum { WORDS = 3 };
    struct an_cursor *cursor = &walk->cursor;
    record->what = AN_GCDA_FUNCTION;
    record->is_present = walk->in_function = length != 0;
    walk->last_kind = -1;
    if (!length)
        return AN_OK;
    if (length != WORDS * 4 / walk->header.version.unit)
        return malformed(record->at,
                         "a function whose length is not that of a number and two "
                         "checksums",
                         error);
    record->ident = an_cursor_u32(cursor);
    record->line_sum = an_cursor_u32(cursor);
    record->flow_sum = an_cursor_u32(cursor);
    return cursor->short_read ? torn(walk, "a function", error) : AN_OK;
}

/* Whether so many counters fill the places that they are of. */
static bool do_fit(const struct an_gcda_walk *walk, struct an_gcda_record *record)
{
    size_t size = an_gcc_place_size(record->rule);
    if (record->rule == AN_GCC_TOP)
        return an_top_find(record->values, record->count, walk->header.big, &record->places);
    return !size || record->count % size == 0;
}

static enum an_code read_counters(struct an_gcda_walk *walk, struct an_gcda_record *record,
                                  int32_t length, struct an_error *error)
{
    const struct an_gcc_version *version = &walk->header.version;
    uint64_t size = (uint64_t)llabs((long long)length) * version->unit;
    record->what = AN_GCDA_COUNTERS;
    record->rule = version->kinds[record->kind].rule;
    record->are_zero = length < 0;
    record->count = (uint32_t)(size / 8);
    if (!walk->in_function)
        return malformed(record->at, "counters without a function", error);
    if (walk->last_kind >= (int)record->kind)
        return malformed(record->at, "kinds of counters out of order", error);
    if (size % 8 || (length < 0 && (record->rule == AN_GCC_TOP || !version->has_zeros)))
        return malformed(record->at, "counters whose length does not fit their kind", error);
    walk->last_kind = (int)record->kind;
    record->values = record->are_zero ? NULL : an_cursor_take(&walk->cursor, size);
    if (walk->cursor.short_read)
        return torn(walk, "counters", error);
    if (!do_fit(walk, record))
        return malformed(record->at, "lists of values shorter than their counters", error);
    return AN_OK;
}

enum an_code an_gcda_next(struct an_gcda_walk *walk, struct an_gcda_record *record,
                          struct an_error *error)
{
    struct an_cursor *cursor = &walk->cursor;
    const struct an_gcc_version *version = &walk->header.version;
    record->what = AN_GCDA_END;
    record->at = cursor->at;
    if (an_cursor_left(cursor) == 0)
        return AN_OK;
    uint32_t tag = an_cursor_u32(cursor);
    if (!cursor->short_read && tag == 0)
        return AN_OK;
    uint32_t length = an_cursor_u32(cursor);
    if (cursor->short_read)
        return torn(walk, "a record", error);
    if (tag == AN_GCC_FUNCTION)
        return read_function(walk, record, length, error);
    if (tag == AN_GCC_SUMMARY && !version->has_programs)
        return read_summary(walk, record, length, error);
    if (tag == AN_GCC_PROGRAM && version->has_programs)
        return find_program(walk, record, length, error);
    record->kind = (tag - AN_GCC_COUNTERS) >> AN_GCC_KIND_SHIFT;
    if ((tag - AN_GCC_COUNTERS) << (32 - AN_GCC_KIND_SHIFT) || record->kind >= version->kind_count)
        return malformed(record->at, "a record of an unknown kind", error);
    return read_counters(walk, record, (int32_t)length, error);
}
