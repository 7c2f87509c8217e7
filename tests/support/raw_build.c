/* Taking raw profiles apart and putting them together; see raw_build.h. */
#include "support/raw_build.h"

#include <stdlib.h>

#define TEMPORAL (1ull << 63)
#define BYTE_COVERAGE (1ull << 60)

/* Where the addresses of a written profile begin. */
enum {
    DATA_BASE = 0x100000,
    COUNTERS_BASE = 0x400000,
    BITMAP_BASE = 0x800000,
    UNIFORM_BASE = 0xa00000
};

struct function {
    uint64_t name_hash, hash, address;
    uint64_t counter_offset, bitmap_offset, uniform_offset;
    uint32_t slots, bitmap_bytes;
    uint16_t sites[3];
    size_t values_at, values_size; /* in the source file */
};

struct layout {
    bool wide, big;
    unsigned version;
    uint64_t version_word;
    size_t pointer, record;
};

struct parts {
    struct an_bytes file;
    struct layout layout;
    struct function *functions;
    uint64_t function_number;
    struct an_bytes ids, counters, bitmap, uniform, names, vtables, vtable_names;
    uint64_t vtable_number;
    size_t end;
};

static struct layout layout_of(uint64_t version_word, bool wide, bool big)
{
    struct layout l = {wide, big, (unsigned)version_word, version_word, wide ? 8 : 4, 0};
    size_t pointers = l.version >= 11 ? 5 : l.version >= 9 ? 4 : 3;
    l.record = 16 + pointers * l.pointer + 4 + 2 * (l.version >= 10 ? 3 : 2);
    if (l.version >= 11)
        l.record += 2; /* lanes of a wave */
    if (l.version >= 9)
        l.record = (l.record + 3) / 4 * 4 + 4;
    l.record = (l.record + 7) / 8 * 8;
    return l;
}

/* ---- taking apart: the source is a file that a compiler's program wrote ---- */

static uint64_t take_pointer(struct an_cursor *cursor, const struct layout *l)
{
    return l->wide ? an_cursor_u64(cursor) : an_cursor_u32(cursor);
}

static uint64_t narrowed(uint64_t address, const struct layout *l)
{
    return l->wide ? address : (uint32_t)address;
}

static struct an_bytes take_section(struct an_cursor *cursor, uint64_t size, uint64_t padding)
{
    struct an_bytes section = {an_cursor_take(cursor, size), size};
    an_cursor_take(cursor, padding);
    return section;
}

static void take_functions(struct parts *parts, struct an_bytes data, uint64_t counters_delta,
                           uint64_t bitmap_delta, uint64_t uniform_delta)
{
    const struct layout *l = &parts->layout;
    parts->functions = calloc(parts->function_number + 1, sizeof *parts->functions);
    for (uint64_t i = 0; i < parts->function_number; i++) {
        struct function *f = &parts->functions[i];
        struct an_cursor cursor = an_cursor_at(data, i * l->record, l->big);
        uint64_t back = l->version >= 8 ? i * l->record : 0;
        f->name_hash = an_cursor_u64(&cursor);
        f->hash = an_cursor_u64(&cursor);
        f->counter_offset = narrowed(take_pointer(&cursor, l) - counters_delta + back, l);
        if (l->version >= 11)
            f->uniform_offset = narrowed(take_pointer(&cursor, l) - uniform_delta + back, l);
        if (l->version >= 9)
            f->bitmap_offset = narrowed(take_pointer(&cursor, l) - bitmap_delta + back, l);
        f->address = take_pointer(&cursor, l);
        take_pointer(&cursor, l);
        f->slots = an_cursor_u32(&cursor);
        for (unsigned kind = 0; kind < (l->version >= 10 ? 3 : 2); kind++)
            f->sites[kind] = an_cursor_u16(&cursor);
        if (l->version >= 11)
            an_cursor_u16(&cursor);
        if (l->version >= 9) {
            cursor.at = (cursor.at + 3) / 4 * 4;
            f->bitmap_bytes = an_cursor_u32(&cursor);
        }
    }
}

