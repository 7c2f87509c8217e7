/*
 * BAT as LLVM 13 to 17 write it: words, little-endian, after the note's header and name.
 *
 *     u32  fragments
 *     for each, sorted by address:
 *         u64  output address
 *         u32  entries
 *         for each, sorted by output offset:
 *             u32  output offset
 *             u32  input offset; 0x80000000 is added for a branch
 *     u32  cold fragments
 *     for each:
 *         u64  its output address
 *         u64  the output address of the function it was cut from
 *
 * Fragments that came out empty are listed with address 0 and no entries; they are left out here.
 * (BOLT 16 reads the two addresses of a cold fragment into 32 bits. They are 64 here.)
 */
#include <stdlib.h>

#include "bolt/bat_parse.h"

#define BRANCH 0x80000000u

static enum an_code parse_entries(struct bat_parser *p, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = p->cursor.at;
        uint32_t output = an_cursor_u32(&p->cursor);
        uint32_t input = an_cursor_u32(&p->cursor);
        struct an_bat_entry entry = {output, input << 1 | input >> 31};
        enum an_code code = an_bat_add_entry(p, at, entry);
        if (code != AN_OK)
            return code;
    }
    return AN_OK;
}

static enum an_code parse_fragment(struct bat_parser *p)
{
    uint64_t address = an_cursor_u64(&p->cursor);
    uint64_t at = p->cursor.at;
    uint32_t count = an_cursor_u32(&p->cursor);
    if (p->cursor.short_read)
        return an_bat_cut(p);
    enum an_code code = an_bat_check_count(p, at, count, 8, "entries");
    if (code != AN_OK || (address == 0 && count == 0))
        return code;
    size_t before = p->functions.count;
    if (before && p->functions.items[before - 1].address >= address)
        return an_fail_at(p->error, AN_MALFORMED, at - 8, "functions are not sorted by address");
    if (!an_bat_add_function(p, at - 8, address))
        return p->error->code;
    return parse_entries(p, count);
}

static int by_address(const void *key, const void *item)
{
    uint64_t address = *(const uint64_t *)key;
    const struct an_bat_function *function = item;
    return address < function->address ? -1 : address > function->address;
}

static enum an_code parse_cold(struct bat_parser *p)
{
    uint64_t at = p->cursor.at;
    uint64_t cold = an_cursor_u64(&p->cursor), hot = an_cursor_u64(&p->cursor);
    if (cold == 0)
        return AN_OK;
    struct an_bat_function *all = p->functions.items;
    struct an_bat_function *fragment =
        all ? bsearch(&cold, all, p->functions.count, sizeof *all, by_address) : NULL;
    struct an_bat_function *parent =
        all ? bsearch(&hot, all, p->functions.count, sizeof *all, by_address) : NULL;
    if (!fragment || !parent || fragment == parent)
        return an_fail_at(p->error, AN_MALFORMED, at,
                          "cold fragment 0x%llx of function 0x%llx, expected two addresses of "
                          "the list",
                          (unsigned long long)cold, (unsigned long long)hot);
    if (fragment->is_cold)
        return an_fail_at(p->error, AN_MALFORMED, at, "cold fragment 0x%llx is listed twice",
                          (unsigned long long)cold);
    fragment->is_cold = true;
    fragment->parent = (uint32_t)(parent - all);
    p->cold_count++;
    return AN_OK;
}

enum an_code an_bat_parse_words(struct bat_parser *p)
{
    uint64_t at = p->cursor.at;
    uint32_t count = an_cursor_u32(&p->cursor);
    enum an_code code = an_bat_check_count(p, at, count, 12, "functions");
    for (uint32_t i = 0; code == AN_OK && i < count; i++)
        code = parse_fragment(p);
    at = p->cursor.at;
    count = an_cursor_u32(&p->cursor);
    if (code == AN_OK)
        code = an_bat_check_count(p, at, count, 16, "cold fragments");
    for (uint32_t i = 0; code == AN_OK && i < count; i++)
        code = parse_cold(p);
    return code;
}
