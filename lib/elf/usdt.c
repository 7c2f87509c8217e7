/* Reading .note.stapsdt; see usdt.h. */
#include "elf/usdt.h"

enum { TYPE = 3 };

/* A text that ends in what is left, or NULL. */
static const char *take_text(struct an_cursor *cursor)
{
    const uint8_t *here = cursor->bytes.data + cursor->at;
    size_t left = an_cursor_left(cursor);
    const uint8_t *end = left ? memchr(here, 0, left) : NULL;
    return end ? (const char *)an_cursor_take(cursor, (size_t)(end - here) + 1) : NULL;
}

/* Tools that move sections (prelink) leave the note as it was, and so it has the address of one of them. */
static bool take_probe(const struct an_elf *elf, struct an_bytes description, struct an_usdt *probe)
{
    const struct an_elf_section *base = an_elf_section(elf, ".stapsdt.base");
    struct an_cursor cursor = an_cursor_at(description, 0, false);
    uint64_t address = an_cursor_u64(&cursor), base_then = an_cursor_u64(&cursor);
    an_cursor_u64(&cursor); /* the semaphore */
    if (base && base_then)
        address += base->address - base_then;
    *probe = (struct an_usdt){.address = address};
    if (!cursor.short_read)
        probe->provider = take_text(&cursor);
    if (probe->provider)
        probe->name = take_text(&cursor);
    return probe->name != NULL;
}

/* A name or a description, with its padding; the last one may lack that. */
static struct an_bytes take_part(struct an_cursor *cursor, uint32_t size)
{
    const uint8_t *here = an_cursor_take(cursor, size);
    size_t padding = -size & 3, left = an_cursor_left(cursor);
    an_cursor_take(cursor, padding < left ? padding : left);
    return (struct an_bytes){here, here ? size : 0};
}

bool an_usdt_each(const struct an_elf *elf,
                  void (*call)(void *context, const struct an_usdt *probe), void *context)
{
    static const char owner[] = "stapsdt";
    const struct an_elf_section *section = an_elf_section(elf, ".note.stapsdt");
    if (!section)
        return true;
    struct an_cursor cursor = an_cursor_at(an_elf_section_bytes(elf, section), 0, false);
    if (cursor.bytes.size != section->size)
        return false;
    while (an_cursor_left(&cursor)) {
        uint32_t name_size = an_cursor_u32(&cursor), size = an_cursor_u32(&cursor);
        uint32_t type = an_cursor_u32(&cursor);
        struct an_bytes name = take_part(&cursor, name_size),
                        description = take_part(&cursor, size);
        struct an_usdt probe;
        if (cursor.short_read)
            return false;
        if (type != TYPE || name.size != sizeof owner || memcmp(name.data, owner, name.size) != 0)
            continue;
        if (!take_probe(elf, description, &probe))
            return false;
        call(context, &probe);
    }
    return true;
}
