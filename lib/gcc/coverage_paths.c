/*
 * Prime paths of functions, and which of them were taken; see anneal/coverage.h and prime_paths.h. GCC 15 and later write, with
 * -fpath-coverage, how many paths a function has, and a bit for each that a run took; what the paths are has to be found here.
 * There may be more than anybody could wait for: then the function has none, and says so.
 */
#include <anneal/coverage.h>

#include "base/bits.h"
#include "gcc/coverage_build.h"
#include "gcc/prime_paths.h"

/* Steps of searches: of one function, and of all. GCC itself gives up at 250000 paths, unless it is told otherwise. */
#define MOST_STEPS ((uint64_t)1 << 28)
#define MOST_STEPS_OF_ALL ((uint64_t)1 << 30)

struct an_coverage_paths {
    struct an_prime_graph graph; /* of its blocks */
    uint32_t exit;
    const struct an_coverage_branch **arcs; /* of each way in graph.to */
    const bool *is_apart;                   /* of each block: no way leads to it or from it */
    const uint32_t *first_place;            /* of each block; and how many there are */
    const struct an_coverage_place *places;
    const uint64_t *taken; /* bits; NULL: none were */
    uint32_t words;
};

/* ---- what there is ---- */

struct finding {
    struct an_coverage_build *build;
    const struct an_covered *object;
    const struct an_coverage_origin *origin;
    const struct an_gcno_function *function;
    struct an_coverage_paths *paths;
};

/* Blocks and arcs, without those of calls that do not return. */
static bool find_graph(const struct finding *finding)
{
    struct an_coverage_paths *paths = finding->paths;
    struct an_arena *arena = &finding->build->arena;
    const struct an_covered *object = finding->object;
    const struct an_covered_block *blocks =
        object->blocks + object->first_block[finding->origin->number];
    uint32_t count = finding->function->block_count, arcs = finding->function->arc_count, used = 0;
    uint32_t *first = an_arena_alloc(arena, (size_t)count + 1, sizeof *first);
    uint32_t *to = an_arena_alloc(arena, (size_t)arcs + 1, sizeof *to);
    bool *is_apart = an_arena_alloc(arena, (size_t)count + 1, sizeof *is_apart);
    paths->arcs = an_arena_alloc(arena, (size_t)arcs + 1, sizeof *paths->arcs);
    if (!first || !to || !is_apart || !paths->arcs)
        return false;
    memset(is_apart, true, count);
    for (uint32_t i = 0; i < count; i++) {
        first[i] = used;
        for (uint32_t k = 0; k < blocks[i].arc_count; k++) {
            const struct an_coverage_branch *arc = &object->arcs[blocks[i].first_arc + k];
            if (arc->is_call || (used > first[i] && to[used - 1] == arc->destination))
                continue;
            is_apart[i] = is_apart[arc->destination] = false;
            paths->arcs[used] = arc;
            to[used++] = arc->destination;
        }
    }
    first[count] = used;
    paths->graph = (struct an_prime_graph){count, first, to};
    paths->is_apart = is_apart;
    return true;
}

static int by_number(const void *one, const void *other)
{
    const uint32_t *a = one, *b = other;
    return *a < *b ? -1 : *a > *b;
}

/* How many of the lines are one place: of one block and one file, from the first on. */
static uint32_t extent(const struct an_gcno_line *lines, uint32_t count)
{
    uint32_t size = 1;
    while (size < count && lines[size].number && lines[size].block == lines[0].block &&
           lines[size].file == lines[0].file)
        size++;
    return size;
}

static bool find_places(const struct finding *finding)
{
    const struct an_gcno_function *function = finding->function;
    struct an_arena *arena = &finding->build->arena;
    const struct an_gcno_line *lines = an_gcno_lines(&finding->object->gcno, function);
    const uint32_t *sources =
        finding->build->line_sources[finding->origin->object] + function->first_line;
    size_t count = function->line_count, blocks = function->block_count;
    uint32_t *numbers = an_arena_alloc(arena, count + 1, sizeof *numbers);
    uint32_t *first = an_arena_zero(arena, blocks + 2, sizeof *first);
    struct an_coverage_place *places = an_arena_alloc(arena, count + 1, sizeof *places);
    if (!numbers || !first || !places)
        return false;
    uint32_t used = 0, size;
    for (uint32_t i = 0; i < count; i += size) {
        struct an_coverage_place *place = &places[used];
        size = extent(lines + i, (uint32_t)count - i);
        *place = (struct an_coverage_place){.source = finding->build->coverage.sources + sources[i],
                                            .lines = numbers + i};
        for (uint32_t k = i; k < i + size; k++)
            if (lines[k].number)
                numbers[i + place->line_count++] = lines[k].number;
        qsort(numbers + i, place->line_count, sizeof *numbers, by_number);
        if (place->line_count == 0 || lines[i].file == an_gcno_no_name)
            continue;
        first[lines[i].block + 1]++;
        used++;
    }
    for (size_t i = 1; i <= blocks; i++)
        first[i] += first[i - 1];
    finding->paths->first_place = first;
    finding->paths->places = places;
    return true;
}

/* ---- the search ---- */

struct walk {
    const struct an_coverage_paths *of;
    struct an_prime_paths search;
    const uint32_t *path; /* the present one, without entry and exit */
    uint32_t length;
};

/* Takes off entry and exit; false when nothing is left that anybody would call a path. */
static bool trim(struct walk *walk)
{
    walk->path = walk->search.path;
    walk->length = walk->search.length;
    if (walk->path[walk->length - 1] == walk->of->exit)
        walk->length--;
    if (walk->length && walk->path[0] == 0) {
        walk->path++;
        walk->length--;
    }
    return walk->length > 1 || (walk->length == 1 && !walk->of->is_apart[walk->path[0]]);
}

