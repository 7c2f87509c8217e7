/* Reading gcda files into memory; gcda_walk.c knows the format. */
#include "base/file.h"
#include "gcc/gcda.h"

uint64_t *an_gcda_extend(struct an_gcda *gcda, size_t count)
{
    size_t wanted = gcda->values.count + count;
    if (wanted > gcda->values.capacity || !gcda->values.items) {
        size_t capacity = 2 * gcda->values.capacity > wanted ? 2 * gcda->values.capacity : wanted;
        uint64_t *grown = an_grow(gcda->values.items, capacity ? capacity : 1, sizeof *grown);
        if (!grown)
            return NULL;
        gcda->values.items = grown;
        gcda->values.capacity = capacity ? capacity : 1;
    }
    gcda->values.count = wanted;
    return gcda->values.items + wanted - count;
}

static enum an_code take_program(struct an_gcda *gcda, const struct an_gcda_record *record,
                                 struct an_error *error)
{
    struct an_gcc_program *program = an_vector_push(&gcda->programs);
    if (!program)
        return an_fail_memory(error);
    if (an_gcc_program_read(program, &gcda->header.version, record->program))
        return AN_OK;
    return an_fail_at(error, AN_MALFORMED, record->at, "a summary shorter than its length");
}

static enum an_code take_function(struct an_gcda *gcda, const struct an_gcda_record *record,
                                  struct an_error *error)
{
    struct an_gcda_function *function = an_vector_push(&gcda->functions);
    if (!function)
        return an_fail_memory(error);
    *function = (struct an_gcda_function){.first = gcda->counters.count};
    if (!record->is_present)
        return AN_OK;
    function->is_present = true;
    function->ident = record->ident;
    function->line_sum = record->line_sum;
    function->flow_sum = record->flow_sum;
    return AN_OK;
}

static enum an_code take_counters(struct an_gcda *gcda, const struct an_gcda_record *record,
                                  struct an_error *error)
{
    size_t count = record->are_zero ? 0 : record->count, first = gcda->values.count;
    uint64_t *values = an_gcda_extend(gcda, count);
    struct an_gcda_counters *counters = values ? an_vector_push(&gcda->counters) : NULL;
    if (!counters)
        return an_fail_memory(error);
    *counters = (struct an_gcda_counters){.kind = (uint8_t)record->kind,
                                          .are_zero = record->are_zero,
                                          .count = record->count,
                                          .places = record->places,
                                          .first = first,
                                          .capacity = (uint32_t)count};
    an_gcda_values(values, record->values, count, gcda->header.big);
    gcda->functions.items[gcda->functions.count - 1].kinds++;
    return AN_OK;
}

static enum an_code take(struct an_gcda *gcda, const struct an_gcda_record *record,
                         struct an_error *error)
{
    switch (record->what) {
    case AN_GCDA_SUMMARY:
        gcda->has_summary = true;
        gcda->is_clang = gcda->functions.count > 0;
        gcda->runs = record->runs;
        gcda->sum_max = record->sum_max;
        return AN_OK;
    case AN_GCDA_PROGRAM:
        return take_program(gcda, record, error);
    case AN_GCDA_FUNCTION:
        return take_function(gcda, record, error);
    case AN_GCDA_COUNTERS:
        return take_counters(gcda, record, error);
    case AN_GCDA_END:
        break;
    }
    return AN_OK;
}

enum an_code an_gcda_read(struct an_gcda *gcda, struct an_bytes file, struct an_error *error)
{
    struct an_gcda_walk walk;
    struct an_gcda_record record = {.what = AN_GCDA_FUNCTION};
    *gcda = (struct an_gcda){0};
    enum an_code code = an_gcda_walk(&walk, file, error);
    gcda->header = walk.header;
    while (code == AN_OK && record.what != AN_GCDA_END) {
        code = an_gcda_next(&walk, &record, error);
        if (code == AN_OK)
            code = take(gcda, &record, error);
    }
    if (code != AN_OK)
        an_gcda_free(gcda);
    return code;
}

enum an_code an_gcda_load(struct an_gcda *gcda, struct an_file *file, const char *path,
                          struct an_error *error)
{
    *gcda = (struct an_gcda){.runs = 0};
    enum an_code code = an_file_load(file, path, error);
    if (code != AN_OK || file->bytes.size == 0)
        return code;
    code = an_gcda_read(gcda, file->bytes, error);
    return code == AN_OK ? code : an_error_in(error, path);
}

void an_gcda_free(struct an_gcda *gcda)
{
    an_vector_free(&gcda->programs);
    an_vector_free(&gcda->functions);
    an_vector_free(&gcda->counters);
    an_vector_free(&gcda->values);
    for (size_t i = 0; i < gcda->tallies.count; i++)
        an_tallies_free(&gcda->tallies.items[i]);
    an_vector_free(&gcda->tallies);
}
