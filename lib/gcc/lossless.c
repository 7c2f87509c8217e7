/* Merging without loss; see lossless.h. */
#include "gcc/lossless.h"

#include <stdlib.h>

#include "gcc/gcda_lists.h"
#include "partial/digest.h"

/* ---- builds ---- */

bool an_gcc_build_has(const struct an_gcc_build *build, const struct an_gcda_header *header)
{
    const struct an_gcda_header *own = &build->gcda.header;
    return own->version.word == header->version.word && own->big == header->big &&
           own->stamp == header->stamp && own->checksum == header->checksum;
}

static bool note_programs(struct an_gcc_build *build, const struct an_digest *input,
                          const struct an_gcc_program *programs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct an_gcc_origin *origin = an_vector_push(&build->origins);
        if (!origin)
            return false;
        *origin = (struct an_gcc_origin){*input, programs[i]};
    }
    return true;
}

static enum an_code begin(struct an_gcc_build *build, struct an_bytes file,
                          const struct an_digest *input, struct an_gcda_added *added,
                          struct an_error *error)
{
    struct an_gcda *gcda = &build->gcda;
    enum an_code code = an_gcda_read(gcda, file, error);
    if (code != AN_OK)
        return code;
    *added = (struct an_gcda_added){.total = an_gcda_total(gcda)};
    for (size_t i = 0; i < gcda->functions.count; i++)
        added->functions += gcda->functions.items[i].is_present;
    bool done = note_programs(build, input, gcda->programs.items, gcda->programs.count) &&
                an_gcda_make_lossless(gcda);
    gcda->programs.count = 0;
    return done ? AN_OK : an_fail_memory(error);
}

enum an_code an_gcc_build_add(struct an_gcc_build *build, struct an_gcda_plan *plan,
                              struct an_bytes file, const struct an_digest *input,
                              struct an_gcda_added *added, struct an_error *error)
{
    enum an_code code = AN_OK;
    struct an_digest *place = an_vector_push(&build->inputs);
    if (!place)
        return an_fail_memory(error);
    *place = *input;
    if (build->inputs.count == 1)
        code = begin(build, file, input, added, error);
    else
        code = an_gcda_look(plan, &build->gcda, file, error);
    if (code == AN_OK && build->inputs.count > 1 &&
        (!an_gcda_apply(&build->gcda, plan, AN_GCDA_EARLIER_FIRST, added) ||
         !note_programs(build, input, plan->programs.items, plan->programs.count)))
        code = an_fail_memory(error);
    if (code != AN_OK)
        build->inputs.count--;
    return code;
}

/* Both have the same functions by now, those that either has. */
static bool absorb_tallies(struct an_gcda *into, const struct an_gcda *from)
{
    for (size_t i = 0; i < from->functions.count; i++) {
        const struct an_gcda_function *function = &from->functions.items[i];
        for (unsigned k = 0; function->is_present && k < function->kinds; k++) {
            const struct an_tallies *added = &from->tallies.items[function->first + k];
            size_t number = into->functions.items[i].first + k;
            if (added->count &&
                (!an_tallies_begin(&into->tallies.items[number], added->count) ||
                 !an_tallies_absorb(&into->tallies.items[number],
                                    an_gcda_rule(into, &into->counters.items[number]), added)))
                return false;
        }
    }
    return true;
}

bool an_gcc_build_absorb(struct an_gcc_build *build, struct an_gcda_plan *plan,
                         struct an_gcc_build *other)
{
    struct an_gcda_added added;
    size_t inputs = build->inputs.count, origins = build->origins.count;
    if (!an_gcda_apply(&build->gcda, plan, AN_GCDA_EARLIER_FIRST, &added) ||
        !absorb_tallies(&build->gcda, &other->gcda) ||
        !an_vector_reserve(&build->inputs, inputs + other->inputs.count) ||
        !an_vector_reserve(&build->origins, origins + other->origins.count))
        return false;
    for (size_t i = 0; i < other->inputs.count; i++)
        build->inputs.items[build->inputs.count++] = other->inputs.items[i];
    for (size_t i = 0; i < other->origins.count; i++)
        build->origins.items[build->origins.count++] = other->origins.items[i];
    return true;
}

struct an_digest an_gcc_build_first(const struct an_gcc_build *build)
{
    struct an_digest first = build->inputs.items[0];
    for (size_t i = 1; i < build->inputs.count; i++)
        if (an_digest_compare(&build->inputs.items[i], &first) < 0)
            first = build->inputs.items[i];
    return first;
}

/* ---- writing ---- */

static int by_input(const void *a, const void *b)
{
    const struct an_gcc_origin *left = a, *right = b;
    int order = an_digest_compare(&left->input, &right->input);
    if (!order)
        order = (left->program.checksum > right->program.checksum) -
                (left->program.checksum < right->program.checksum);
    return order;
}

/* As if the inputs had come in the order of their digests. */
static bool settle_programs(struct an_gcc_build *build)
{
    if (build->origins.count)
        qsort(build->origins.items, build->origins.count, sizeof *build->origins.items, by_input);
    for (size_t i = 0; i < build->origins.count; i++)
        if (!an_gcda_add_program(&build->gcda, &build->origins.items[i].program))
            return false;
    return true;
}

enum an_code an_gcc_build_write(struct an_gcc_build *build, struct an_buffer *to,
                                struct an_error *error)
{
    if (!settle_programs(build) || !an_gcda_settle_lists(&build->gcda))
        return an_fail_memory(error);
    build->origins.count = 0;
    an_gcda_write(&build->gcda, to);
    return to->failed ? an_fail_memory(error) : AN_OK;
}

void an_gcc_build_free(struct an_gcc_build *build)
{
    an_gcda_free(&build->gcda);
    an_vector_free(&build->inputs);
    an_vector_free(&build->origins);
}
