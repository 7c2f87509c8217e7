/* The function map's bytes, in and out; see funcmap.h for the layout. */
#include "bolt/funcmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { NOTE_TYPE = 0x616e0001, VERSION = 1, RECORD_SIZE = 24, NAME_SIZE = 7, PADDED_NAME = 8 };

static const char note_name[PADDED_NAME] = "anneal";

void an_funcmap_free(struct an_funcmap *map)
{
    if (!map)
        return;
    free(map->records);
    free(map);
}

/* Leaves the cursor at the description, and the bytes end with it. */
static enum an_code open_note(struct an_cursor *cursor, struct an_error *error)
{
    uint32_t name_size = an_cursor_u32(cursor);
    uint32_t size = an_cursor_u32(cursor);
    uint32_t type = an_cursor_u32(cursor);
    const uint8_t *name = an_cursor_take(cursor, PADDED_NAME);
    if (!name || name_size != NAME_SIZE || type != NOTE_TYPE ||
        memcmp(name, note_name, PADDED_NAME) != 0)
        return an_fail_at(error, AN_UNKNOWN, 0, "not a function map: no note by anneal");
    if (size > an_cursor_left(cursor))
        return an_fail_at(error, AN_TRUNCATED, 4,
                          "a function map of %lu bytes, but only %zu "
                          "follow",
                          (unsigned long)size, an_cursor_left(cursor));
    cursor->bytes.size = cursor->at + size;
    return AN_OK;
}

static enum an_code parse_build_id(struct an_funcmap *map, struct an_cursor *cursor,
                                   struct an_error *error)
{
    uint64_t at = cursor->at;
    uint32_t size = an_cursor_u32(cursor);
    an_cursor_u32(cursor);
    if (size > AN_FUNCMAP_ID_SIZE)
        return an_fail_at(error, AN_MALFORMED, at, "a build-id of %lu bytes, expected at most %d",
                          (unsigned long)size, AN_FUNCMAP_ID_SIZE);
    const uint8_t *id = an_cursor_take(cursor, (size + 7) / 8 * 8);
    if (!id)
        return an_fail_at(error, AN_TRUNCATED, at, "a function map that ends in its header");
    memcpy(map->build_id, id, size);
    map->build_id_size = size;
    return AN_OK;
}

static bool in_order(const struct an_funcmap_record *before, const struct an_funcmap_record *after)
{
    return before->output < after->output ||
           (before->output == after->output && before->input < after->input);
}

static enum an_code parse_records(struct an_funcmap *map, struct an_cursor *cursor,
                                  uint32_t record_size, struct an_error *error)
{
    for (size_t i = 0; i < map->count; i++) {
        uint64_t at = cursor->at;
        struct an_funcmap_record *record = &map->records[i];
        record->output = an_cursor_u64(cursor);
        record->input = an_cursor_u64(cursor);
        record->size = an_cursor_u32(cursor);
        record->flags = an_cursor_u32(cursor);
        an_cursor_take(cursor, record_size - RECORD_SIZE);
        uint64_t end;
        if (i && !in_order(record - 1, record))
            return an_fail_at(error, AN_MALFORMED, at, "records are not sorted by address");
        if (__builtin_add_overflow(record->input, record->size, &end))
            return an_fail_at(error, AN_MALFORMED, at, "a function beyond the end of all memory");
    }
    return AN_OK;
}

