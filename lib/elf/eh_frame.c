/* Walking over .eh_frame and the tables of landing pads; see eh_frame.h. */
#include "elf/eh_frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

enum { /* pointer encodings (DW_EH_PE_*) */
       OMITTED = 0xff,
       ABSOLUTE_POINTER = 0x00,
       ULEB = 0x01,
       UDATA2 = 0x02,
       UDATA4 = 0x03,
       UDATA8 = 0x04,
       SLEB = 0x09,
       SDATA2 = 0x0a,
       SDATA4 = 0x0b,
       SDATA8 = 0x0c,
       RELATIVE_TO_ITSELF = 0x10,
       INDIRECT = 0x80,
};

/* The number alone, without what it is relative to. */
static uint64_t encoded_number(struct an_cursor *cursor, uint8_t encoding)
{
    switch (encoding & 0x0f) {
    case ABSOLUTE_POINTER:
    case UDATA8:
    case SDATA8:
        return an_cursor_u64(cursor);
    case ULEB:
        return an_cursor_uleb128(cursor);
    case SLEB:
        return (uint64_t)an_cursor_sleb128(cursor);
    case UDATA2:
        return an_cursor_u16(cursor);
    case SDATA2:
        return (uint64_t)(int16_t)an_cursor_u16(cursor);
    case UDATA4:
        return an_cursor_u32(cursor);
    case SDATA4:
        return (uint64_t)(int32_t)an_cursor_u32(cursor);
    default:
        cursor->short_read = true; /* of an unknown length: what follows cannot be found */
        return 0;
    }
}

/* The pointer at the cursor, whose bytes are loaded at `base`. 0 stays 0: there is none. */
static uint64_t encoded_pointer(struct an_cursor *cursor, uint8_t encoding, uint64_t base)
{
    uint64_t here = base + cursor->at;
    uint64_t value = encoded_number(cursor, encoding);
    if (value && (encoding & 0x70) == RELATIVE_TO_ITSELF)
        value += here;
    return value;
}

struct cie {
    uint8_t address_encoding, lsda_encoding;
    bool sized; /* the entries tell the size of their augmentation data */
    bool usable;
};

/* `cursor` stands behind the id. It is read again whenever an entry has another one than the entry
 * before, so no more of it is looked at than makes sense. */
static struct cie read_cie(struct an_cursor *cursor, uint64_t base)
{
    enum { LONG_ENOUGH = 256 };
    struct cie cie = {.address_encoding = ABSOLUTE_POINTER, .lsda_encoding = OMITTED};
    if (an_cursor_left(cursor) > LONG_ENOUGH)
        cursor->bytes.size = cursor->at + LONG_ENOUGH;
    uint8_t version = an_cursor_u8(cursor);
    const char *letters = (const char *)cursor->bytes.data + cursor->at;
    const char *end = memchr(letters, 0, an_cursor_left(cursor));
    if (!end)
        return cie;
    an_cursor_take(cursor, (size_t)(end - letters) + 1);
    an_cursor_uleb128(cursor); /* code alignment */
    an_cursor_sleb128(cursor); /* data alignment */
    if (version == 1)
        an_cursor_u8(cursor); /* return address register */
    else
        an_cursor_uleb128(cursor);
    cie.sized = *letters == 'z';
    if (cie.sized)
        an_cursor_uleb128(cursor);
    cie.usable = cie.sized || !*letters;
    for (letters += cie.sized; *letters && cie.usable; letters++) {
        if (*letters == 'L')
            cie.lsda_encoding = an_cursor_u8(cursor);
        else if (*letters == 'R')
            cie.address_encoding = an_cursor_u8(cursor);
        else if (*letters == 'P')
            encoded_pointer(cursor, an_cursor_u8(cursor), base);
        else if (*letters != 'S' && *letters != 'B')
            cie.usable = false;
    }
    cie.usable = cie.usable && !cursor->short_read;
    return cie;
}

struct frames {
    struct an_bytes bytes;
    uint64_t base; /* address of the section */
    size_t known_cie;
    struct cie cie; /* of known_cie: neighbours mostly share it */
    struct {
        AN_VECTOR(struct an_elf_fde);
    } fdes;
};

/* The content of the entry at `at`; *next is where the following one begins. */
static bool entry_at(const struct frames *frames, size_t at, struct an_cursor *entry, size_t *next)
{
    struct an_cursor cursor = an_cursor_at(frames->bytes, at, false);
    uint64_t length = an_cursor_u32(&cursor);
    if (length == 0xffffffff)
        length = an_cursor_u64(&cursor);
    if (cursor.short_read || length == 0 || length > an_cursor_left(&cursor))
        return false;
    *next = cursor.at + (size_t)length;
    *entry = cursor;
    entry->bytes.size = *next;
    return true;
}

