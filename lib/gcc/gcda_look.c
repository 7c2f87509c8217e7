/* Looking through the file of a later run, to add it; see gcda_add.h. */
#include <inttypes.h>

#include "gcc/gcda_add.h"
#include "gcc/top.h"

struct look {
    struct an_gcda_plan *plan;
    const struct an_gcda *into;
    const struct an_gcda_function *function; /* the present one, if both have it */
    unsigned kinds;                          /* of its counters so far */
    uint32_t line_sum;                       /* in the later file */
};

/* ---- whether both are of the same object ---- */

enum an_code an_gcda_tell_difference(const struct an_gcda_difference *difference,
                                     const char *called, struct an_error *error)
{
    if (!difference->is_sum) {
        an_fail(error, AN_MISMATCH, "function %zu (ident %" PRIu32 "%s) has %s",
                difference->function, difference->ident, called, difference->what);
        return an_error_hint(error, "they are from different builds of that source file");
    }
    an_fail(error, AN_MISMATCH,
            "coverage mismatch: the checksum of the %s of function %zu (ident %" PRIu32
            "%s) is %#010" PRIx32 ", and %#010" PRIx32 " in those before",
            difference->what, difference->function, difference->ident, called, difference->now,
            difference->before);
    return an_error_hint(error, "the source was changed between the builds; merge profiles of one");
}

static struct an_gcda_difference *differ(struct look *look, const char *what)
{
    struct an_gcda_difference *difference = &look->plan->difference;
    if (difference->exists)
        return NULL;
    *difference = (struct an_gcda_difference){
        .exists = true,
        .function = look->plan->functions - 1,
        .ident = look->function->ident,
        .line_sums = {look->function->line_sum, look->line_sum},
        .what = what,
    };
    return difference;
}

static void differ_in_sum(struct look *look, const char *which, uint32_t before, uint32_t now)
{
    struct an_gcda_difference *difference = before != now ? differ(look, which) : NULL;
    if (!difference)
        return;
    difference->is_sum = true;
    difference->before = before;
    difference->now = now;
}

static enum an_code check_header(const struct look *look, struct an_error *error)
{
    const struct an_gcda_header *before = &look->into->header, *now = &look->plan->walk.header;
    if (before->version.word == now->version.word && before->big == now->big)
        return AN_OK;
    return an_fail(error, AN_MISMATCH, "written by GCC %u.%u, but those before by GCC %u.%u",
                   now->version.major, now->version.minor, before->version.major,
                   before->version.minor);
}

static enum an_code check_whole(const struct look *look, struct an_error *error)
{
    const struct an_gcda_header *before = &look->into->header, *now = &look->plan->walk.header;
    struct an_gcda_difference *difference = &look->plan->difference;
    if (look->into->functions.count != look->plan->functions) {
        difference->exists = false;
        return an_fail(error, AN_MISMATCH, "it has %zu functions, but those before have %zu",
                       look->plan->functions, look->into->functions.count);
    }
    if (difference->exists)
        return an_gcda_tell_difference(difference, "", error);
    if (before->stamp == now->stamp && before->checksum == now->checksum)
        return AN_OK;
    an_fail(error, AN_MISMATCH,
            "its stamp is %#010" PRIx32 ", but that of those before is %#010" PRIx32, now->stamp,
            before->stamp);
    return an_error_hint(error, "the source file was compiled again in between; merge runs of "
                                "one build");
}

/* ---- looking through ---- */

static void end_function(struct look *look)
{
    if (look->function && look->kinds != look->function->kinds)
        differ(look, "other kinds of counters in the later file");
    look->function = NULL;
}

static bool note_function(struct look *look, const struct an_gcda_record *record)
{
    end_function(look);
    size_t number = look->plan->functions++;
    look->plan->present += record->is_present;
    if (number >= look->into->functions.count || !record->is_present)
        return true;
    const struct an_gcda_function *own = &look->into->functions.items[number];
    if (!own->is_present) {
        struct an_gcda_newcomer *newcomer = an_vector_push(&look->plan->newcomers);
        if (newcomer)
            *newcomer = (struct an_gcda_newcomer){number, record->at};
        return newcomer != NULL;
    }
    look->function = own;
    look->kinds = 0;
    look->line_sum = record->line_sum;
    if (own->ident != record->ident)
        differ(look, "another number in the later file");
    differ_in_sum(look, "lines", own->line_sum, record->line_sum);
    differ_in_sum(look, "control flow", own->flow_sum, record->flow_sum);
    return true;
}

static bool note_counters(struct look *look, const struct an_gcda_record *record)
{
    const struct an_gcda *into = look->into;
    const struct an_gcda_function *function = look->function;
    if (!function)
        return true;
    size_t number = function->first + look->kinds++;
    if (look->kinds > function->kinds) {
        differ(look, "other kinds of counters in the later file");
        return true;
    }
    const struct an_gcda_counters *own = &into->counters.items[number];
    bool alike = own->kind == record->kind;
    if (alike && record->rule == AN_GCC_TOP)
        alike = own->places == record->places;
    else if (alike)
        alike = own->count == record->count;
    if (!alike)
        differ(look, "other counters in the later file");
    if (record->are_zero || !record->count)
        return true;
    struct an_gcda_step *step = an_vector_push(&look->plan->steps);
    if (step)
        *step = (struct an_gcda_step){(uint32_t)number, record->count, record->values};
    return step != NULL;
}

