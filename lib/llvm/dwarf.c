/*
 * Debug information; see dwarf.h.
 *
 *     .debug_info    unit:  u32 length (or ffffffff, u64) | u16 version |
 *                           5:    u8 kind, u8 size of addresses, offset of the abbreviations,
 *                                 kind 2, 4, 5, 6: more
 *                           2..4: offset of the abbreviations, u8 size of addresses
 *                    entry: uleb code (0: the last child was before) | values, as the abbreviation has them
 *     .debug_abbrev  uleb code | uleb tag | u8 has children | { uleb attribute, uleb form, form 0x21: sleb value }... 0 0
 *
 * Source: DWARF 5, chapter 7.
 */
#include "llvm/dwarf.h"

#include <string.h>

#include "base/map.h"
#include "base/vector.h"

enum attribute {
    AT_LOCATION = 0x02,
    AT_NAME = 0x03,
    AT_CONST_VALUE = 0x1c,
    AT_STRING_OFFSETS_BASE = 0x72,
    AT_ADDRESS_BASE = 0x73,
};

enum form {
    FORM_ADDR = 0x01,
    FORM_BLOCK2 = 0x03,
    FORM_BLOCK4 = 0x04,
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_BLOCK1 = 0x0a,
    FORM_DATA1 = 0x0b,
    FORM_FLAG = 0x0c,
    FORM_SDATA = 0x0d,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_REF_ADDR = 0x10,
    FORM_REF1 = 0x11,
    FORM_REF2 = 0x12,
    FORM_REF4 = 0x13,
    FORM_REF8 = 0x14,
    FORM_REF_UDATA = 0x15,
    FORM_INDIRECT = 0x16,
    FORM_SEC_OFFSET = 0x17,
    FORM_EXPRLOC = 0x18,
    FORM_FLAG_PRESENT = 0x19,
    FORM_STRX = 0x1a,
    FORM_ADDRX = 0x1b,
    FORM_REF_SUP4 = 0x1c,
    FORM_STRP_SUP = 0x1d,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f,
    FORM_REF_SIG8 = 0x20,
    FORM_IMPLICIT_CONST = 0x21,
    FORM_LOCLISTX = 0x22,
    FORM_RNGLISTX = 0x23,
    FORM_REF_SUP8 = 0x24,
    FORM_STRX1 = 0x25,
    FORM_STRX2 = 0x26,
    FORM_STRX3 = 0x27,
    FORM_STRX4 = 0x28,
    FORM_ADDRX1 = 0x29,
    FORM_ADDRX2 = 0x2a,
    FORM_ADDRX3 = 0x2b,
    FORM_ADDRX4 = 0x2c,
    FORM_GNU_ADDR_INDEX = 0x1f01,
    FORM_GNU_STR_INDEX = 0x1f02,
    FORM_GNU_REF_ALT = 0x1f20,
    FORM_GNU_STRP_ALT = 0x1f21,
};

enum { OP_ADDR = 0x03, OP_ADDRX = 0xa1, OP_GNU_ADDR_INDEX = 0xfb };

struct specification {
    uint64_t attribute, form;
    int64_t implicit;
};

struct abbreviation {
    uint64_t tag;
    bool has_children;
    size_t first, count; /* of the specifications */
};

struct unit {
    struct an_cursor cursor; /* at the next entry; its bytes end with the unit */
    unsigned version, address_size, offset_size;
    uint64_t abbreviations_at;
    uint64_t string_offsets_base, address_base;
};

struct walk {
    const struct dwarf_sections *sections;
    struct {
        AN_VECTOR(struct abbreviation);
    } abbreviations;
    struct {
        AN_VECTOR(struct specification);
    } specifications;
    struct an_map by_code; /* index + 1 */
    uint64_t known_at;     /* where those come from, + 1 */
    uint64_t budget;       /* of reading abbreviations again and again */
};

/* ---- abbreviations ---- */

static enum an_code damaged(uint64_t at, const char *section, struct an_error *error)
{
    return an_fail_at(error, AN_MALFORMED, at, "damaged debug information in section %s", section);
}

static bool read_specifications(struct walk *walk, struct an_cursor *cursor,
                                struct abbreviation *abbreviation)
{
    abbreviation->first = walk->specifications.count;
    while (!cursor->short_read) {
        struct specification read = {.attribute = an_cursor_uleb128(cursor)};
        read.form = an_cursor_uleb128(cursor);
        if (read.form == FORM_IMPLICIT_CONST)
            read.implicit = an_cursor_sleb128(cursor);
        if (!read.attribute && !read.form)
            break;
        struct specification *place = an_vector_push(&walk->specifications);
        if (!place)
            return false;
        *place = read;
    }
    abbreviation->count = walk->specifications.count - abbreviation->first;
    return true;
}

