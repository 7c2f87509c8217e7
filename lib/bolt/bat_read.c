/*
 * Reading the section .note.bolt_bat: an ELF note whose description comes in one of three
 * encodings.
 *
 *     u32  size of the name, 5
 *     u32  size of the description
 *     u32  type, 1
 *     ...  "BOLT", a zero; zeros up to a multiple of 4
 *     ...  the description (bat_words.c, bat_deltas.c)
 *     ...  zeros up to a multiple of 4
 *
 * There is no version. So the section is read in all encodings, and the one that makes sense of
 * every byte is taken: the description has to be used up exactly, functions sorted and inside the
 * binary's code, entries sorted and inside of it too, indexes in range. Sections of any size
 * do not pass this in two encodings: words have zero bytes in the upper halves of addresses, which
 * as LEB128 numbers are functions without distance; a LEB128 section's first four bytes as a word
 * are a number of functions that it has no room for. A section that passes in none is reported as
 * read in the encoding that got furthest.
 */
#include <stdlib.h>
#include <string.h>

#include "bolt/bat_parse.h"

static const struct {
    enum an_bat_encoding encoding;
    const char *name;
    enum an_code (*parse)(struct bat_parser *p);
} encodings[] = {
    {AN_BAT_WORDS, "LLVM 13 to 17", an_bat_parse_words},
    {AN_BAT_HASHES, "LLVM 19 and later", an_bat_parse_hashes},
    {AN_BAT_DELTAS, "LLVM 18", an_bat_parse_deltas},
};

enum { ENCODINGS = sizeof encodings / sizeof *encodings };

const char *an_bat_encoding_name(enum an_bat_encoding encoding)
{
    for (size_t i = 0; i < ENCODINGS; i++)
        if (encodings[i].encoding == encoding)
            return encodings[i].name;
    return "unknown";
}

static void free_vectors(struct bat_parser *p)
{
    an_vector_free(&p->functions);
    an_vector_free(&p->entries);
    an_vector_free(&p->hashes);
    an_vector_free(&p->indexes);
    an_vector_free(&p->secondary);
}

/* The note around the description; leaves the cursor at its first byte and ends it at its last. */
static enum an_code open_note(struct bat_parser *p, struct an_bytes section)
{
    struct an_cursor cursor = an_cursor_at(section, 0, false);
    uint32_t name_size = an_cursor_u32(&cursor);
    uint32_t size = an_cursor_u32(&cursor);
    uint32_t type = an_cursor_u32(&cursor);
    const uint8_t *name = an_cursor_take(&cursor, ((size_t)name_size + 3) / 4 * 4);
    if (!name || an_cursor_left(&cursor) < size)
        return an_fail_at(p->error, AN_TRUNCATED, 0,
                          "a note of %zu bytes, too short for its header", section.size);
    if (type != 1 || name_size < 5 || memcmp(name, "BOLT", 5) != 0)
        return an_fail_at(p->error, AN_UNKNOWN, 0, "not a note of type 1 by BOLT");
    if (an_cursor_left(&cursor) - size > 3)
        return an_fail_at(p->error, AN_MALFORMED, cursor.at + size,
                          "%zu bytes after the end of the note", an_cursor_left(&cursor) - size);
    p->cursor = cursor;
    p->cursor.bytes.size = cursor.at + size;
    return AN_OK;
}

static enum an_code check_end(const struct bat_parser *p)
{
    if (an_cursor_left(&p->cursor) == 0)
        return AN_OK;
    return an_fail_at(p->error, AN_MALFORMED, p->cursor.at, "%zu bytes after the tables",
                      an_cursor_left(&p->cursor));
}

struct place { /* of a function: where it was, where it goes */
    uint64_t address;
    uint32_t from;
};

