/* Reading gcda files; format.h draws them. */
#include <stdlib.h>
#include <string.h>

#include "gcc/gcda.h"
#include "gcc/top.h"

struct reader {
    struct an_gcda *gcda;
    struct an_cursor cursor;
    struct an_error *error;
};

static enum an_code torn(struct reader *reader, const char *what)
{
    an_fail_at(reader->error, AN_TRUNCATED, reader->cursor.bytes.size, "file ends within %s", what);
    return an_error_hint(reader->error, "the program died while it wrote it, or still writes it");
}

static enum an_code malformed(struct reader *reader, size_t at, const char *what)
{
    return an_fail_at(reader->error, AN_MALFORMED, at, "%s", what);
}

static enum an_code read_header(struct reader *reader)
{
    struct an_gcda *gcda = reader->gcda;
    struct an_cursor *cursor = &reader->cursor;
    if (!an_gcc_recognise(cursor->bytes, AN_GCDA_MAGIC, &gcda->big))
        return malformed(reader, 0, "not a gcda file: it does not begin with 'gcda'");
    cursor->big = gcda->big;
    an_cursor_u32(cursor);
    uint32_t version = an_cursor_u32(cursor);
    gcda->stamp = an_cursor_u32(cursor);
    if (cursor->short_read)
        return torn(reader, "its header");
    enum an_code code = an_gcc_version_of(version, &gcda->version, reader->error);
    if (code == AN_OK && gcda->version.has_checksum)
        gcda->checksum = an_cursor_u32(cursor);
    return code == AN_OK && cursor->short_read ? torn(reader, "its header") : code;
}

static enum an_code read_summary(struct reader *reader, size_t at, uint32_t length)
{
    enum { WORDS = 2 };
    if (length != WORDS * 4 / reader->gcda->version.unit)
        return malformed(reader, at, "a summary of another length than runs and their maximum");
    reader->gcda->runs = an_cursor_u32(&reader->cursor);
    reader->gcda->sum_max = an_cursor_u32(&reader->cursor);
    return reader->cursor.short_read ? torn(reader, "its summary") : AN_OK;
}

static enum an_code read_function(struct reader *reader, size_t at, uint32_t length)
{
    enum { WORDS = 3 };
    struct an_cursor *cursor = &reader->cursor;
    struct an_gcda_function *function = an_vector_push(&reader->gcda->functions);
    if (!function)
        return an_fail_memory(reader->error);
    *function = (struct an_gcda_function){.first = reader->gcda->counters.count};
    if (!length)
        return AN_OK;
    if (length != WORDS * 4 / reader->gcda->version.unit)
        return malformed(reader, at,
                         "a function of another length than a number and two checksums");
    function->is_present = true;
    function->ident = an_cursor_u32(cursor);
    function->line_sum = an_cursor_u32(cursor);
    function->flow_sum = an_cursor_u32(cursor);
    return cursor->short_read ? torn(reader, "a function") : AN_OK;
}

uint64_t *an_gcda_extend(struct an_gcda *gcda, size_t count)
{
    size_t wanted = gcda->values.count + count;
    if (wanted > gcda->values.capacity || !gcda->values.items) {
        size_t capacity = 2 * gcda->values.capacity > wanted ? 2 * gcda->values.capacity : wanted;
        uint64_t *grown = an_grow(gcda->values.items, capacity ? capacity : 1, sizeof *grown);
        if (!grown)
            return NULL;
        gcda->values.items = grown;
        gcda->values.capacity = capacity ? capacity : 1;
    }
    gcda->values.count = wanted;
    return gcda->values.items + wanted - count;
}

static enum an_code read_values(struct reader *reader, size_t count)
{
    struct an_gcda *gcda = reader->gcda;
    const uint8_t *from = an_cursor_take(&reader->cursor, 8 * count);
    if (!from)
        return torn(reader, "counters");
    uint64_t *to = an_gcda_extend(gcda, count);
    if (!to)
        return an_fail_memory(reader->error);
    if (!gcda->big && !AN_HOST_BIG) {
        memcpy(to, from, 8 * count);
        return AN_OK;
    }
    for (size_t i = 0; i < count; i++, from += 8)
        to[i] = an_get32(from, gcda->big) | (uint64_t)an_get32(from + 4, gcda->big) << 32;
    return AN_OK;
}

static enum an_code read_counters(struct reader *reader, size_t at, unsigned kind, int32_t length)
{
    struct an_gcda *gcda = reader->gcda;
    struct an_gcda_function *function =
        gcda->functions.count ? &gcda->functions.items[gcda->functions.count - 1] : NULL;
    uint64_t size = (uint64_t)llabs((long long)length) * gcda->version.unit;
    bool is_list = an_gcc_kind_of(kind)->rule == AN_GCC_TOP;
    if (!function || !function->is_present)
        return malformed(reader, at, "counters without a function");
    if (function->kinds && gcda->counters.items[gcda->counters.count - 1].kind >= kind)
        return malformed(reader, at, "kinds of counters that are out of order");
    if (size % 8 || (is_list && length < 0))
        return malformed(reader, at, "counters of a length that is none of theirs");
    struct an_gcda_counters *counters = an_vector_push(&gcda->counters);
    if (!counters)
        return an_fail_memory(reader->error);
    *counters = (struct an_gcda_counters){
        .kind = kind, .are_zero = length < 0, .count = size / 8, .first = gcda->values.count};
    function->kinds++;
    if (counters->are_zero)
        return AN_OK;
    counters->capacity = counters->count;
    enum an_code code = read_values(reader, counters->count);
    if (code == AN_OK && is_list &&
        !an_top_is_good(gcda->values.items + counters->first, counters->count))
        code = malformed(reader, at, "lists of values that do not fill their counters");
    return code;
}

static enum an_code read_record(struct reader *reader, size_t at, uint32_t tag)
{
    uint32_t length = an_cursor_u32(&reader->cursor);
    if (reader->cursor.short_read)
        return torn(reader, "a record");
    if (tag == AN_GCC_SUMMARY)
        return read_summary(reader, at, length);
    if (tag == AN_GCC_FUNCTION)
        return read_function(reader, at, length);
    uint32_t kind = (tag - AN_GCC_COUNTERS) >> AN_GCC_KIND_SHIFT;
    if ((tag - AN_GCC_COUNTERS) << (32 - AN_GCC_KIND_SHIFT) || kind >= reader->gcda->version.kinds)
        return malformed(reader, at, "a record of an unknown kind");
    return read_counters(reader, at, kind, (int32_t)length);
}

enum an_code an_gcda_read(struct an_gcda *gcda, struct an_bytes file, struct an_error *error)
{
    struct reader reader = {.gcda = gcda, .cursor = an_cursor_at(file, 0, false), .error = error};
    *gcda = (struct an_gcda){0};
    enum an_code code = read_header(&reader);
    while (code == AN_OK && an_cursor_left(&reader.cursor)) {
        size_t at = reader.cursor.at;
        uint32_t tag = an_cursor_u32(&reader.cursor);
        if (reader.cursor.short_read)
            code = torn(&reader, "a record");
        else if (tag == 0)
            break;
        else
            code = read_record(&reader, at, tag);
    }
    if (code != AN_OK)
        an_gcda_free(gcda);
    return code;
}

void an_gcda_free(struct an_gcda *gcda)
{
    an_vector_free(&gcda->functions);
    an_vector_free(&gcda->counters);
    an_vector_free(&gcda->values);
}
