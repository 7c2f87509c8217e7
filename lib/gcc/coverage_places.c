/* Which sources, functions and lines there are, and where their counts will stand; see coverage_build.h. */
#include "gcc/coverage_build.h"

struct finding {
    struct an_coverage_build *build;
    struct an_covered *object;
    uint32_t number; /* the object's */
    struct an_source_base base;
    struct an_map called; /* names as the object has them, by address: number of the source + 1 */
    const char *last_called; /* most names are the one before */
    uint32_t last_source;
    size_t taken; /* functions */
    struct {
        AN_VECTOR(struct an_coverage_mention);
    } mentions;
    struct an_error *error;
};

static enum an_code note_source(struct finding *finding, const char *called, size_t source)
{
    struct an_coverage_build *build = finding->build;
    struct an_coverage_mention *mention = an_vector_push(&finding->mentions);
    if (!mention || source == SIZE_MAX)
        return an_fail_memory(finding->error);
    *mention = (struct an_coverage_mention){called, source};
    while (build->ranges.count <= source) {
        struct an_coverage_range *range = an_vector_push(&build->ranges);
        if (!range)
            return an_fail_memory(finding->error);
        *range = (struct an_coverage_range){0, 0};
    }
    return AN_OK;
}

/* The number of the source that the object calls so. */
static enum an_code find_source(struct finding *finding, const char *called, uint32_t *source)
{
    bool is_new;
    enum an_code code = AN_OK;
    if (called == finding->last_called) {
        *source = finding->last_source;
        return AN_OK;
    }
    uint64_t *known = an_map_insert(&finding->called, (uint64_t)(uintptr_t)called, &is_new);
    if (!known)
        return an_fail_memory(finding->error);
    if (is_new) {
        const char *name = called == an_gcno_no_name ? "<unknown>" : called;
        size_t number = an_source_number(&finding->build->sources, name, &finding->base);
        *known = number;
        code = note_source(finding, name, number);
    }
    finding->last_called = called;
    finding->last_source = *source = (uint32_t)*known;
    return code;
}

static enum an_code note_line(struct finding *finding, uint32_t source, uint32_t line)
{
    struct an_coverage_range *range = &finding->build->ranges.items[source];
    if (line >= finding->build->most_lines)
        return an_fail(finding->error, AN_UNSUPPORTED,
                       "%.200s has a line %u, above the limit of "
                       "%u",
                       finding->build->sources.items.items[source].name, line,
                       finding->build->most_lines - 1);
    if (line >= range->count)
        range->count = line + 1;
    return AN_OK;
}

static enum an_code find_lines(struct finding *finding, const struct an_gcno_function *function,
                               struct an_coverage_origin *origin)
{
    const struct an_gcno *gcno = &finding->object->gcno;
    uint32_t *sources = finding->build->line_sources[finding->number];
    enum an_code code = AN_OK;
    for (size_t i = function->first_line; i < function->first_line + function->line_count; i++) {
        const struct an_gcno_line *line = &gcno->lines.items[i];
        sources[i] = 0;
        if (line->file == an_gcno_no_name)
            continue;
        code = find_source(finding, line->file, &sources[i]);
        if (code == AN_OK && origin && line->number)
            code = note_line(finding, sources[i], line->number);
        if (code != AN_OK)
            break;
        if (origin && gcno->version.major < 8 && sources[i] == origin->source &&
            line->number > origin->last_line)
            origin->last_line = line->number;
    }
    return code;
}

static bool takes(const struct an_coverage_options *options,
                  const struct an_gcno_function *function)
{
    return !options->takes_function || options->takes_function(options->context, function->name);
}

/* Up to 7, gcov takes what has no counts for what the linker left out: functions of another object are in the program. */
static bool is_there(const struct finding *finding, size_t number)
{
    const struct an_covered *object = finding->object;
    return !an_coverage_is_old(finding->build, object) ||
           (object->has_counts && object->has_counts[number]);
}

static enum an_code find_function(struct finding *finding, size_t number)
{
    const struct an_gcno_function *function = &finding->object->gcno.functions.items[number];
    struct an_coverage_origin *origin = NULL;
    uint32_t source;
    enum an_code code = find_source(finding, function->file, &source);
    bool is_taken = takes(finding->build->options, function);
    finding->taken += is_taken;
    if (code == AN_OK && is_taken && !function->is_artificial && is_there(finding, number)) {
        origin = an_vector_push(&finding->build->origins);
        if (!origin)
            return an_fail_memory(finding->error);
        *origin = (struct an_coverage_origin){.object = finding->number,
                                              .number = (uint32_t)number,
                                              .source = source,
                                              .last_line = function->last_line};
    }
    if (code == AN_OK && origin && an_coverage_is_old(finding->build, finding->object))
        code = note_line(finding, source, function->line);
    if (code == AN_OK)
        code = find_lines(finding, function, origin);
    if (code == AN_OK && origin && !finding->build->options->as_gcov &&
        !an_coverage_merge_same(finding->build))
        code = an_fail_memory(finding->error);
    return code;
}

static enum an_code keep_mentions(struct finding *finding, struct an_coverage_object *object)
{
    struct an_coverage_mention *kept = an_arena_alloc(
        &finding->build->arena, finding->mentions.count + 1, sizeof *finding->mentions.items);
    if (!kept)
        return an_fail_memory(finding->error);
    if (finding->mentions.count)
        memcpy(kept, finding->mentions.items, finding->mentions.count * sizeof *kept);
    object->mentions = kept;
    object->mention_count = finding->mentions.count;
    return AN_OK;
}