static int by_address(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

static bool is_sorted(const struct bat_parser *p)
{
    for (size_t i = 1; i < p->functions.count; i++)
        if (p->functions.items[i - 1].address >= p->functions.items[i].address)
            return false;
    return true;
}

/* Puts the functions in the order of the places, and their parents' indexes with them. */
static enum an_code reorder(struct bat_parser *p, const struct place *places, uint32_t *to,
                            struct an_bat_function *sorted)
{
    size_t count = p->functions.count;
    for (size_t i = 0; i < count; i++) {
        if (i && places[i - 1].address == places[i].address)
            return an_fail_at(p->error, AN_MALFORMED, AN_NO_OFFSET, "two functions at 0x%llx",
                              (unsigned long long)places[i].address);
        sorted[i] = p->functions.items[places[i].from];
        to[places[i].from] = (uint32_t)i;
    }
    for (size_t i = 0; i < count; i++)
        if (sorted[i].parent != NO_PARENT)
            sorted[i].parent = to[sorted[i].parent];
    memcpy(p->functions.items, sorted, count * sizeof *sorted);
    return AN_OK;
}

static enum an_code sort(struct bat_parser *p)
{
    size_t count = p->functions.count;
    if (is_sorted(p))
        return AN_OK;
    struct place *places = an_alloc(count, sizeof *places);
    uint32_t *to = an_alloc(count, sizeof *to);
    struct an_bat_function *sorted = an_alloc(count, sizeof *sorted);
    enum an_code code = AN_OK;
    if (!places || !to || !sorted) {
        code = an_fail_memory(p->error);
    } else {
        for (size_t i = 0; i < count; i++)
            places[i] = (struct place){p->functions.items[i].address, (uint32_t)i};
        qsort(places, count, sizeof *places, by_address);
        code = reorder(p, places, to, sorted);
    }
    free(places);
    free(to);
    free(sorted);
    return code;
}

/* Parents have to be hot. */
static enum an_code check_functions(struct bat_parser *p)
{
    struct an_bat_function *all = p->functions.items;
    for (size_t i = 0; i < p->functions.count; i++) {
        struct an_bat_function *function = &all[i];
        uint64_t end = i + 1 < p->functions.count ? all[i + 1].address : p->text.end;
        uint64_t size = end - function->address;
        function->size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
        if (function->parent == NO_PARENT)
            function->parent = (uint32_t)i;
        else if (function->is_cold && all[function->parent].is_cold)
            return an_fail_at(p->error, AN_MALFORMED, AN_NO_OFFSET,
                              "the cold fragment at 0x%llx belongs to another cold fragment",
                              (unsigned long long)function->address);
    }
    return AN_OK;
}

static enum an_code take(struct bat_parser *p, enum an_bat_encoding encoding, struct an_bat **bat)
{
    struct an_bat *result = an_alloc_zero(1, sizeof *result);
    if (result && !p->entries.items) /* so that a pointer to the first of none is one */
        p->entries.items = an_alloc_zero(1, sizeof *p->entries.items);
    if (!result || !p->entries.items) {
        free(result);
        return an_fail_memory(p->error);
    }
    *result = (struct an_bat){
        .encoding = encoding,
        .functions = p->functions.items,
        .function_count = p->functions.count,
        .cold_count = p->cold_count,
        .entries = p->entries.items,
        .entry_count = p->entries.count,
        .block_hash = p->hashes.items,
        .block_index = p->indexes.items,
        .secondary = p->secondary.items,
        .secondary_count = p->secondary.count,
    };
    *p = (struct bat_parser){.error = p->error};
    *bat = result;
    return AN_OK;
}

/* Reads the section in one encoding; *reached tells how far it got. */
static enum an_code try(const struct bat_parser *note, size_t choice, struct an_bat **bat,
                        size_t *reached, struct an_error *error)
{
    struct bat_parser p = *note;
    p.error = error;
    enum an_code code = encodings[choice].parse(&p);
    if (code == AN_OK)
        code = check_end(&p);
    *reached = p.cursor.at;
    if (code == AN_OK)
        code = sort(&p);
    if (code == AN_OK)
        code = check_functions(&p);
    if (code == AN_OK)
        code = take(&p, encodings[choice].encoding, bat);
    free_vectors(&p);
    return code;
}

enum an_code an_bat_parse(struct an_bytes section, const struct an_bat_range *text,
                          struct an_bat **bat, struct an_error *error)
{
    struct bat_parser note = {.text = {0, UINT64_MAX}, .error = error};
    *bat = NULL;
    if (text)
        note.text = *text;
    enum an_code code =
        section.size / 2 >= UINT32_MAX
            ? an_fail_at(error, AN_UNSUPPORTED, 0, "a section of %zu bytes", section.size)
            : open_note(&note, section);
    if (code != AN_OK)
        return code;
    size_t furthest = 0;
    for (size_t i = 0; i < ENCODINGS; i++) {
        struct an_error here;
        size_t reached = 0;
        code = try(&note, i, bat, &reached, &here);
        if (code == AN_OK || code == AN_NO_MEMORY) {
            *error = here;
            return code;
        }
        if (i == 0 || reached > furthest) {
            furthest = reached;
            *error = here;
            an_error_hint(error, "read as %s writes it; other encodings fit even less",
                          encodings[i].name);
        }
    }
    return error->code;
}

void an_bat_free(struct an_bat *bat)
{
    if (!bat)
        return;
    free(bat->functions);
    free(bat->entries);
    free(bat->block_hash);
    free(bat->block_index);
    free(bat->secondary);
    free(bat);
}
