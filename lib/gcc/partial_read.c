/* Reading the content of partial results, which may be anybody's; see partial.h. */
#include <stdlib.h>

#include "gcc/gcda_lists.h"
#include "gcc/partial.h"
#include "partial/numbers.h"

struct reader {
    struct an_cursor cursor;
    struct an_input_numbers inputs;
    struct an_error *error;
    size_t at; /* of the partial result in its file */
};

static bool fail(struct reader *reader, const char *what)
{
    an_fail_at(reader->error, AN_MALFORMED, reader->at, "partial result whose content has %s",
               what);
    return false;
}

static bool fail_memory(struct reader *reader)
{
    an_fail_memory(reader->error);
    return false;
}

/* A number of things that have at least so many bytes each. */
static bool take_count(struct reader *reader, size_t least, size_t *count)
{
    uint64_t claimed = an_cursor_uleb128(&reader->cursor);
    if (reader->cursor.short_read || claimed > an_cursor_left(&reader->cursor) / least)
        return fail(reader, "more than it has room for");
    *count = (size_t)claimed;
    return true;
}

/* ---- names ---- */

/* A file is going to be called so: below a folder, and nowhere else. */
static bool is_relative(const struct an_name *name)
{
    for (size_t first = 0, end; first <= name->length; first = end + 1) {
        const char *part = name->text + first;
        const char *slash = memchr(part, '/', name->length - first);
        end = slash ? (size_t)(slash - name->text) : name->length;
        size_t length = end - first;
        if (length == 0 || (length <= 2 && memcmp(part, "..", length) == 0))
            return false;
    }
    return !memchr(name->text, 0, name->length);
}

static bool take_name(struct reader *reader, struct an_name *name)
{
    if (!take_count(reader, 1, &name->length))
        return false;
    name->text = (const char *)an_cursor_take(&reader->cursor, name->length);
    return !name->length || is_relative(name) || fail(reader, "the name of a file that is none");
}

/* ---- inputs ---- */

static bool take_input(struct reader *reader, uint64_t before, uint64_t *number)
{
    uint64_t further = an_cursor_uleb128(&reader->cursor);
    if (reader->cursor.short_read || before >= reader->inputs.count ||
        further >= reader->inputs.count - before)
        return fail(reader, "an input that its account does not have");
    *number = before + further;
    return true;
}

static bool take_inputs(struct reader *reader, struct an_gcc_build *build)
{
    uint64_t number = 0, before = 0;
    size_t count;
    if (!take_count(reader, 1, &count))
        return false;
    if (!count)
        return fail(reader, "a module of no input");
    for (size_t i = 0; i < count; i++, before = number) {
        struct an_digest *input = an_vector_push(&build->inputs);
        if (!input)
            return fail_memory(reader);
        if (!take_input(reader, before, &number))
            return false;
        if (i && number == before)
            return fail(reader, "an input twice");
        *input = reader->inputs.digests[number];
    }
    return true;
}

/* ---- counts ---- */

static bool take_file(struct reader *reader, struct an_gcc_part *part)
{
    struct an_gcda *gcda = &part->build.gcda;
    if (!take_count(reader, 1, &part->file.size))
        return false;
    part->file.data = an_cursor_take(&reader->cursor, part->file.size);
    if (an_gcda_read(gcda, part->file, reader->error) != AN_OK) {
        reader->error->offset = reader->at;
        return false;
    }
    if (gcda->programs.count)
        return fail(reader, "summaries of programs in the wrong place");
    return an_gcda_make_lossless(gcda) || fail_memory(reader);
}

static bool take_program(struct reader *reader, struct an_gcc_build *build)
{
    uint8_t words[4 * AN_GCC_PROGRAM_MOST_WORDS];
    uint64_t number;
    size_t count;
    if (!take_input(reader, 0, &number) || !take_count(reader, 1, &count))
        return false;
    if (count > AN_GCC_PROGRAM_MOST_WORDS || !build->gcda.header.version.has_programs)
        return fail(reader, "a summary that its release does not have");
    for (size_t i = 0; i < count; i++) {
        uint32_t word = (uint32_t)an_cursor_uleb128(&reader->cursor);
        for (unsigned k = 0; k < 4; k++)
            words[4 * i + k] = (uint8_t)(word >> 8 * k);
    }
    struct an_gcc_origin *origin = an_vector_push(&build->origins);
    if (!origin)
        return fail_memory(reader);
    origin->input = reader->inputs.digests[number];
    return (!reader->cursor.short_read &&
            an_gcc_program_read(&origin->program, &build->gcda.header.version,
                                an_cursor_at((struct an_bytes){words, 4 * count}, 0, false))) ||
           fail(reader, "a summary that makes no sense");
}