static enum an_code read_abbreviations(struct walk *walk, uint64_t at, struct an_error *error)
{
    struct an_bytes bytes = walk->sections->abbreviations;
    if (walk->known_at == at + 1)
        return AN_OK;
    if (at >= bytes.size)
        return damaged(at, ".debug_abbrev", error);
    struct an_cursor cursor = an_cursor_at(bytes, (size_t)at, walk->sections->big);
    an_map_free(&walk->by_code);
    walk->abbreviations.count = walk->specifications.count = 0;
    walk->known_at = 0;
    for (;;) {
        uint64_t code = an_cursor_uleb128(&cursor);
        if (cursor.short_read)
            return damaged(at, ".debug_abbrev", error);
        if (code == 0)
            break;
        struct abbreviation read = {.tag = an_cursor_uleb128(&cursor)};
        read.has_children = an_cursor_u8(&cursor);
        bool is_new;
        struct abbreviation *place = an_vector_push(&walk->abbreviations);
        uint64_t *slot = place ? an_map_insert(&walk->by_code, code, &is_new) : NULL;
        if (!slot || !read_specifications(walk, &cursor, &read))
            return an_fail_memory(error);
        *slot = walk->abbreviations.count;
        *place = read;
    }
    uint64_t size = cursor.at - at;
    if (size > walk->budget)
        return damaged(at, ".debug_abbrev", error);
    walk->budget -= size;
    walk->known_at = at + 1;
    return AN_OK;
}

/* ---- values ---- */

