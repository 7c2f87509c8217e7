/*
 * BAT as LLVM 18 and later write it: LEB128 numbers, most of them differences. U is unsigned, S is
 * signed; * marks what LLVM 19 added, which is also how the two are told apart.
 *
 *     the table of hot fragments:
 *     U    fragments
 *     for each, sorted by address:
 *         U    output address - the output address in front of it, wherever that was
 *         u64  hash of the function *
 *         U    number of blocks *
 *         U    number of secondary entry points *
 *         U    entries
 *         U    equal: at how many entries, from the first, the input offset needs no saying *
 *         ...  a bit for each of these, lowest first: whether it is a branch; whole bytes *
 *         for each entry, sorted by output offset:
 *             U    output address - the output address in front of it
 *             S    input - input of the entry before, 0 for the first (not for equal ones);
 *                  input is twice the input offset, + 1 for a branch
 *             u64  hash of the block *, unless it is a branch
 *             U    index of the block - index of the block before *, unless it is a branch
 *         U    secondary entry points *: input offset - the one before
 *     the table of cold fragments:
 *     U    fragments
 *     for each, sorted by address:
 *         U    output address - the output address in front of it
 *         U    number of its function - that of the fragment before (see below)
 *         U    skew: how much equal entries' inputs are above their outputs *
 *         and entries, equal, bits as above; equal entries are those with input = output + skew
 *
 * Differences that are said to be unsigned wrap around at 2^64: indexes go down as well as up.
 *
 * The number of a cold fragment's function is its place in the table of hot fragments. That is how
 * BOLT reads it, and how it is written after LLVM 19. But LLVM 18 writes the cold fragment's own number
 * instead: who its parent is cannot be known from the section (an_bat_open() asks the symbols).
 * LLVM 19 writes its place among hot and cold fragments, by address, which is the same as long as
 * all cold ones lie behind all hot ones; its place among both is taken when the place among the
 * hot ones cannot be.
 */
#include "bolt/bat_parse.h"

struct table { /* state that goes through both tables */
    uint64_t address;
    uint64_t parent;
    bool is_cold;
    bool has_hashes;
};

struct fragment { /* what is needed to read the entries of one */
    uint64_t start;
    uint64_t equal;
    uint64_t skew;
    const uint8_t *branches; /* bits for the equal ones */
    uint64_t input;
    uint64_t index;
};

static enum an_code parse_block(struct bat_parser *p, uint64_t at, struct fragment *fragment)
{
    fragment->index += an_cursor_uleb128(&p->cursor);
    if (p->cursor.short_read)
        return an_bat_cut(p);
    if (fragment->index > UINT32_MAX)
        return an_fail_at(p->error, AN_MALFORMED, at, "a block has an index beyond 32 bits");
    return AN_OK;
}

/* The hash and index that follow an entry; branches have none. */
static enum an_code parse_tail(struct bat_parser *p, struct fragment *fragment, bool is_branch)
{
    uint64_t at = p->cursor.at;
    uint64_t *hash = an_vector_push(&p->hashes);
    uint32_t *index = an_vector_push(&p->indexes);
    if (!hash || !index)
        return an_fail_memory(p->error);
    *hash = 0;
    *index = 0;
    if (is_branch)
        return AN_OK;
    *hash = an_cursor_u64(&p->cursor);
    enum an_code code = parse_block(p, at, fragment);
    *index = (uint32_t)fragment->index;
    return code;
}