static enum an_code note_program(struct look *look, const struct an_gcda_record *record,
                                 struct an_error *error)
{
    struct an_gcc_program *program = an_vector_push(&look->plan->programs);
    if (!program)
        return an_fail_memory(error);
    if (an_gcc_program_read(program, &look->into->header.version, record->program))
        return AN_OK;
    return an_fail_at(error, AN_MALFORMED, record->at, "a summary shorter than its length");
}

static enum an_code note(struct look *look, const struct an_gcda_record *record,
                         struct an_error *error)
{
    bool done = true;
    switch (record->what) {
    case AN_GCDA_SUMMARY:
        look->plan->summary = *record;
        break;
    case AN_GCDA_PROGRAM:
        return note_program(look, record, error);
    case AN_GCDA_FUNCTION:
        done = note_function(look, record);
        break;
    case AN_GCDA_COUNTERS:
        done = note_counters(look, record);
        break;
    case AN_GCDA_END:
        end_function(look);
        break;
    }
    return done ? AN_OK : an_fail_memory(error);
}

/* ---- looking through what is as expected ---- */

/*
 * Runs of one build differ in their counts only: a function has the head and the kinds of counters that it had
 * before. This is found out by comparing with what is there, which takes a third of the time of telling what it is.
 * Whatever else there is, down to its errors, is left to the functions above.
 */
static bool is_head(struct an_cursor *cursor, const struct an_gcda_header *header,
                    const struct an_gcda_function *own)
{
    enum { WORDS = 5 };
    const uint32_t expected[WORDS] = {AN_GCC_FUNCTION, 12 / header->version.unit, own->ident,
                                      own->line_sum, own->flow_sum};
    const uint8_t *head = an_cursor_take(cursor, sizeof expected);
    for (unsigned i = 0; head && i < WORDS; i++)
        if (an_get32(head + 4 * i, header->big) != expected[i])
            return false;
    return head != NULL;
}

/* There is room for a step. */
static bool note_expected_counters(struct look *look, struct an_cursor *cursor, uint32_t number)
{
    const struct an_gcda_header *header = &look->into->header;
    const struct an_gcda_counters *own = &look->into->counters.items[number];
    bool are_lists = an_gcda_rule(look->into, own) == AN_GCC_TOP;
    const uint8_t *head = an_cursor_take(cursor, 8);
    uint32_t tag = AN_GCC_COUNTERS + ((uint32_t)own->kind << AN_GCC_KIND_SHIFT), places = 0;
    if (!head || an_get32(head, header->big) != tag)
        return false;
    int64_t size = (int64_t)(int32_t)an_get32(head + 4, header->big) * header->version.unit;
    if (!are_lists && size < 0 && header->version.has_zeros)
        return -size == 8 * (int64_t)own->count;
    if (size < 0 || size % 8 || (!are_lists && size != 8 * (int64_t)own->count))
        return false;
    const uint8_t *values = an_cursor_take(cursor, (size_t)size);
    if (!values || (are_lists && !an_top_find(values, (size_t)size / 8, header->big, &places)) ||
        (are_lists && places != own->places))
        return false;
    if (size)
        look->plan->steps.items[look->plan->steps.count++] =
            (struct an_gcda_step){number, (uint32_t)(size / 8), values};
    return true;
}

/* Passes a function that is as expected; false when it is not, and then nothing has happened. */
static bool pass_expected(struct look *look)
{
    struct an_gcda_plan *plan = look->plan;
    if (plan->functions >= look->into->functions.count)
        return false;
    const struct an_gcda_function *own = &look->into->functions.items[plan->functions];
    struct an_cursor cursor = plan->walk.cursor;
    size_t steps = plan->steps.count;
    if (!own->is_present || !is_head(&cursor, &look->into->header, own) ||
        !an_vector_reserve(&plan->steps, steps + own->kinds))
        return false;
    for (unsigned i = 0; i < own->kinds; i++)
        if (!note_expected_counters(look, &cursor, (uint32_t)(own->first + i))) {
            plan->steps.count = steps;
            return false;
        }
    end_function(look);
    plan->functions++;
    plan->present++;
    plan->walk.cursor = cursor;
    plan->walk.in_function = true;
    plan->walk.last_kind =
        own->kinds ? look->into->counters.items[own->first + own->kinds - 1].kind : -1;
    look->function = own;
    look->line_sum = own->line_sum;
    look->kinds = own->kinds;
    return true;
}

static enum an_code look_through(struct look *look, struct an_error *error)
{
    struct an_gcda_record record = {.what = AN_GCDA_FUNCTION};
    enum an_code code = check_header(look, error);
    while (code == AN_OK && record.what != AN_GCDA_END) {
        if (pass_expected(look))
            continue;
        code = an_gcda_next(&look->plan->walk, &record, error);
        if (code == AN_OK)
            code = note(look, &record, error);
    }
    return code == AN_OK ? check_whole(look, error) : code;
}

enum an_code an_gcda_look(struct an_gcda_plan *plan, const struct an_gcda *into,
                          struct an_bytes later, struct an_error *error)
{
    struct look look = {.plan = plan, .into = into};
    plan->adoptions = into->adoptions;
    plan->functions = plan->present = 0;
    plan->difference.exists = false;
    plan->summary.what = AN_GCDA_END;
    plan->steps.count = plan->newcomers.count = plan->programs.count = 0;
    enum an_code code = an_gcda_walk(&plan->walk, later, error);
    return code == AN_OK ? look_through(&look, error) : code;
}
