/*
 * What the readers of BAT's encodings share: fragments and entries are checked as they are added.
 *
 * Strays: when BOLT has made two copies of a branch, it may tell the place of one of them where it
 * lists the other, in another fragment: as an offset beyond the fragment's end, or before its
 * begin, which wraps around at 2^32. A branch that BOLT dropped has the output address 0. Such
 * entries are the last of their fragment. Nothing in the fragment translates by them; they are
 * kept because BOLT keeps them.
 */
#include "bolt/bat_parse.h"

enum an_code an_bat_cut(const struct bat_parser *p)
{
    return an_fail_at(p->error, AN_TRUNCATED, p->cursor.at,
                      "address translation ends early: expected more than %zu bytes",
                      p->cursor.bytes.size);
}

enum an_code an_bat_check_count(struct bat_parser *p, uint64_t at, uint64_t count, size_t least,
                                const char *things)
{
    if (p->cursor.short_read)
        return an_bat_cut(p);
    if (count <= an_cursor_left(&p->cursor) / least)
        return AN_OK;
    return an_fail_at(p->error, AN_TRUNCATED, at, "expected %llu %s, but only %zu bytes follow",
                      (unsigned long long)count, things, an_cursor_left(&p->cursor));
}

struct an_bat_function *an_bat_add_function(struct bat_parser *p, uint64_t at, uint64_t address)
{
    if (address < p->text.start || address >= p->text.end) {
        an_fail_at(p->error, AN_MALFORMED, at,
                   "function at 0x%llx, expected one in the code at 0x%llx to 0x%llx",
                   (unsigned long long)address, (unsigned long long)p->text.start,
                   (unsigned long long)p->text.end);
        return NULL;
    }
    size_t number = p->functions.count;
    struct an_bat_function *function = an_vector_push(&p->functions);
    if (!function) {
        an_fail_memory(p->error);
        return NULL;
    }
    *function = (struct an_bat_function){
        .address = address,
        .parent = (uint32_t)number,
        .first_entry = (uint32_t)p->entries.count,
    };
    return function;
}

/* Offsets have 32 bits and wrap around: see strays above. */
static bool may_be_code(const struct an_bat_range *text, uint64_t address, uint32_t offset)
{
    uint64_t size = text->end - text->start;
    return (uint32_t)(address + offset) == 0 || size > UINT32_MAX ||
           (uint32_t)(address + offset - text->start) <= size;
}

enum an_code an_bat_add_entry(struct bat_parser *p, uint64_t at, struct an_bat_entry entry)
{
    struct an_bat_function *function = &p->functions.items[p->functions.count - 1];
    if (!may_be_code(&p->text, function->address, entry.output))
        return an_fail_at(p->error, AN_MALFORMED, at,
                          "an entry at offset 0x%lx of 0x%llx, outside the code",
                          (unsigned long)entry.output, (unsigned long long)function->address);
    if (function->entry_count && p->entries.items[p->entries.count - 1].output > entry.output)
        return an_fail_at(p->error, AN_MALFORMED, at, "entries are not sorted by offset");
    struct an_bat_entry *place = an_vector_push(&p->entries);
    if (!place)
        return an_fail_memory(p->error);
    *place = entry;
    function->entry_count++;
    return AN_OK;
}
