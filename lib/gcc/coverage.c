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

static bool load_all(struct loading *loading, unsigned threads)
{
    size_t count = loading->build->object_count;
    if (threads == 0)
        threads = an_pool_processors();
    an_pool_run(threads, count, load, loading);
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
                name_entries(&loading) && load_all(&loading, build->options->threads);
    free(loading.first_entry);
    free(loading.failed);
    return done ? an_ledger_close(*ledger, error) : an_fail_memory(error);
}

/* ---- functions ---- */

static bool demangle(struct an_coverage_build *build)
{
    for (size_t i = 0; i < build->origins.count; i++) {
        char *name = an_gcc_demangle(build->functions[i].name);
        if (!name)
            continue;
        build->functions[i].demangled = an_arena_copy(&build->arena, name, strlen(name));
        free(name);
        if (!build->functions[i].demangled)
            return false;
    }
    return true;
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

/* Gives each source its functions. */
static bool hand_out(struct an_coverage_build *build)
{
    struct an_coverage_source *sources = (struct an_coverage_source *)build->coverage.sources;
    struct an_coverage_function *sorted =
        an_arena_alloc(&build->arena, build->origins.count + 1, sizeof *sorted);
    if (!sorted)
        return false;
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
    for (size_t i = 0; i < build->coverage.source_count; i++)
        qsort(sorted + (sources[i].functions - sorted), sources[i].function_count, sizeof *sorted,
              by_line);
    build->coverage.function_count = build->origins.count;
    return true;
}

/* ---- all together ---- */

static enum an_code make(struct an_coverage_build *build, struct an_error *error)
{
    enum an_code code = an_coverage_find_places(build, error);
    if (code == AN_OK)
        code = an_coverage_find_ends(build, error);
    if (code == AN_OK)
        code = an_coverage_count_lines(build, error);
    if (code == AN_OK && build->options->demangle && !demangle(build))
        code = an_fail_memory(error);
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
    build->line_sources = NULL;
    an_vector_free(&build->ranges);
    an_vector_free(&build->origins);
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
    code = load_objects(build, inputs, count, ledger, error);
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