static bool take_apart(struct parts *parts, struct an_bytes file, size_t at)
{
    static const uint8_t ends[4][2] = {{0x81, 'r'}, {0x81, 'R'}, {0xff, 'r'}, {0xff, 'R'}};
    *parts = (struct parts){.file = file};
    int kind = 0;
    while (kind < 4 && (at + 16 > file.size || file.data[at] != ends[kind][0] ||
                        file.data[at + (kind < 2 ? 1 : 6)] != ends[kind][1]))
        kind++;
    if (kind == 4)
        return false;
    bool big = kind >= 2;
    struct an_cursor cursor = an_cursor_at(file, at + 8, big);
    parts->layout = layout_of(an_cursor_u64(&cursor), kind % 2 == 0, big);
    unsigned version = parts->layout.version;
    uint64_t ids = an_cursor_u64(&cursor);
    parts->function_number = an_cursor_u64(&cursor);
    uint64_t before = an_cursor_u64(&cursor);
    uint64_t counters = an_cursor_u64(&cursor), after = an_cursor_u64(&cursor);
    uint64_t bitmap = version >= 9 ? an_cursor_u64(&cursor) : 0;
    uint64_t after_bitmap = version >= 9 ? an_cursor_u64(&cursor) : 0;
    uint64_t uniform = version >= 11 ? an_cursor_u64(&cursor) : 0;
    uint64_t after_uniform = version >= 11 ? an_cursor_u64(&cursor) : 0;
    uint64_t uniform_delta = version >= 11 ? an_cursor_u64(&cursor) : 0;
    uint64_t names = an_cursor_u64(&cursor);
    uint64_t counters_delta = an_cursor_u64(&cursor);
    uint64_t bitmap_delta = version >= 9 ? an_cursor_u64(&cursor) : 0;
    an_cursor_u64(&cursor); /* names delta */
    parts->vtable_number = version >= 10 ? an_cursor_u64(&cursor) : 0;
    uint64_t vtable_names = version >= 10 ? an_cursor_u64(&cursor) : 0;
    an_cursor_u64(&cursor); /* last value kind */

    uint64_t vtables = parts->vtable_number * (parts->layout.wide ? 24 : 16);
    unsigned counter_size = parts->layout.version_word & BYTE_COVERAGE ? 1 : 8;
    parts->ids = take_section(&cursor, ids, 0);
    struct an_bytes data =
        take_section(&cursor, parts->function_number * parts->layout.record, before);
    parts->counters = take_section(&cursor, counters * counter_size, after);
    parts->bitmap = take_section(&cursor, bitmap, after_bitmap);
    parts->uniform = take_section(&cursor, uniform * 8, after_uniform);
    parts->names = take_section(&cursor, names, -names & 7);
    parts->vtables = take_section(&cursor, vtables, -vtables & 7);
    parts->vtable_names = take_section(&cursor, vtable_names, -vtable_names & 7);
    if (cursor.short_read)
        return false;
    take_functions(parts, data, counters_delta, bitmap_delta, uniform_delta);
    for (uint64_t i = 0; i < parts->function_number; i++) {
        struct function *f = &parts->functions[i];
        if (!f->sites[0] && !f->sites[1] && !f->sites[2])
            continue;
        f->values_at = cursor.at;
        f->values_size = an_get32(file.data + cursor.at, big);
        an_cursor_take(&cursor, f->values_size);
    }
    parts->end = cursor.at;
    return !cursor.short_read;
}

/* ---- putting together ---- */

