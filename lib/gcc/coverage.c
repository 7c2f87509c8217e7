/* The coverage of objects, from their files to what the caller sees; see anneal/coverage.h. */
#include <anneal/coverage.h>
#include <anneal/gcc.h>

#include "base/options.h"
#include "base/pool.h"
#include "gcc/coverage_build.h"

struct loading {
    struct an_coverage_build *build;
    const struct an_coverage_input *inputs;
    struct an_ledger *ledger;
    size_t *first_entry; /* of each object, in the ledger */
    bool *failed;        /* of each object */
};

static void load(void *context, size_t index)
{
    const struct loading *loading = context;
    loading->failed[index] =
        !an_covered_load(&loading->build->objects[index], &loading->inputs[index],
                         loading->ledger->entries + loading->first_entry[index]);
}

static unsigned threads_of(const struct an_coverage_build *build)
{
    return build->options->threads ? build->options->threads : an_pool_processors();
}

static bool load_all(struct loading *loading)
{
    size_t count = loading->build->object_count;
    an_pool_run(threads_of(loading->build), count, load, loading);
    for (size_t i = 0; i < count; i++)
        if (loading->failed[i])
            return false;
    return true;
}

static bool name_entries(struct loading *loading)
{
    size_t next = 0;
    for (size_t i = 0; i < loading->build->object_count; i++) {
        const struct an_coverage_input *input = &loading->inputs[i];
        loading->first_entry[i] = next;
        if (!an_ledger_name(loading->ledger, next++, input->gcno, 1))
            return false;
        for (size_t k = 0; k < input->gcda_count; k++)
            if (!an_ledger_name(loading->ledger, next++, input->gcda[k], 1))
                return false;
    }
    return true;
}

static enum an_code load_objects(struct an_coverage_build *build,
                                 const struct an_coverage_input *inputs, size_t count,
                                 struct an_ledger **ledger, struct an_error *error)
{
    size_t entries = count;
    for (size_t i = 0; i < count; i++)
        entries += inputs[i].gcda_count;
    struct loading loading = {.build = build,
                              .inputs = inputs,
                              .ledger = an_ledger_new(entries),
                              .first_entry = an_alloc(count + 1, sizeof *loading.first_entry),
                              .failed = an_alloc_zero(count + 1, sizeof *loading.failed)};
    build->objects = an_alloc_zero(count + 1, sizeof *build->objects);
    build->object_count = build->objects ? count : 0;
    *ledger = loading.ledger;
    bool done = loading.ledger && loading.first_entry && loading.failed && build->objects &&
                name_entries(&loading) && load_all(&loading);
    free(loading.first_entry);
    free(loading.failed);
    return done ? an_ledger_close(*ledger, error) : an_fail_memory(error);
}

/* ---- flow ---- */

struct solving {
    struct an_coverage_build *build;
    bool *failed; /* of each object */
};

static void solve(void *context, size_t index)
{
    const struct solving *solving = context;
    struct an_covered *object = &solving->build->objects[index];
    object->as_llvm = !solving->build->options->as_gcov && an_gcno_is_clang(&object->gcno);
    solving->failed[index] = !an_covered_solve(object);
}

/* Counts of the same function in several objects are together by now. */
static enum an_code solve_all(struct an_coverage_build *build, struct an_error *error)
{
    struct solving solving = {build,
                              an_alloc_zero(build->object_count + 1, sizeof *solving.failed)};
    bool done = solving.failed != NULL;
    if (done)
        an_pool_run(threads_of(build), build->object_count, solve, &solving);
    for (size_t i = 0; done && i < build->object_count; i++)
        done = !solving.failed[i];
    free(solving.failed);
    return done ? AN_OK : an_fail_memory(error);
}

/* ---- functions ---- */

/* Clones of constructors have the same name for who reads it, and gcov does not care. */
static bool name_function(struct an_coverage_build *build, size_t number)
{
    const struct an_coverage_options *options = build->options;
    struct an_coverage_function *function = &build->functions[number];
    build->origins.items[number].called = function->name;
    char *name = options->demangle || !options->as_gcov ? an_gcc_demangle(function->name) : NULL;
    if (!name)
        return true;
    const char *kept = an_arena_copy(&build->arena, name, strlen(name));
    free(name);
    build->origins.items[number].called = kept;
    if (options->demangle)
        function->demangled = kept;
    return kept;
}

static bool name_functions(struct an_coverage_build *build)
{
    bool done = true;
    for (size_t i = 0; done && i < build->origins.count; i++)
        done = name_function(build, i);
    return done;
}

