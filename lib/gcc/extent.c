/* The extent of a gcda file; see extent.h. */
#include "gcc/extent.h"

static bool is_summary(uint32_t tag)
{
    return tag == AN_GCC_SUMMARY || tag == AN_GCC_PROGRAM;
}

static bool is_counters(uint32_t tag)
{
    enum { MOST_KINDS = 16 };
    uint32_t kind = (tag - AN_GCC_COUNTERS) >> AN_GCC_KIND_SHIFT;
    return tag >= AN_GCC_COUNTERS && kind < MOST_KINDS &&
           tag == AN_GCC_COUNTERS + (kind << AN_GCC_KIND_SHIFT);
}

/* Counters have 64 bits; a function has a number and one or two checksums, or nothing. */
static bool may_have(uint32_t tag, int32_t length, uint64_t size)
{
    if (is_counters(tag))
        return size % 8 == 0;
    return length >= 0 && (tag != AN_GCC_FUNCTION || size == 0 || size == 8 || size == 12);
}

static enum an_code walk(struct an_gcda_extent *extent, struct an_cursor *cursor,
                         struct an_error *error)
{
    while (an_cursor_left(cursor)) {
        size_t at = cursor->at;
        uint32_t tag = an_cursor_u32(cursor);
        if (tag == 0 && !cursor->short_read) {
            extent->has_end = true;
            extent->size = cursor->at;
            return AN_OK;
        }
        int32_t length = (int32_t)an_cursor_u32(cursor);
        uint64_t size = length < 0 ? 0 : (uint64_t)length * extent->version.unit;
        if (!cursor->short_read && !is_summary(tag) && !is_counters(tag) && tag != AN_GCC_FUNCTION)
            return an_fail_at(error, AN_MALFORMED, at, "a record of an unknown kind");
        if (!cursor->short_read && !may_have(tag, length, size))
            return an_fail_at(error, AN_MALFORMED, at,
                              "a record whose length does not fit its kind");
        if (cursor->short_read || !an_cursor_take(cursor, (size_t)size))
            return an_fail_at(error, AN_TRUNCATED, at, "it ends within a record");
        extent->has_summary |= is_summary(tag);
    }
    extent->size = cursor->at;
    return AN_OK;
}

enum an_code an_gcda_extent_of(struct an_gcda_extent *extent, struct an_bytes bytes,
                               struct an_error *error)
{
    *extent = (struct an_gcda_extent){.has_end = false};
    if (!an_gcc_recognise(bytes, AN_GCDA_MAGIC, &extent->big))
        return an_fail_at(error, AN_MALFORMED, 0, "not a gcda file: it does not begin with 'gcda'");
    struct an_cursor cursor = an_cursor_at(bytes, 4, extent->big);
    uint32_t version = an_cursor_u32(&cursor);
    enum an_code code = an_gcc_version_of(version, &extent->version, error);
    extent->is_readable = code == AN_OK;
    if (code != AN_OK && extent->version.major == 0)
        return code;
    if (code != AN_OK) /* older than what the reader knows */
        extent->version.unit = 4;
    an_cursor_u32(&cursor);
    if (extent->version.has_checksum)
        an_cursor_u32(&cursor);
    extent->header_size = cursor.at;
    if (cursor.short_read)
        return an_fail_at(error, AN_TRUNCATED, bytes.size, "it ends within its header");
    return walk(extent, &cursor, error);
}