static enum an_prime step(struct walk *walk)
{
    enum an_prime what;
    do
        what = an_prime_paths_next(&walk->search);
    while (what == AN_PRIME_PATH && !trim(walk));
    return what;
}

/* Counts the paths. Bits say something only if there are as many as GCC found. False when memory runs out. */
static bool count_paths(struct an_coverage_function *function, uint64_t expected,
                        const struct an_coverage_paths *paths, uint64_t *steps)
{
    uint64_t own = *steps < MOST_STEPS ? *steps : MOST_STEPS, count = 0;
    struct walk walk = {.of = paths};
    enum an_prime what;
    if (!an_prime_paths_start(&walk.search, &paths->graph, own))
        return false;
    while ((what = step(&walk)) == AN_PRIME_PATH)
        count++;
    *steps -= own - walk.search.steps;
    an_prime_paths_free(&walk.search);
    function->lacks_paths = what == AN_PRIME_BEYOND || count != expected;
    if (!function->lacks_paths) {
        function->paths = paths;
        function->path_count = function->totals.paths = count;
    }
    return true;
}

/* Functions without counters of paths have none: GCC gave up, or was not asked. */
static bool find_in_function(struct finding *finding, struct an_coverage_function *function,
                             uint64_t *steps)
{
    const struct an_covered *object = finding->object;
    if (finding->function->path_count == 0)
        return true;
    finding->paths = an_arena_zero(&finding->build->arena, 1, sizeof(struct an_coverage_paths));
    if (!finding->paths || !find_graph(finding) || !find_places(finding))
        return false;
    finding->paths->exit = an_gcno_exit(&object->gcno, finding->function);
    finding->paths->taken = object->paths ? object->paths[finding->origin->number] : NULL;
    finding->paths->words = an_gcno_path_words(finding->function);
    return count_paths(function, finding->function->path_count, finding->paths, steps);
}

enum an_code an_coverage_find_paths(struct an_coverage_build *build, struct an_error *error)
{
    struct an_coverage_source *sources = (struct an_coverage_source *)build->coverage.sources;
    uint64_t steps = MOST_STEPS_OF_ALL;
    bool done = true;
    for (size_t i = 0; done && i < build->origins.count; i++) {
        struct finding finding = {.build = build, .origin = &build->origins.items[i]};
        struct an_coverage_function *function = &build->functions[i];
        struct an_coverage_totals *totals = &sources[finding.origin->source].totals;
        finding.object = &build->objects[finding.origin->object];
        finding.function = &finding.object->gcno.functions.items[finding.origin->number];
        if (build->options->prime_paths)
            done = find_in_function(&finding, function, &steps);
        totals->paths += function->totals.paths;
        totals->paths_taken += function->totals.paths_taken;
        build->coverage.totals.paths += function->totals.paths;
        build->coverage.totals.paths_taken += function->totals.paths_taken;
    }
    return done ? AN_OK : an_fail_memory(error);
}

/* ---- for the caller ---- */

/* The arc that leads from one block to another; NULL: there is none. */
static const struct an_coverage_branch *arc_to(const struct an_coverage_paths *paths, uint32_t from,
                                               uint32_t to)
{
    uint32_t low = paths->graph.first[from], high = paths->graph.first[from + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (paths->graph.to[middle] == to)
            return paths->arcs[middle];
        if (paths->graph.to[middle] < to)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static void describe(const struct walk *walk, struct an_coverage_step *steps)
{
    const struct an_coverage_paths *paths = walk->of;
    for (uint32_t i = 0; i < walk->length; i++) {
        uint32_t block = walk->path[i];
        const struct an_coverage_branch *arc =
            i + 1 < walk->length ? arc_to(paths, block, walk->path[i + 1]) : NULL;
        steps[i] = (struct an_coverage_step){
            .block = block,
            .is_true = arc && arc->is_true,
            .is_false = arc && arc->is_false,
            .is_throw = arc && arc->is_throw,
            .is_fall_through = arc && arc->is_fall_through,
            .places = paths->places + paths->first_place[block],
            .place_count = paths->first_place[block + 1] - paths->first_place[block],
        };
    }
}

static bool is_taken(const struct an_coverage_paths *paths, uint64_t number)
{
    return paths->taken && number / 64 < paths->words && an_bit(paths->taken, number);
}

enum an_code an_coverage_each_path(const struct an_coverage_function *function,
                                   bool (*visit)(void *context,
                                                 const struct an_coverage_path *path),
                                   void *context, struct an_error *error)
{
    const struct an_coverage_paths *paths = function->paths;
    struct walk walk = {.of = paths};
    struct an_coverage_path path = {.number = 0};
    if (!paths)
        return AN_OK;
    struct an_coverage_step *steps = an_alloc((size_t)paths->graph.count + 1, sizeof *steps);
    bool done = steps && an_prime_paths_start(&walk.search, &paths->graph, UINT64_MAX);
    if (!done) {
        free(steps);
        return an_fail_memory(error);
    }
    for (bool goes_on = true; goes_on && step(&walk) == AN_PRIME_PATH; path.number++) {
        describe(&walk, steps);
        path.steps = steps;
        path.step_count = walk.length;
        path.is_taken = is_taken(paths, path.number);
        goes_on = visit(context, &path);
    }
    an_prime_paths_free(&walk.search);
    free(steps);
    return AN_OK;
}
