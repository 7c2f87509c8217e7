/* Accesses to data in memory profiles; see memprof_accesses.h. */
#include "llvm/memprof_accesses.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/vector.h"
#include "llvm/names.h"

enum { PLACE = 8 + 4 }; /* bytes */

/* ---- their parts ---- */

static void skip_many(struct an_cursor *cursor, uint64_t number, size_t size)
{
    if (number > an_cursor_left(cursor) / size)
        cursor->short_read = true;
    else
        an_cursor_take(cursor, (size_t)number * size);
}

bool an_memprof_accesses_open(struct memprof_accesses *accesses, struct an_bytes from)
{
    *accesses = (struct memprof_accesses){0};
    struct an_cursor cursor = an_cursor_at(from, 0, false);
    accesses->name_number = an_cursor_u64(&cursor);
    accesses->cold_number = an_cursor_u64(&cursor);
    uint64_t size;
    const uint8_t *names = an_cursor_block(&cursor, true, &size);
    accesses->names = (struct an_bytes){names, names ? (size_t)size : 0};
    accesses->cold_hash_number = an_cursor_u64(&cursor);
    accesses->cold_hashes = cursor;
    skip_many(&cursor, accesses->cold_hash_number, 8);
    accesses->record_number = an_cursor_u64(&cursor);
    accesses->records = cursor;
    for (uint64_t i = 0; i < accesses->record_number && !cursor.short_read; i++) {
        an_cursor_take(&cursor, 8 + 1 + 8);
        skip_many(&cursor, an_cursor_u64(&cursor), PLACE);
    }
    accesses->size = cursor.at;
    return !cursor.short_read;
}

/* ---- as YAML ---- */

struct names {
    struct an_arena arena;
    struct {
        AN_VECTOR(struct an_name);
    } list;
};

static enum an_code keep_name(void *context, const char *text, size_t length, uint64_t at,
                              struct an_error *error)
{
    (void)at;
    struct names *names = context;
    struct an_name *name = an_vector_push(&names->list);
    if (!name)
        return an_fail_memory(error);
    *name = (struct an_name){text, length};
    return AN_OK;
}

static void put_name(struct yaml_layout *layout, const struct names *names, uint64_t number)
{
    static const struct an_name none = {"", 0};
    const struct an_name *name = number < names->list.count ? &names->list.items[number] : &none;
    an_yaml_put_text(layout, name->text, name->length);
}

static void put_places(struct yaml_layout *layout, const struct names *names,
                       struct an_cursor *cursor)
{
    uint64_t places = an_cursor_u64(cursor);
    if (places)
        an_yaml_put_group(layout, 6, false, "Locations");
    for (uint64_t i = 0; i < places && !layout->buffer->failed; i++) {
        an_yaml_put_key(layout, 10, true, "FileName");
        put_name(layout, names, an_cursor_u64(cursor));
        an_yaml_put_key(layout, 10, false, "Line");
        an_yaml_put_number(layout, an_cursor_u32(cursor));
    }
}

static void put_record(struct yaml_layout *layout, const struct names *names,
                       struct an_cursor cursor)
{
    uint64_t of = an_cursor_u64(&cursor);
    if (an_cursor_u8(&cursor)) {
        an_yaml_put_key(layout, 6, true, "Hash");
        an_yaml_put_number(layout, of);
    } else {
        an_yaml_put_key(layout, 6, true, "Symbol");
        put_name(layout, names, of);
    }
    an_yaml_put_key(layout, 6, false, "AccessCount");
    an_yaml_put_number(layout, an_cursor_u64(&cursor));
    put_places(layout, names, &cursor);
}

struct record {
    uint64_t count;
    size_t at;
};

static int by_count(const void *a, const void *b)
{
    const struct record *first = a, *second = b;
    if (first->count != second->count)
        return first->count > second->count ? -1 : 1;
    return (first->at > second->at) - (first->at < second->at);
}

/* The most accessed one first. */
static bool put_records(struct yaml_layout *layout, const struct names *names,
                        const struct memprof_accesses *accesses)
{
    size_t number = (size_t)accesses->record_number;
    struct an_cursor cursor = accesses->records;
    struct record *records = an_alloc(number, sizeof *records);
    for (size_t i = 0; records && i < number; i++) {
        records[i].at = cursor.at;
        an_cursor_take(&cursor, 8 + 1);
        records[i].count = an_cursor_u64(&cursor);
        skip_many(&cursor, an_cursor_u64(&cursor), PLACE);
    }
    if (records && number) {
        qsort(records, number, sizeof *records, by_count);
        an_yaml_put_group(layout, 2, false, "SampledRecords");
    }
    for (size_t i = 0; records && i < number && !layout->buffer->failed; i++) {
        cursor.at = records[i].at;
        put_record(layout, names, cursor);
    }
    bool done = records;
    free(records);
    return done;
}

static int by_bytes(const void *a, const void *b)
{
    const struct an_name *first = a, *second = b;
    size_t common = first->length < second->length ? first->length : second->length;
    int difference = memcmp(first->text, second->text, common);
    return difference ? difference
                      : (first->length > second->length) - (first->length < second->length);
}

static void put_cold_symbols(struct yaml_layout *layout, const struct names *names, uint64_t first)
{
    if (first >= names->list.count)
        return;
    qsort(names->list.items + first, names->list.count - first, sizeof *names->list.items,
          by_bytes);
    an_yaml_put_group(layout, 2, false, "KnownColdSymbols");
    for (uint64_t i = first; i < names->list.count && !layout->buffer->failed; i++) {
        an_yaml_put_dash(layout, 6);
        put_name(layout, names, i);
    }
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

static bool put_cold_hashes(struct yaml_layout *layout, const struct memprof_accesses *accesses)
{
    size_t number = (size_t)accesses->cold_hash_number;
    if (number == 0)
        return true;
    uint64_t *hashes = an_alloc(number, sizeof *hashes);
    if (!hashes)
        return false;
    struct an_cursor cursor = accesses->cold_hashes;
    for (size_t i = 0; i < number; i++)
        hashes[i] = an_cursor_u64(&cursor);
    qsort(hashes, number, sizeof *hashes, by_value);
    an_yaml_put_key(layout, 2, false, "KnownColdStrHashes");
    an_yaml_begin_list(layout);
    for (size_t i = 0; i < number && !layout->buffer->failed; i++) {
        an_yaml_next_item(layout);
        an_yaml_put_number(layout, hashes[i]);
    }
    an_yaml_end_list(layout);
    free(hashes);
    return true;
}

enum an_code an_memprof_accesses_put(const struct memprof_accesses *accesses,
                                     struct yaml_layout *layout, struct an_error *error)
{
    struct names names = {0};
    enum an_code code =
        an_names_section_read(accesses->names, 0, &names.arena, keep_name, &names, error);
    if (code == AN_OK) {
        an_yaml_put_group(layout, 0, false, "DataAccessProfiles");
        bool done = put_records(layout, &names, accesses);
        put_cold_symbols(layout, &names, accesses->name_number);
        if (!put_cold_hashes(layout, accesses) || !done)
            code = an_fail_memory(error);
    }
    an_vector_free(&names.list);
    an_arena_free(&names.arena);
    return code;
}