static bool take_programs(struct reader *reader, struct an_gcc_build *build)
{
    size_t count;
    if (!take_count(reader, 2, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!take_program(reader, build))
            return false;
    return true;
}

static bool take_tally(struct reader *reader, struct an_tally *tally)
{
    struct an_cursor *cursor = &reader->cursor;
    uint64_t flags = an_cursor_uleb128(cursor), value = 0;
    size_t count;
    tally->lost = flags & 1;
    tally->total = an_cursor_uleb128(cursor);
    if (flags & 2)
        tally->last = an_cursor_uleb128(cursor);
    if (!take_count(reader, 2, &count))
        return false;
    if (!an_vector_reserve(&tally->values, count))
        return fail_memory(reader);
    for (size_t i = 0; i < count; i++) {
        uint64_t further = an_cursor_uleb128(cursor), times = an_cursor_uleb128(cursor);
        if ((i && !further) || __builtin_add_overflow(value, further, &value))
            return fail(reader, "values that do not ascend");
        tally->values.items[tally->values.count++] = (struct an_tally_value){value, times};
    }
    return true;
}

static bool take_tallies(struct reader *reader, struct an_gcda *gcda, size_t counters)
{
    struct an_tallies *tallies = &gcda->tallies.items[counters];
    size_t count, places = an_gcda_places(gcda, counters);
    if (!take_count(reader, 3, &count))
        return false;
    an_tallies_free(tallies);
    if (count != 0 && count != places)
        return fail(reader, "other lists than its counters");
    if (count && !an_tallies_begin(tallies, count))
        return fail_memory(reader);
    for (size_t i = 0; i < count; i++)
        if (!take_tally(reader, &tallies->places[i]))
            return false;
    return true;
}

static bool take_all_tallies(struct reader *reader, struct an_gcda *gcda)
{
    for (size_t i = 0; i < gcda->functions.count; i++) {
        const struct an_gcda_function *function = &gcda->functions.items[i];
        for (size_t k = function->first; k < function->first + function->kinds; k++)
            if (an_gcc_has_tallies(an_gcda_rule(gcda, &gcda->counters.items[k])) &&
                !take_tallies(reader, gcda, k))
                return false;
    }
    return true;
}

/* ---- the whole ---- */

static bool take_part(struct reader *reader, struct an_gcc_part *part)
{
    return take_name(reader, &part->name) && take_inputs(reader, &part->build) &&
           take_file(reader, part) && take_programs(reader, &part->build) &&
           take_all_tallies(reader, &part->build.gcda);
}

static bool take_parts(struct reader *reader, struct an_gcc_part **parts, size_t *count)
{
    enum { LEAST_PART = 8 };
    size_t wanted;
    if (!take_count(reader, LEAST_PART, &wanted))
        return false;
    *parts = an_alloc_zero(wanted, sizeof **parts);
    if (!*parts)
        return fail_memory(reader);
    while (*count < wanted)
        if (!take_part(reader, &(*parts)[(*count)++]))
            return false;
    return !an_cursor_left(&reader->cursor) || fail(reader, "something behind its end");
}

enum an_code an_gcc_partial_read(struct an_bytes content, const struct an_ledger *ledger, size_t at,
                                 struct an_gcc_part **parts, size_t *count, struct an_error *error)
{
    struct reader reader = {.cursor = an_cursor_at(content, 0, false), .error = error, .at = at};
    *parts = NULL;
    *count = 0;
    bool done = (an_input_numbers_make(&reader.inputs, ledger) || fail_memory(&reader)) &&
                take_parts(&reader, parts, count);
    an_input_numbers_free(&reader.inputs);
    if (done)
        return AN_OK;
    an_gcc_parts_free(*parts, *count);
    *parts = NULL;
    return error->code;
}

void an_gcc_parts_free(struct an_gcc_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        an_gcc_build_free(&parts[i].build);
    free(parts);
}