static enum an_code parse(struct an_funcmap *map, struct an_cursor *cursor, struct an_error *error)
{
    uint32_t version = an_cursor_u32(cursor);
    uint64_t at = cursor->at;
    uint32_t record_size = an_cursor_u32(cursor);
    uint64_t count = an_cursor_u64(cursor);
    if (cursor->short_read)
        return an_fail_at(error, AN_TRUNCATED, at, "a function map that ends in its header");
    if (version != VERSION) {
        an_fail_at(error, AN_UNSUPPORTED, at - 4, "function map of version %lu, expected %d",
                   (unsigned long)version, VERSION);
        return an_error_hint(error, "make it again with 'anneal bat --function-map'");
    }
    if (record_size < RECORD_SIZE)
        return an_fail_at(error, AN_MALFORMED, at, "records of %lu bytes, expected at least %d",
                          (unsigned long)record_size, RECORD_SIZE);
    enum an_code code = parse_build_id(map, cursor, error);
    if (code != AN_OK)
        return code;
    if (count > an_cursor_left(cursor) / record_size ||
        count * record_size != an_cursor_left(cursor))
        return an_fail_at(
            error, AN_MALFORMED, at + 4, "%llu records of %lu bytes, but only %zu bytes follow",
            (unsigned long long)count, (unsigned long)record_size, an_cursor_left(cursor));
    map->count = (size_t)count;
    map->records = an_alloc(map->count, sizeof *map->records);
    if (!map->records)
        return an_fail_memory(error);
    return parse_records(map, cursor, record_size, error);
}

enum an_code an_funcmap_parse(struct an_bytes bytes, struct an_funcmap **map,
                              struct an_error *error)
{
    struct an_cursor cursor = an_cursor_at(bytes, 0, false);
    *map = NULL;
    enum an_code code = open_note(&cursor, error);
    if (code != AN_OK)
        return code;
    struct an_funcmap *result = an_alloc_zero(1, sizeof *result);
    if (!result)
        return an_fail_memory(error);
    code = parse(result, &cursor, error);
    if (code == AN_OK)
        *map = result;
    else
        an_funcmap_free(result);
    return code;
}

enum an_code an_funcmap_open(const struct an_elf *elf, struct an_funcmap **map,
                             struct an_error *error)
{
    *map = NULL;
    const struct an_elf_section *section = an_elf_section(elf, AN_FUNCMAP_SECTION);
    if (!section) {
        an_fail(error, AN_UNSUPPORTED, "no function map (section %s)", AN_FUNCMAP_SECTION);
        an_error_hint(error, "add one with 'anneal bat --function-map --embed'");
        return an_error_in(error, an_elf_path(elf));
    }
    enum an_code code = an_funcmap_parse(an_elf_section_bytes(elf, section), map, error);
    if (code == AN_OK)
        return AN_OK;
    if (error->offset != AN_NO_OFFSET)
        error->offset += section->offset;
    return an_error_in(error, an_elf_path(elf));
}

void an_funcmap_write(const struct an_funcmap *map, struct an_buffer *buffer)
{
    size_t padded_id = (map->build_id_size + 7) / 8 * 8;
    size_t size = 24 + padded_id + map->count * RECORD_SIZE;
    static const uint8_t zeros[8];
    if (size > UINT32_MAX) { /* 178 million functions */
        buffer->failed = true;
        return;
    }
    an_buffer_le(buffer, NAME_SIZE, 4);
    an_buffer_le(buffer, size, 4);
    an_buffer_le(buffer, NOTE_TYPE, 4);
    an_buffer_put(buffer, note_name, PADDED_NAME);
    an_buffer_le(buffer, VERSION, 4);
    an_buffer_le(buffer, RECORD_SIZE, 4);
    an_buffer_le64(buffer, map->count);
    an_buffer_le(buffer, map->build_id_size, 4);
    an_buffer_le(buffer, 0, 4);
    an_buffer_put(buffer, map->build_id, map->build_id_size);
    an_buffer_put(buffer, zeros, padded_id - map->build_id_size);
    for (size_t i = 0; i < map->count; i++) {
        an_buffer_le64(buffer, map->records[i].output);
        an_buffer_le64(buffer, map->records[i].input);
        an_buffer_le(buffer, map->records[i].size, 4);
        an_buffer_le(buffer, map->records[i].flags, 4);
    }
}

const struct an_funcmap_record *an_funcmap_find(const struct an_funcmap *map, uint64_t output)
{
    size_t low = 0, high = map->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->records[middle].output < output)
            low = middle + 1;
        else
            high = middle;
    }
    return low < map->count && map->records[low].output == output ? &map->records[low] : NULL;
}