static void put(struct an_buffer *buffer, const struct layout *l, uint64_t value, size_t size)
{
    uint8_t *to = an_buffer_extend(buffer, size);
    for (size_t i = 0; to && i < size; i++)
        to[l->big ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

static void put_zeros(struct an_buffer *buffer, size_t number)
{
    for (; number; number--)
        an_buffer_put(buffer, "", 1);
}

static void put_ids(struct an_buffer *buffer, const struct layout *l, const struct parts *from)
{
    struct an_cursor cursor = an_cursor_at(from->ids, 0, from->layout.big);
    while (an_cursor_left(&cursor)) {
        uint64_t size;
        const uint8_t *bytes = an_cursor_block(&cursor, from->layout.version >= 8, &size);
        put(buffer, l, size, 8);
        an_buffer_put(buffer, bytes, size);
        if (l->version >= 8)
            put_zeros(buffer, -size & 7);
    }
}

static void put_functions(struct an_buffer *buffer, const struct layout *l,
                          const struct parts *from)
{
    for (uint64_t i = 0; i < from->function_number; i++) {
        const struct function *f = &from->functions[i];
        size_t start = buffer->size;
        uint64_t self = l->version >= 8 ? DATA_BASE + i * l->record : 0;
        put(buffer, l, f->name_hash, 8);
        put(buffer, l, f->hash, 8);
        put(buffer, l, COUNTERS_BASE + f->counter_offset - self, l->pointer);
        if (l->version >= 11)
            put(buffer, l, from->uniform.size ? UNIFORM_BASE + f->uniform_offset - self : 0,
                l->pointer);
        if (l->version >= 9)
            put(buffer, l, BITMAP_BASE + f->bitmap_offset - self, l->pointer);
        put(buffer, l, f->address, l->pointer);
        put(buffer, l, 0, l->pointer);
        put(buffer, l, f->slots, 4);
        for (unsigned kind = 0; kind < (l->version >= 10 ? 3 : 2); kind++)
            put(buffer, l, f->sites[kind], 2);
        if (l->version >= 11)
            put(buffer, l, 0, 2);
        if (l->version >= 9) {
            put_zeros(buffer, -(buffer->size - start) & 3);
            put(buffer, l, f->bitmap_bytes, 4);
        }
        put_zeros(buffer, start + l->record - buffer->size);
    }
}

/* Words are turned around, coverage bytes are not, but the time stamps before them are. */
static void put_counters(struct an_buffer *buffer, const struct layout *l, const struct parts *from)
{
    size_t start = buffer->size;
    an_buffer_put(buffer, from->counters.data, from->counters.size);
    if (l->big == from->layout.big || buffer->failed)
        return;
    uint8_t *counters = buffer->data + start;
    bool bytes = l->version_word & BYTE_COVERAGE;
    size_t words = bytes ? from->function_number : from->counters.size / 8;
    if (bytes && !(l->version_word & TEMPORAL))
        return;
    for (size_t i = 0; i < words; i++) {
        uint8_t *word = counters + (bytes ? from->functions[i].counter_offset : 8 * i);
        uint64_t turned = __builtin_bswap64(an_load64(word));
        memcpy(word, &turned, 8);
    }
}

static void put_words(struct an_buffer *buffer, const struct layout *l, struct an_bytes words,
                      bool big)
{
    for (size_t at = 0; at < words.size; at += 8)
        put(buffer, l, an_get64(words.data + at, big), 8);
}

static void put_vtables(struct an_buffer *buffer, const struct layout *l, const struct parts *from)
{
    struct an_cursor cursor = an_cursor_at(from->vtables, 0, from->layout.big);
    for (uint64_t i = 0; i < from->vtable_number; i++) {
        put(buffer, l, an_cursor_u64(&cursor), 8);
        put(buffer, l, take_pointer(&cursor, &from->layout), l->pointer);
        put(buffer, l, an_cursor_u32(&cursor), 4);
        if (from->layout.wide)
            an_cursor_u32(&cursor);
        if (l->wide)
            put_zeros(buffer, 4);
    }
}

static void put_values(struct an_buffer *buffer, const struct layout *l, const struct parts *from,
                       const struct function *f)
{
    struct an_cursor cursor = an_cursor_at(from->file, f->values_at, from->layout.big);
    put(buffer, l, an_cursor_u32(&cursor), 4);
    uint32_t kinds = an_cursor_u32(&cursor);
    put(buffer, l, kinds, 4);
    for (uint32_t k = 0; k < kinds; k++) {
        uint32_t kind = an_cursor_u32(&cursor), sites = an_cursor_u32(&cursor);
        put(buffer, l, kind, 4);
        put(buffer, l, sites, 4);
        const uint8_t *numbers = an_cursor_take(&cursor, (sites + 7) / 8 * 8);
        an_buffer_put(buffer, numbers, (sites + 7) / 8 * 8);
        for (uint32_t s = 0; s < sites; s++)
            for (unsigned v = 0; v < numbers[s]; v++) {
                uint64_t value = an_cursor_u64(&cursor);
                put(buffer, l, kind == 1 ? value : narrowed(value, l), 8); /* 1: sizes */
                put(buffer, l, an_cursor_u64(&cursor), 8);
            }
    }
}

static bool fits(const struct parts *from, unsigned version)
{
    bool vtables = from->vtable_number, bitmaps = false;
    for (uint64_t i = 0; i < from->function_number; i++) {
        bitmaps |= from->functions[i].bitmap_bytes != 0;
        vtables |= from->functions[i].sites[2] != 0;
    }
    bool flags = from->layout.version_word & (BYTE_COVERAGE | TEMPORAL);
    if (from->uniform.size && version < 11)
        return false;
    return !(vtables && version < 10) && !(bitmaps && version < 9) && !(flags && version < 8);
}

static void put_together(struct an_buffer *buffer, struct raw_target target,
                         const struct parts *from)
{
    uint64_t word = (from->layout.version_word & ~0xffffffffull) | target.version;
    struct layout layout = layout_of(word, target.wide, target.big), *l = &layout;
    struct an_buffer ids = {0};
    put_ids(&ids, l, from);
    if (target.version < 6)
        ids.size = 0;
    uint64_t self = l->version >= 8 ? DATA_BASE : 0;
    unsigned counter_size = word & BYTE_COVERAGE ? 1 : 8;
    uint64_t after_counters = (-from->counters.size & 7) + target.padding;
    uint64_t after_bitmap = -from->bitmap.size & 7;

    put(buffer, l, target.wide ? 0xff6c70726f667281u : 0xff6c70726f665281u, 8);
    put(buffer, l, word, 8);
    if (target.version >= 7)
        put(buffer, l, ids.size, 8);
    put(buffer, l, from->function_number, 8);
    put(buffer, l, target.padding, 8);
    put(buffer, l, from->counters.size / counter_size, 8);
    put(buffer, l, after_counters, 8);
    if (target.version >= 9) {
        put(buffer, l, from->bitmap.size, 8);
        put(buffer, l, after_bitmap, 8);
    }
    if (target.version >= 11) {
        put(buffer, l, from->uniform.size / 8, 8);
        put(buffer, l, target.padding, 8);
        put(buffer, l, from->uniform.size ? UNIFORM_BASE - self : 0, 8);
    }
    put(buffer, l, from->names.size, 8);
    put(buffer, l, COUNTERS_BASE - self, 8);
    if (target.version >= 9)
        put(buffer, l, BITMAP_BASE - self, 8);
    put(buffer, l, 0x900000, 8);
    if (target.version >= 10) {
        put(buffer, l, from->vtable_number, 8);
        put(buffer, l, from->vtable_names.size, 8);
    }
    put(buffer, l, target.version >= 10 ? 2 : 1, 8);
    if (target.version == 6)
        put(buffer, l, ids.size, 8);

    an_buffer_put(buffer, ids.data, ids.size);
    put_functions(buffer, l, from);
    put_zeros(buffer, target.padding);
    put_counters(buffer, l, from);
    put_zeros(buffer, after_counters);
    an_buffer_put(buffer, from->bitmap.data, from->bitmap.size);
    put_zeros(buffer, after_bitmap);
    if (target.version >= 11) {
        put_words(buffer, l, from->uniform, from->layout.big);
        put_zeros(buffer, target.padding);
    }
    an_buffer_put(buffer, from->names.data, from->names.size);
    put_zeros(buffer, -from->names.size & 7);
    if (target.version >= 10) {
        put_vtables(buffer, l, from);
        an_buffer_put(buffer, from->vtable_names.data, from->vtable_names.size);
        put_zeros(buffer, -from->vtable_names.size & 7);
    }
    for (uint64_t i = 0; i < from->function_number; i++)
        if (from->functions[i].values_size)
            put_values(buffer, l, from, &from->functions[i]);
    an_buffer_free(&ids);
}

bool raw_transcode(struct an_bytes file, struct raw_target target, struct an_buffer *buffer)
{
    bool done = true;
    for (size_t at = 0; done && at < file.size;) {
        struct parts parts;
        done = take_apart(&parts, file, at) && fits(&parts, target.version);
        if (done)
            put_together(buffer, target, &parts);
        free(parts.functions);
        at = parts.end;
        while (at < file.size && file.data[at] == 0)
            at++;
    }
    return done && !buffer->failed;
}
