/* Looking through the file of a later run, to add it; see gcda_add.h. */
#include <inttypes.h>

#include "gcc/gcda_add.h"

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
        return an_error_hint(error, "they are not of the same build of that source file");
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
    return an_fail(error, AN_MISMATCH, "GCC %u.%u wrote it, and GCC %u.%u those before",
                   now->version.major, now->version.minor, before->version.major,
                   before->version.minor);
}

static enum an_code check_whole(const struct look *look, struct an_error *error)
{
    const struct an_gcda_header *before = &look->into->header, *now = &look->plan->walk.header;
    struct an_gcda_difference *difference = &look->plan->difference;
    if (look->into->functions.count != look->plan->functions) {
        difference->exists = false;
        return an_fail(error, AN_MISMATCH, "it has %zu functions, and those before %zu",
                       look->plan->functions, look->into->functions.count);
    }
    if (difference->exists)
        return an_gcda_tell_difference(difference, "", error);
    if (before->stamp == now->stamp && before->checksum == now->checksum)
        return AN_OK;
    an_fail(error, AN_MISMATCH, "its stamp is %#010" PRIx32 ", that of those before %#010" PRIx32,
            now->stamp, before->stamp);
    return an_error_hint(error, "the source file was compiled anew in between; merge what ran with "
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
    if (record->are_zero)
        return true;
    struct an_gcda_step *step = an_vector_push(&look->plan->steps);
    if (step)
        *step = (struct an_gcda_step){(uint32_t)number, record->count, record->values};
    return step != NULL;
}

static enum an_code note_program(struct look *look, const struct an_gcda_record *record,
                                 struct an_error *error)
{
    struct an_program *program = an_vector_push(&look->plan->programs);
    if (!program)
        return an_fail_memory(error);
    if (an_program_read(program, &look->into->header.version, record->program))
        return AN_OK;
    return an_fail_at(error, AN_MALFORMED, record->at, "a summary that does not fill its length");
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

static enum an_code look_through(struct look *look, struct an_error *error)
{
    struct an_gcda_record record = {.what = AN_GCDA_FUNCTION};
    enum an_code code = check_header(look, error);
    while (code == AN_OK && record.what != AN_GCDA_END) {
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
