/* Looking at gcda files with their gcno; see survey.h. */
#include "gcc/survey.h"

#include "base/file.h"
#include "gcc/flow.h"

struct naming {
    struct an_survey *survey;
    struct an_gcno gcno;
    struct an_map numbers; /* of its functions, by ident */
    struct an_flow_work work;
    struct {
        AN_VECTOR(int64_t);
    } arcs, blocks;
};

const struct an_gcda_counters *an_survey_counters(const struct an_gcda *gcda,
                                                  const struct an_gcda_function *function,
                                                  const char *kind)
{
    for (unsigned i = 0; i < function->kinds; i++) {
        const struct an_gcda_counters *counters = &gcda->counters.items[function->first + i];
        if (strcmp(gcda->header.version.kinds[counters->kind].name, kind) == 0)
            return counters;
    }
    return NULL;
}

/* ---- counts ---- */

static void add_up(struct an_survey_function *function, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        function->ran += values[i] != 0;
        if (__builtin_add_overflow(function->total, values[i], &function->total))
            function->total = UINT64_MAX;
        if ((int64_t)values[i] > (int64_t)function->largest)
            function->largest = values[i];
    }
}

static void take_counts(const struct an_gcda *gcda, struct an_survey_function *function)
{
    const struct an_gcda_counters *arcs = an_survey_counters(gcda, function->counts, "arcs");
    const struct an_gcda_counters *first =
        an_survey_counters(gcda, function->counts, "time_profiler");
    if (arcs) {
        function->counters = arcs->count;
        add_up(function, gcda->values.items + arcs->first, arcs->are_zero ? 0 : arcs->count);
    }
    if (first && !first->are_zero && first->count)
        function->first_run = gcda->values.items[first->first];
}

static bool take_functions(struct an_survey *survey)
{
    const struct an_gcda *gcda = &survey->gcda;
    survey->functions = an_alloc_zero(gcda->functions.count + 1, sizeof *survey->functions);
    for (size_t i = 0; survey->functions && i < gcda->functions.count; i++) {
        if (!gcda->functions.items[i].is_present)
            continue;
        struct an_survey_function *function = &survey->functions[survey->count++];
        function->counts = &gcda->functions.items[i];
        take_counts(gcda, function);
    }
    return survey->functions != NULL;
}

/* ---- names and entries ---- */

static bool number_functions(struct naming *naming)
{
    for (size_t i = 0; i < naming->gcno.functions.count; i++) {
        bool is_new;
        uint64_t *number =
            an_map_insert(&naming->numbers, naming->gcno.functions.items[i].ident, &is_new);
        if (!number)
            return false;
        *number = i;
    }
    return true;
}

/* How often it was entered, if its counters are those of this control flow. */
static bool solve(struct naming *naming, const struct an_gcno_function *flow,
                  struct an_survey_function *function)
{
    const struct an_gcda *gcda = &naming->survey->gcda;
    const struct an_gcda_counters *arcs = an_survey_counters(gcda, function->counts, "arcs");
    bool ran = arcs && !arcs->are_zero;
    if (flow->block_count == 0 || flow->flow_sum != function->counts->flow_sum ||
        (arcs && arcs->count != an_flow_counters(&naming->gcno, flow)))
        return true;
    if (!an_vector_reserve(&naming->arcs, flow->arc_count + 1) ||
        !an_vector_reserve(&naming->blocks, flow->block_count) ||
        !an_flow_solve(&naming->work, &naming->gcno, flow,
                       ran ? gcda->values.items + arcs->first : NULL, naming->arcs.items,
                       naming->blocks.items))
        return false;
    function->has_entries = true;
    function->entries = naming->blocks.items[0];
    return true;
}

static bool name_functions(struct naming *naming)
{
    struct an_survey *survey = naming->survey;
    if (!number_functions(naming))
        return false;
    for (size_t i = 0; i < survey->count; i++) {
        struct an_survey_function *function = &survey->functions[i];
        const uint64_t *number = an_map_find(&naming->numbers, function->counts->ident);
        if (!number)
            continue;
        const struct an_gcno_function *flow = &naming->gcno.functions.items[*number];
        if (flow->line_sum != function->counts->line_sum)
            continue;
        function->name = flow->name;
        function->file = flow->file;
        function->line = flow->line;
        if (!solve(naming, flow, function))
            return false;
    }
    return true;
}

static enum an_code use_notes(struct naming *naming, struct an_error *error)
{
    struct an_survey *survey = naming->survey;
    if (naming->gcno.stamp != survey->gcda.header.stamp) {
        survey->notes = AN_SURVEY_OTHER_NOTES;
        return AN_OK;
    }
    survey->notes = AN_SURVEY_NOTES;
    bool done = name_functions(naming);
    survey->texts = naming->gcno.arena; /* names point into it */
    naming->gcno.arena = (struct an_arena){.blocks = NULL};
    an_map_free(&naming->numbers);
    an_flow_work_free(&naming->work);
    an_vector_free(&naming->arcs);
    an_vector_free(&naming->blocks);
    return done ? AN_OK : an_fail_memory(error);
}

static enum an_code take_notes(struct an_survey *survey, const char *path, struct an_error *error)
{
    struct naming naming = {.survey = survey};
    struct an_file file = {.capacity = 0};
    enum an_code code = an_file_load(&file, path, &survey->notes_error);
    if (code == AN_OK)
        code = an_gcno_read(&naming.gcno, file.bytes, &survey->notes_error);
    an_file_close(&file);
    if (code != AN_OK) {
        an_error_in(&survey->notes_error, path);
        survey->notes = AN_SURVEY_BAD_NOTES;
        return AN_OK;
    }
    code = use_notes(&naming, error);
    an_gcno_free(&naming.gcno);
    return code;
}

enum an_code an_survey_read(struct an_survey *survey, struct an_bytes gcda, const char *notes,
                            struct an_error *error)
{
    *survey = (struct an_survey){.count = 0};
    enum an_code code = an_gcda_read(&survey->gcda, gcda, error);
    if (code != AN_OK)
        return code;
    if (!take_functions(survey))
        code = an_fail_memory(error);
    else if (notes)
        code = take_notes(survey, notes, error);
    if (code != AN_OK)
        an_survey_free(survey);
    return code;
}

void an_survey_free(struct an_survey *survey)
{
    an_gcda_free(&survey->gcda);
    an_arena_free(&survey->texts);
    free(survey->functions);
    survey->functions = NULL;
    survey->count = 0;
}