static const struct cie *cie_at(struct frames *frames, size_t at)
{
    struct an_cursor entry;
    size_t next;
    if (at == frames->known_cie)
        return &frames->cie;
    frames->known_cie = at;
    frames->cie = (struct cie){0};
    if (entry_at(frames, at, &entry, &next) && an_cursor_u32(&entry) == 0)
        frames->cie = read_cie(&entry, frames->base);
    return &frames->cie;
}

/* False only when memory runs out. */
static bool read_entry(struct frames *frames, struct an_cursor *entry)
{
    size_t id_at = entry->at;
    uint32_t id = an_cursor_u32(entry);
    if (id == 0 || id > id_at)
        return true;
    const struct cie *cie = cie_at(frames, id_at - id);
    if (!cie->usable || (cie->address_encoding & INDIRECT))
        return true;
    struct an_elf_fde fde = {0};
    fde.start = encoded_pointer(entry, cie->address_encoding, frames->base);
    fde.size = encoded_number(entry, cie->address_encoding & 0x0f);
    if (cie->sized)
        an_cursor_uleb128(entry);
    if (cie->lsda_encoding != OMITTED && !(cie->lsda_encoding & INDIRECT))
        fde.lsda = encoded_pointer(entry, cie->lsda_encoding, frames->base);
    if (entry->short_read || fde.start == 0)
        return true;
    struct an_elf_fde *item = an_vector_push(&frames->fdes);
    if (item)
        *item = fde;
    return item != NULL;
}

static int by_start(const void *a, const void *b)
{
    const struct an_elf_fde *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

enum an_code an_elf_fdes_read(const struct an_elf *elf, struct an_elf_fdes *fdes,
                              struct an_error *error)
{
    *fdes = (struct an_elf_fdes){0};
    const struct an_elf_section *section = an_elf_section(elf, ".eh_frame");
    if (!section)
        return AN_OK;
    struct frames frames = {.bytes = an_elf_section_bytes(elf, section),
                            .base = section->address,
                            .known_cie = SIZE_MAX};
    struct an_cursor entry;
    for (size_t at = 0, next; entry_at(&frames, at, &entry, &next); at = next)
        if (!read_entry(&frames, &entry)) {
            an_vector_free(&frames.fdes);
            return an_fail_memory(error);
        }
    *fdes = (struct an_elf_fdes){frames.fdes.items, frames.fdes.count};
    if (fdes->count)
        qsort(fdes->items, fdes->count, sizeof *fdes->items, by_start);
    return AN_OK;
}

void an_elf_fdes_free(struct an_elf_fdes *fdes)
{
    free(fdes->items);
    *fdes = (struct an_elf_fdes){0};
}

size_t an_elf_fde_from(const struct an_elf_fdes *fdes, uint64_t address)
{
    size_t low = 0, high = fdes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fdes->items[middle].start < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A function's table of calls: nothing is left in it when there is none. */
static struct an_cursor open_calls(const struct an_elf *elf, uint64_t start, uint64_t lsda,
                                   uint64_t *base, uint8_t *encoding)
{
    const struct an_elf_section *section = an_elf_section_containing(elf, lsda);
    if (!section)
        return (struct an_cursor){0};
    struct an_cursor cursor =
        an_cursor_at(an_elf_section_bytes(elf, section), (size_t)(lsda - section->address), false);
    uint8_t base_encoding = an_cursor_u8(&cursor);
    *base = start;
    if (base_encoding != OMITTED)
        *base = encoded_pointer(&cursor, base_encoding, section->address);
    if (an_cursor_u8(&cursor) != OMITTED)
        an_cursor_uleb128(&cursor); /* the type table */
    *encoding = an_cursor_u8(&cursor);
    uint64_t size = an_cursor_uleb128(&cursor);
    if (cursor.short_read || size > an_cursor_left(&cursor))
        return (struct an_cursor){0};
    cursor.bytes.size = cursor.at + (size_t)size;
    return cursor;
}

size_t an_elf_calls_size(const struct an_elf *elf, uint64_t lsda)
{
    uint64_t base;
    uint8_t encoding;
    struct an_cursor cursor = open_calls(elf, 0, lsda, &base, &encoding);
    return an_cursor_left(&cursor);
}

void an_elf_landing_pads(const struct an_elf *elf, uint64_t start, uint64_t lsda,
                         void (*found)(void *context, uint64_t landing_pad), void *context)
{
    uint64_t base;
    uint8_t encoding;
    struct an_cursor cursor = open_calls(elf, start, lsda, &base, &encoding);
    while (an_cursor_left(&cursor) && !cursor.short_read) {
        encoded_number(&cursor, encoding); /* start */
        encoded_number(&cursor, encoding); /* length */
        uint64_t landing_pad = encoded_number(&cursor, encoding);
        an_cursor_uleb128(&cursor); /* action */
        if (landing_pad && !cursor.short_read)
            found(context, base + landing_pad);
    }
}