/* Of gcov. What clang writes has GCC's versions, but is of none of its releases. */
static unsigned release_of(const struct an_coverage_options *options, const struct an_gcno *gcno)
{
    unsigned release = options->gcov_release;
    unsigned oldest = options->keep_instances_apart ? AN_GCOV_OLDEST_JSON : AN_GCOV_OLDEST;
    if (!release)
        release = an_gcno_is_clang(gcno) ? 0 : gcno->version.major;
    if (release < oldest || release == 8)
        release = AN_GCOV_USUAL;
    return release < AN_GCOV_NEWEST ? release : AN_GCOV_NEWEST;
}

static enum an_code find_in_object(struct an_coverage_build *build, uint32_t number,
                                   struct an_coverage_object *object, struct an_error *error)
{
    struct an_covered *covered = &build->objects[number];
    struct finding finding = {.build = build, .object = covered, .number = number, .error = error};
    enum an_code code = AN_OK;
    covered->release = release_of(build->options, &covered->gcno);
    build->line_sources[number] =
        an_alloc(covered->gcno.lines.count + 1, sizeof **build->line_sources);
    if (!build->line_sources[number] ||
        !an_source_base_find(&build->sources, &covered->gcno, covered->path, &finding.base))
        return an_fail_memory(error);
    for (size_t i = 0; code == AN_OK && i < covered->gcno.functions.count; i++)
        code = find_function(&finding, i);
    if (code == AN_OK)
        code = keep_mentions(&finding, object);
    an_vector_free(&finding.mentions);
    an_map_free(&finding.called);
    *object =
        (struct an_coverage_object){.folder = covered->gcno.folder ? covered->gcno.folder : "",
                                    .release = covered->release,
                                    .may_lack_counts = covered->gcno.may_lack_counts,
                                    .has_data = an_covered_has_data(covered),
                                    .runs = covered->runs,
                                    .programs = covered->programs,
                                    .misfit = covered->misfit,
                                    .modified = covered->modified,
                                    .function_count = finding.taken,
                                    .mentions = object->mentions,
                                    .mention_count = object->mention_count};
    return code;
}

/* Functions that begin in the same line of a source are instances of one thing; up to 7, gcov knows of no such thing. */
static bool find_instances(struct an_coverage_build *build)
{
    struct an_map first = {0};
    bool done = true;
    for (size_t i = 0; done && i < build->origins.count; i++) {
        struct an_coverage_origin *origin = &build->origins.items[i];
        const struct an_gcno_function *function =
            &build->objects[origin->object].gcno.functions.items[origin->number];
        bool is_new;
        if (an_coverage_is_old(build, &build->objects[origin->object]))
            continue;
        uint64_t *other =
            an_map_insert(&first, (uint64_t)origin->source << 32 | function->line, &is_new);
        done = other != NULL;
        if (other && is_new)
            *other = i;
        else if (other)
            build->origins.items[*other].is_instance = origin->is_instance = true;
    }
    an_map_free(&first);
    return done;
}

static enum an_code claim(struct an_coverage_build *build, uint32_t *first, uint32_t count,
                          struct an_error *error)
{
    *first = build->line_count;
    if (count > build->most_lines - build->line_count)
        return an_fail(error, AN_UNSUPPORTED,
                       "sources and the function instances in them have more than %u lines",
                       build->most_lines);
    build->line_count += count;
    return AN_OK;
}

/* What ends before it begins has one line. */
static enum an_code claim_instance(struct an_coverage_build *build,
                                   struct an_coverage_origin *origin, struct an_error *error)
{
    const struct an_gcno_function *function =
        &build->objects[origin->object].gcno.functions.items[origin->number];
    if (origin->last_line < function->line)
        origin->last_line = function->line;
    if (!origin->is_instance)
        return AN_OK;
    if (origin->last_line - function->line >= build->most_lines)
        return an_fail(error, AN_UNSUPPORTED, "function %.200s has more than %u lines",
                       function->name, build->most_lines);
    return claim(build, &origin->first_line, origin->last_line - function->line + 1, error);
}

static void limit_lines(struct an_coverage_build *build)
{
    uint64_t most = AN_COVERAGE_FREE_LINES;
    for (size_t i = 0; i < build->object_count; i++)
        most += (uint64_t)build->objects[i].size * AN_COVERAGE_LINES_PER_BYTE;
    build->most_lines = most < UINT32_MAX - 2 ? (uint32_t)most : UINT32_MAX - 2;
}

enum an_code an_coverage_find_places(struct an_coverage_build *build, struct an_error *error)
{
    struct an_coverage_object *objects =
        an_arena_zero(&build->arena, build->object_count + 1, sizeof *objects);
    build->line_sources =
        an_arena_zero(&build->arena, build->object_count + 1, sizeof *build->line_sources);
    enum an_code code = objects && build->line_sources ? AN_OK : an_fail_memory(error);
    limit_lines(build);
    for (size_t i = 0; code == AN_OK && i < build->object_count; i++)
        code = find_in_object(build, (uint32_t)i, &objects[i], error);
    if (code == AN_OK && (!an_source_names_finish(&build->sources) || !find_instances(build)))
        code = an_fail_memory(error);
    for (size_t i = 0; code == AN_OK && i < build->ranges.count; i++)
        code = claim(build, &build->ranges.items[i].first, build->ranges.items[i].count, error);
    for (size_t i = 0; code == AN_OK && i < build->origins.count; i++)
        code = claim_instance(build, &build->origins.items[i], error);
    build->coverage.objects = objects;
    build->coverage.object_count = build->object_count;
    return code;
}