static uint64_t take_number(struct an_cursor *cursor, unsigned size)
{
    const uint8_t *bytes = an_cursor_take(cursor, size);
    uint64_t value = 0;
    for (unsigned i = 0; bytes && i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * (cursor->big ? size - 1 - i : i);
    return value;
}

static const char *text_at(struct an_bytes section, uint64_t at)
{
    if (at >= section.size || !memchr(section.data + at, 0, section.size - (size_t)at))
        return NULL;
    return (const char *)section.data + at;
}

static uint64_t entry_of(struct an_bytes section, uint64_t base, uint64_t index, unsigned size,
                         bool big, bool *is_there)
{
    uint64_t at;
    *is_there = !__builtin_mul_overflow(index, size, &at) &&
                !__builtin_add_overflow(at, base, &at) && at <= section.size &&
                section.size - at >= size;
    if (!*is_there)
        return 0;
    struct an_cursor cursor = an_cursor_at(section, (size_t)at, big);
    return take_number(&cursor, size);
}

enum value_kind { VALUE_OTHER, VALUE_NUMBER, VALUE_TEXT, VALUE_BLOCK };

struct value {
    enum value_kind kind;
    uint64_t number;
    const char *text;
    struct an_bytes block;
};

static void take_block(struct an_cursor *cursor, uint64_t size, struct value *value)
{
    value->kind = VALUE_BLOCK;
    const uint8_t *bytes = size > SIZE_MAX ? NULL : an_cursor_take(cursor, (size_t)size);
    if (!bytes)
        cursor->short_read = true;
    value->block = (struct an_bytes){bytes, bytes ? (size_t)size : 0};
}

static void take_indexed(const struct walk *walk, const struct unit *unit, uint64_t index,
                         struct value *value)
{
    bool is_there;
    uint64_t at = entry_of(walk->sections->string_offsets, unit->string_offsets_base, index,
                           unit->offset_size, walk->sections->big, &is_there);
    value->kind = VALUE_TEXT;
    value->text = is_there ? text_at(walk->sections->strings, at) : NULL;
}

static void take_text(struct an_cursor *cursor, struct value *value)
{
    value->kind = VALUE_TEXT;
    value->text = text_at(cursor->bytes, cursor->at);
    if (!value->text)
        cursor->short_read = true;
    else
        an_cursor_take(cursor, strlen(value->text) + 1);
}

static void take_value_number(uint64_t number, struct value *value)
{
    value->kind = VALUE_NUMBER;
    value->number = number;
}

/* Steps over a value of this form, and decodes those that somebody may ask for. False: the form is not known. */
static bool take(const struct walk *walk, struct unit *unit, uint64_t form, int64_t implicit,
                 struct value *value)
{
    struct an_cursor *cursor = &unit->cursor;
    *value = (struct value){.kind = VALUE_OTHER};
    for (int times = 0; form == FORM_INDIRECT; times++) {
        form = an_cursor_uleb128(cursor);
        if (times == 4 || cursor->short_read)
            return false;
    }
    switch (form) {
    case FORM_ADDR:
        an_cursor_take(cursor, unit->address_size);
        return true;
    case FORM_BLOCK1:
        take_block(cursor, an_cursor_u8(cursor), value);
        return true;
    case FORM_BLOCK2:
        take_block(cursor, an_cursor_u16(cursor), value);
        return true;
    case FORM_BLOCK4:
        take_block(cursor, an_cursor_u32(cursor), value);
        return true;
    case FORM_BLOCK:
    case FORM_EXPRLOC:
        take_block(cursor, an_cursor_uleb128(cursor), value);
        return true;
    case FORM_DATA1:
        take_value_number(take_number(cursor, 1), value);
        return true;
    case FORM_DATA2:
        take_value_number(take_number(cursor, 2), value);
        return true;
    case FORM_DATA4:
        take_value_number(take_number(cursor, 4), value);
        return true;
    case FORM_DATA8:
        take_value_number(take_number(cursor, 8), value);
        return true;
    case FORM_SEC_OFFSET:
        take_value_number(take_number(cursor, unit->offset_size), value);
        return true;
    case FORM_UDATA:
        take_value_number(an_cursor_uleb128(cursor), value);
        return true;
    case FORM_SDATA:
        take_value_number((uint64_t)an_cursor_sleb128(cursor), value);
        return true;
    case FORM_IMPLICIT_CONST:
        take_value_number((uint64_t)implicit, value);
        return true;
    case FORM_STRING:
        take_text(cursor, value);
        return true;
    case FORM_STRP:
    case FORM_LINE_STRP:
        value->kind = VALUE_TEXT;
        value->text =
            text_at(form == FORM_STRP ? walk->sections->strings : walk->sections->line_strings,
                    take_number(cursor, unit->offset_size));
        return true;
    case FORM_STRX:
    case FORM_GNU_STR_INDEX:
        take_indexed(walk, unit, an_cursor_uleb128(cursor), value);
        return true;
    case FORM_STRX1:
    case FORM_STRX2:
    case FORM_STRX3:
    case FORM_STRX4:
        take_indexed(walk, unit, take_number(cursor, (unsigned)(form - FORM_STRX1 + 1)), value);
        return true;
    case FORM_ADDRX1:
    case FORM_ADDRX2:
    case FORM_ADDRX3:
    case FORM_ADDRX4:
        an_cursor_take(cursor, form - FORM_ADDRX1 + 1);
        return true;
    case FORM_FLAG:
    case FORM_REF1:
        an_cursor_take(cursor, 1);
        return true;
    case FORM_REF2:
        an_cursor_take(cursor, 2);
        return true;
    case FORM_REF4:
    case FORM_REF_SUP4:
        an_cursor_take(cursor, 4);
        return true;
    case FORM_REF8:
    case FORM_REF_SIG8:
    case FORM_REF_SUP8:
        an_cursor_take(cursor, 8);
        return true;
    case FORM_DATA16:
        an_cursor_take(cursor, 16);
        return true;
    case FORM_REF_ADDR:
        an_cursor_take(cursor, unit->version == 2 ? unit->address_size : unit->offset_size);
        return true;
    case FORM_STRP_SUP:
    case FORM_GNU_REF_ALT:
    case FORM_GNU_STRP_ALT:
        an_cursor_take(cursor, unit->offset_size);
        return true;
    case FORM_REF_UDATA:
    case FORM_ADDRX:
    case FORM_LOCLISTX:
    case FORM_RNGLISTX:
    case FORM_GNU_ADDR_INDEX:
        an_cursor_uleb128(cursor);
        return true;
    case FORM_FLAG_PRESENT:
        return true;
    default:
        return false;
    }
}

/* ---- entries ---- */

static void locate(const struct walk *walk, const struct unit *unit, struct an_bytes block,
                   struct dwarf_entry *entry)
{
    struct an_cursor cursor = an_cursor_at(block, 0, walk->sections->big);
    uint8_t operation = an_cursor_u8(&cursor);
    bool is_there = operation == OP_ADDR;
    uint64_t address = 0;
    if (operation == OP_ADDR)
        address = take_number(&cursor, unit->address_size);
    else if (operation == OP_ADDRX || operation == OP_GNU_ADDR_INDEX)
        address =
            entry_of(walk->sections->addresses, unit->address_base, an_cursor_uleb128(&cursor),
                     unit->address_size, walk->sections->big, &is_there);
    entry->has_address = is_there && !cursor.short_read && !an_cursor_left(&cursor);
    entry->address = address;
}

static void note(const struct walk *walk, struct unit *unit, uint64_t attribute,
                 const struct value *value, struct dwarf_entry *entry)
{
    if (attribute == AT_NAME && value->kind == VALUE_TEXT) {
        entry->name = value->text;
    } else if (attribute == AT_CONST_VALUE) {
        entry->text = value->text;
        entry->has_number = value->kind == VALUE_NUMBER;
        entry->number = value->number;
    } else if (attribute == AT_LOCATION && value->kind == VALUE_BLOCK) {
        locate(walk, unit, value->block, entry);
    } else if (entry->depth == 0 && value->kind == VALUE_NUMBER) {
        if (attribute == AT_STRING_OFFSETS_BASE)
            unit->string_offsets_base = value->number;
        else if (attribute == AT_ADDRESS_BASE)
            unit->address_base = value->number;
    }
}

static enum an_code walk_entries(struct walk *walk, struct unit *unit,
                                 bool (*each)(void *context, const struct dwarf_entry *entry),
                                 void *context, struct an_error *error)
{
    unsigned depth = 0;
    while (an_cursor_left(&unit->cursor)) {
        uint64_t at = unit->cursor.at, code = an_cursor_uleb128(&unit->cursor);
        if (code == 0) {
            depth -= depth > 0;
            continue;
        }
        const uint64_t *slot = an_map_find(&walk->by_code, code);
        if (!slot)
            return damaged(at, ".debug_info", error);
        const struct abbreviation *abbreviation = &walk->abbreviations.items[*slot - 1];
        struct dwarf_entry entry = {.tag = (unsigned)abbreviation->tag, .depth = depth};
        for (size_t i = 0; i < abbreviation->count; i++) {
            const struct specification *its = &walk->specifications.items[abbreviation->first + i];
            struct value value;
            if (!take(walk, unit, its->form, its->implicit, &value) || unit->cursor.short_read)
                return damaged(at, ".debug_info", error);
            note(walk, unit, its->attribute, &value, &entry);
        }
        if (!each(context, &entry))
            return an_fail_memory(error);
        depth += abbreviation->has_children;
    }
    return AN_OK;
}

/* ---- units ---- */

enum { UNIT_TYPE = 2, UNIT_SKELETON = 4, UNIT_SPLIT = 5, UNIT_SPLIT_TYPE = 6 };

static bool read_unit(struct an_cursor *cursor, struct unit *unit)
{
    *unit = (struct unit){.offset_size = 4};
    uint64_t length = an_cursor_u32(cursor);
    if (length == 0xffffffff) {
        unit->offset_size = 8;
        length = an_cursor_u64(cursor);
    }
    if (cursor->short_read || length > an_cursor_left(cursor))
        return false;
    size_t start = cursor->at;
    an_cursor_take(cursor, (size_t)length);
    unit->cursor =
        an_cursor_at((struct an_bytes){cursor->bytes.data, cursor->at}, start, cursor->big);
    struct an_cursor *here = &unit->cursor;
    unit->version = an_cursor_u16(here);
    unsigned kind = 0;
    if (unit->version >= 5) {
        kind = an_cursor_u8(here);
        unit->address_size = an_cursor_u8(here);
    }
    unit->abbreviations_at = take_number(here, unit->offset_size);
    if (unit->version < 5)
        unit->address_size = an_cursor_u8(here);
    if (kind == UNIT_SKELETON || kind == UNIT_SPLIT)
        an_cursor_take(here, 8);
    else if (kind == UNIT_TYPE || kind == UNIT_SPLIT_TYPE)
        an_cursor_take(here, 8 + unit->offset_size);
    /* Where the tables begin behind their headers, if the unit does not say it. */
    unit->string_offsets_base = unit->address_base = unit->version < 5        ? 0
                                                     : unit->offset_size == 8 ? 16
                                                                              : 8;
    return !here->short_read && unit->version >= 2 && unit->version <= 5 &&
           (unit->address_size == 4 || unit->address_size == 8);
}

enum an_code an_dwarf_walk(const struct dwarf_sections *sections,
                           bool (*each)(void *context, const struct dwarf_entry *entry),
                           void *context, struct an_error *error)
{
    enum { READ_AGAIN = 16 };
    struct walk walk = {.sections = sections};
    walk.budget = READ_AGAIN * (uint64_t)(sections->abbreviations.size + sections->info.size);
    struct an_cursor cursor = an_cursor_at(sections->info, 0, sections->big);
    enum an_code code = AN_OK;
    while (code == AN_OK && an_cursor_left(&cursor)) {
        struct unit unit;
        uint64_t at = cursor.at;
        if (!read_unit(&cursor, &unit))
            code = damaged(at, ".debug_info", error);
        if (code == AN_OK)
            code = read_abbreviations(&walk, unit.abbreviations_at, error);
        if (code == AN_OK)
            code = walk_entries(&walk, &unit, each, context, error);
    }
    an_vector_free(&walk.abbreviations);
    an_vector_free(&walk.specifications);
    an_map_free(&walk.by_code);
    return code;
}