static enum an_code parse_entry(struct bat_parser *p, struct table *table,
                                struct fragment *fragment, uint64_t number)
{
    uint64_t at = p->cursor.at;
    uint64_t delta = an_cursor_uleb128(&p->cursor);
    if (__builtin_add_overflow(table->address, delta, &table->address) ||
        table->address - fragment->start > UINT32_MAX)
        return an_fail_at(p->error, AN_MALFORMED, at, "an entry is beyond the end of any function");
    uint64_t output = table->address - fragment->start;
    if (number < fragment->equal)
        fragment->input =
            (output + fragment->skew) * 2 | (fragment->branches[number / 8] >> (number % 8) & 1u);
    else
        fragment->input += (uint64_t)an_cursor_sleb128(&p->cursor);
    if (p->cursor.short_read)
        return an_bat_cut(p);
    if (fragment->input > UINT32_MAX)
        return an_fail_at(p->error, AN_MALFORMED, at,
                          "an input offset that does not fit into 31 "
                          "bits");
    struct an_bat_entry entry = {(uint32_t)output, (uint32_t)fragment->input};
    enum an_code code = an_bat_add_entry(p, at, entry);
    if (code == AN_OK && table->has_hashes)
        code = parse_tail(p, fragment, an_bat_entry_is_branch(entry));
    return code;
}

static enum an_code parse_entries(struct bat_parser *p, struct table *table, uint64_t skew)
{
    uint64_t at = p->cursor.at;
    uint64_t count = an_cursor_uleb128(&p->cursor);
    struct fragment fragment = {.start = table->address, .skew = skew};
    enum an_code code = an_bat_check_count(p, at, count, 1, "entries");
    if (code == AN_OK && table->has_hashes) {
        at = p->cursor.at;
        fragment.equal = an_cursor_uleb128(&p->cursor);
        if (fragment.equal > count)
            return an_fail_at(p->error, AN_MALFORMED, at, "%llu equal entries of %llu",
                              (unsigned long long)fragment.equal, (unsigned long long)count);
        fragment.branches = an_cursor_take(&p->cursor, (size_t)((fragment.equal + 7) / 8));
        if (p->cursor.short_read)
            return an_bat_cut(p);
    }
    for (uint64_t i = 0; code == AN_OK && i < count; i++)
        code = parse_entry(p, table, &fragment, i);
    return code;
}

static enum an_code parse_secondary(struct bat_parser *p, struct an_bat_function *function,
                                    uint64_t at, uint64_t count)
{
    enum an_code code = an_bat_check_count(p, at, count, 1, "secondary entry points");
    function->first_secondary = (uint32_t)p->secondary.count;
    uint64_t offset = 0;
    for (uint64_t i = 0; code == AN_OK && i < count; i++) {
        at = p->cursor.at;
        offset += an_cursor_uleb128(&p->cursor);
        uint32_t *place = an_vector_push(&p->secondary);
        if (!place)
            code = an_fail_memory(p->error);
        else if (p->cursor.short_read)
            code = an_bat_cut(p);
        else if (offset > UINT32_MAX)
            code = an_fail_at(p->error, AN_MALFORMED, at, "an entry point beyond 32 bits");
        else
            *place = (uint32_t)offset;
    }
    if (code == AN_OK)
        function->secondary_count = (uint32_t)count;
    return code;
}

static enum an_code parse_hot(struct bat_parser *p, struct table *table, size_t number)
{
    if (!table->has_hashes)
        return parse_entries(p, table, 0);
    uint64_t hash = an_cursor_u64(&p->cursor);
    uint64_t at = p->cursor.at;
    uint64_t blocks = an_cursor_uleb128(&p->cursor);
    uint64_t secondary = an_cursor_uleb128(&p->cursor);
    if (p->cursor.short_read)
        return an_bat_cut(p);
    if (blocks > UINT32_MAX)
        return an_fail_at(p->error, AN_MALFORMED, at, "a function of %llu blocks",
                          (unsigned long long)blocks);
    p->functions.items[number].hash = hash;
    p->functions.items[number].blocks = (uint32_t)blocks;
    enum an_code code = parse_entries(p, table, 0);
    if (code == AN_OK)
        code = parse_secondary(p, &p->functions.items[number], at, secondary);
    return code;
}

static enum an_code parse_cold(struct bat_parser *p, struct table *table, size_t number)
{
    table->parent += an_cursor_uleb128(&p->cursor);
    uint64_t skew = table->has_hashes ? an_cursor_uleb128(&p->cursor) : 0;
    if (p->cursor.short_read)
        return an_bat_cut(p);
    if (skew > INT32_MAX)
        return an_fail_at(p->error, AN_MALFORMED, p->cursor.at, "a skew beyond 31 bits");
    struct an_bat_function *function = &p->functions.items[number];
    function->is_cold = true;
    function->parent = table->parent < NO_PARENT ? (uint32_t)table->parent : NO_PARENT;
    p->cold_count++;
    return parse_entries(p, table, skew);
}