static int by_line(const void *one, const void *other)
{
    const struct an_coverage_function *a = one, *b = other;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Of codes that are one function, the first one stands for it. */
static void find_repeated(const struct an_coverage_build *build,
                          struct an_coverage_function *functions, size_t count, bool *is_known)
{
    for (size_t i = 0; i < count; i++) {
        size_t whole = build->origins.items[functions[i].order].whole;
        functions[i].is_repeated = is_known[whole];
        functions[i].whole = &build->wholes[whole];
        is_known[whole] = true;
    }
}

/* Gives each source its functions. */
static bool hand_out(struct an_coverage_build *build)
{
    struct an_coverage_source *sources = (struct an_coverage_source *)build->coverage.sources;
    struct an_coverage_function *sorted =
        an_arena_alloc(&build->arena, build->origins.count + 1, sizeof *sorted);
    bool *is_known = an_alloc_zero(build->whole_count + 1, sizeof *is_known);
    if (!sorted || !is_known) {
        free(is_known);
        return false;
    }
    struct an_coverage_function *next = sorted;
    for (size_t i = 0; i < build->coverage.source_count; i++) {
        sources[i].functions = next;
        next += sources[i].function_count;
        sources[i].function_count = 0;
    }
    for (size_t i = 0; i < build->origins.count; i++) {
        struct an_coverage_source *source = &sources[build->origins.items[i].source];
        sorted[source->functions - sorted + source->function_count++] = build->functions[i];
    }
    for (size_t i = 0; i < build->coverage.source_count; i++) {
        struct an_coverage_function *functions = sorted + (sources[i].functions - sorted);
        qsort(functions, sources[i].function_count, sizeof *functions, by_line);
        find_repeated(build, functions, sources[i].function_count, is_known);
    }
    free(is_known);
    build->coverage.function_count = build->origins.count;
    return true;
}

/* ---- all together ---- */

static enum an_code make(struct an_coverage_build *build, struct an_error *error)
{
    enum an_code code = an_coverage_find_places(build, error);
    if (code == AN_OK)
        code = solve_all(build, error);
    if (code == AN_OK)
        code = an_coverage_find_conditions(build, error);
    if (code == AN_OK)
        code = an_coverage_find_ends(build, error);
    if (code == AN_OK && (!name_functions(build) || !an_coverage_find_wholes(build)))
        code = an_fail_memory(error);
    if (code == AN_OK)
        code = an_coverage_count_lines(build, error);
    if (code == AN_OK)
        code = an_coverage_find_paths(build, error);
    if (code == AN_OK && !hand_out(build))
        code = an_fail_memory(error);
    for (size_t i = 0; code == AN_OK && i < build->object_count; i++)
        if (build->objects[i].runs > build->coverage.runs)
            build->coverage.runs = build->objects[i].runs;
    return code;
}

/* What the caller does not need any more. */
static void free_scaffold(struct an_coverage_build *build)
{
    for (size_t i = 0; build->line_sources && i < build->object_count; i++)
        free(build->line_sources[i]);
    for (size_t i = 0; build->block_conditions && i < build->object_count; i++)
        free(build->block_conditions[i]);
    build->line_sources = build->block_conditions = NULL;
    an_vector_free(&build->ranges);
    an_vector_free(&build->origins);
    an_map_free(&build->flows);
    an_vector_free(&build->ends);
}

enum an_code an_coverage_read(const struct an_coverage_options *options,
                              const struct an_coverage_input *inputs, size_t count,
                              struct an_coverage **coverage, struct an_ledger **ledger,
                              struct an_error *error)
{
    struct an_coverage_options full;
    *coverage = NULL;
    *ledger = NULL;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    struct an_coverage_build *build = an_alloc_zero(1, sizeof *build);
    if (!build)
        return an_fail_memory(error);
    build->options = &full;
    build->sources.by_name = full.as_gcov;
    build->sources.folder = full.folder;
    build->sources.maps = full.maps;
    build->sources.map_count = full.map_count;
    code = an_source_root_set(&build->sources, full.source_root)
               ? load_objects(build, inputs, count, ledger, error)
               : an_fail_memory(error);
    if (code == AN_OK)
        code = make(build, error);
    free_scaffold(build);
    build->options = NULL;
    if (code == AN_OK) {
        *coverage = &build->coverage;
        return AN_OK;
    }
    an_coverage_free(&build->coverage);
    an_ledger_free(*ledger);
    *ledger = NULL;
    return code;
}

void an_coverage_free(struct an_coverage *coverage)
{
    struct an_coverage_build *build = (struct an_coverage_build *)coverage;
    if (!build)
        return;
    for (size_t i = 0; i < build->object_count; i++)
        an_covered_free(&build->objects[i]);
    free(build->objects);
    free(build->lines);
    free(build->blocks);
    free(build->branches);
    an_source_names_free(&build->sources);
    an_arena_free(&build->arena);
    free(build);
}