static enum an_code parse_table(struct bat_parser *p, struct table *table)
{
    uint64_t at = p->cursor.at;
    uint64_t count = an_cursor_uleb128(&p->cursor);
    enum an_code code =
        an_bat_check_count(p, at, count, table->has_hashes && !table->is_cold ? 13 : 2,
                           table->is_cold ? "cold fragments" : "functions");
    for (uint64_t i = 0; code == AN_OK && i < count; i++) {
        at = p->cursor.at;
        table->address += an_cursor_uleb128(&p->cursor);
        size_t number = p->functions.count;
        if (p->cursor.short_read)
            code = an_bat_cut(p);
        else if (!an_bat_add_function(p, at, table->address))
            code = p->error->code;
        else if (i && p->functions.items[number - 1].address >= table->address)
            code = an_fail_at(p->error, AN_MALFORMED, at, "functions are not sorted by address");
        else
            code = (table->is_cold ? parse_cold : parse_hot)(p, table, number);
    }
    return code;
}

/* How many of the fragments in the order of address lie before the n-th hot one... */
struct ranks {
    const struct an_bat_function *hot, *cold;
    size_t hot_count, cold_count;
};

/* Turns a place among hot and cold fragments into one among the hot ones, or NO_PARENT. */
static uint32_t among_hot(const struct ranks *ranks, uint32_t place)
{
    size_t low = 0, high = ranks->hot_count; /* the hot fragment that has `place` before it */
    while (low < high) {
        size_t middle = low + (high - low) / 2, before = 0, end = ranks->cold_count;
        while (before < end) {
            size_t half = before + (end - before) / 2;
            if (ranks->cold[half].address < ranks->hot[middle].address)
                before = half + 1;
            else
                end = half;
        }
        if (middle + before == place)
            return (uint32_t)middle;
        if (middle + before < place)
            low = middle + 1;
        else
            high = middle;
    }
    return NO_PARENT;
}

static bool all_are_places(const struct bat_parser *p, size_t hot_count)
{
    for (size_t i = hot_count; i < p->functions.count; i++)
        if (p->functions.items[i].parent >= hot_count)
            return false;
    return true;
}

static enum an_code link_parents(struct bat_parser *p, size_t hot_count)
{
    struct an_bat_function *all = p->functions.items;
    if (all_are_places(p, hot_count))
        return AN_OK;
    struct ranks ranks = {all, all + hot_count, hot_count, p->functions.count - hot_count};
    for (size_t i = hot_count; i < p->functions.count; i++) {
        uint32_t place = all[i].parent;
        all[i].parent = among_hot(&ranks, place);
        if (all[i].parent == NO_PARENT)
            return an_fail_at(p->error, AN_MALFORMED, AN_NO_OFFSET,
                              "the cold fragment at 0x%llx belongs to function number %lu of %zu",
                              (unsigned long long)all[i].address, (unsigned long)place, hot_count);
    }
    return AN_OK;
}

static enum an_code parse(struct bat_parser *p, bool has_hashes)
{
    struct table table = {.has_hashes = has_hashes};
    enum an_code code = parse_table(p, &table);
    size_t hot_count = p->functions.count;
    table.is_cold = true;
    if (code == AN_OK)
        code = parse_table(p, &table);
    if (code == AN_OK && has_hashes)
        code = link_parents(p, hot_count);
    for (size_t i = hot_count; !has_hashes && i < p->functions.count; i++)
        p->functions.items[i].parent = NO_PARENT;
    return code;
}

enum an_code an_bat_parse_deltas(struct bat_parser *p)
{
    return parse(p, false);
}

enum an_code an_bat_parse_hashes(struct bat_parser *p)
{
    return parse(p, true);
}
