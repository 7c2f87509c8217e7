/*
 * A function that several objects contain, as one of a header or of a source that is built twice, is one: its counters
 * are added up before anything is made of them. It is the same if its name, its place in the source, its control flow
 * and the lines of its blocks are; what #ifdef or another option of the compiler changed has counts of its own. See
 * coverage_build.h.
 */
#include "base/secret.h"

#include <xxhash.h>

#include "gcc/coverage_build.h"

/* The flow of a function, and its lines by source: what is there twice has them twice. */
struct flow {
    const struct an_covered *object;
    const struct an_gcno_function *function;
    const uint32_t *sources; /* of its lines */
};

static struct flow flow_of(const struct an_coverage_build *build,
                           const struct an_coverage_origin *origin)
{
    const struct an_covered *object = &build->objects[origin->object];
    const struct an_gcno_function *function = &object->gcno.functions.items[origin->number];
    return (struct flow){object, function,
                         build->line_sources[origin->object] + function->first_line};
}

static uint64_t hash_lines(const struct flow *flow, uint64_t hash)
{
    const struct an_gcno_line *lines = an_gcno_lines(&flow->object->gcno, flow->function);
    for (uint32_t i = 0; i < flow->function->line_count; i++) {
        const uint32_t words[] = {lines[i].block, lines[i].number, flow->sources[i]};
        hash = XXH3_64bits_withSeed(words, sizeof words, hash);
    }
    return hash;
}

static uint64_t hash_of(const struct flow *flow, uint32_t source, uint64_t seed)
{
    const struct an_gcno_function *function = flow->function;
    const struct an_gcno_arc *arcs = an_gcno_arcs(&flow->object->gcno, function);
    const uint32_t place[] = {source, function->line, function->block_count, function->arc_count,
                              function->line_count};
    uint64_t hash = XXH3_64bits_withSeed(place, sizeof place, seed);
    hash = XXH3_64bits_withSeed(function->name, strlen(function->name), hash);
    if (function->arc_count)
        hash = XXH3_64bits_withSeed(arcs, function->arc_count * sizeof *arcs, hash);
    return hash_lines(flow, hash);
}

static bool have_same_lines(const struct flow *one, const struct flow *other)
{
    const struct an_gcno_line *a = an_gcno_lines(&one->object->gcno, one->function);
    const struct an_gcno_line *b = an_gcno_lines(&other->object->gcno, other->function);
    for (uint32_t i = 0; i < one->function->line_count; i++)
        if (a[i].block != b[i].block || a[i].number != b[i].number ||
            (a[i].file == an_gcno_no_name) != (b[i].file == an_gcno_no_name) ||
            one->sources[i] != other->sources[i])
            return false;
    return true;
}

static bool have_same_arcs(const struct flow *one, const struct flow *other)
{
    const struct an_gcno_arc *a = an_gcno_arcs(&one->object->gcno, one->function);
    const struct an_gcno_arc *b = an_gcno_arcs(&other->object->gcno, other->function);
    for (uint32_t i = 0; i < one->function->arc_count; i++)
        if (a[i].from != b[i].from || a[i].to != b[i].to || a[i].flags != b[i].flags)
            return false;
    return true;
}

static bool have_same_conditions(const struct flow *one, const struct flow *other)
{
    size_t a = one->function->first_condition, b = other->function->first_condition;
    for (uint32_t i = 0; i < one->function->condition_count; i++) {
        const struct an_gcno_condition *own = &one->object->gcno.conditions.items[a + i];
        const struct an_gcno_condition *its = &other->object->gcno.conditions.items[b + i];
        if (own->block != its->block || own->terms != its->terms)
            return false;
    }
    return true;
}

/* Whether two functions of one source are the same, made by the same compiler. */
static bool are_same(const struct flow *one, const struct flow *other)
{
    const struct an_gcno_function *a = one->function, *b = other->function;
    return a->line == b->line && a->column == b->column && a->last_line == b->last_line &&
           a->block_count == b->block_count && a->arc_count == b->arc_count &&
           a->line_count == b->line_count && a->condition_count == b->condition_count &&
           a->path_count == b->path_count && strcmp(a->name, b->name) == 0 &&
           an_gcno_is_clang(&one->object->gcno) == an_gcno_is_clang(&other->object->gcno) &&
           an_gcno_exit(&one->object->gcno, a) == an_gcno_exit(&other->object->gcno, b) &&
           have_same_arcs(one, other) && have_same_lines(one, other) &&
           have_same_conditions(one, other);
}

static bool add_paths(struct an_covered *to, uint32_t to_number, const struct an_covered *from,
                      uint32_t from_number)
{
    const uint64_t *more = from->paths ? from->paths[from_number] : NULL;
    uint32_t words = an_gcno_path_words(&to->gcno.functions.items[to_number]);
    if (!more || words == 0)
        return true;
    uint64_t *paths = an_covered_make_paths(to, to_number);
    for (uint32_t i = 0; paths && i < words; i++)
        paths[i] |= more[i];
    return paths;
}

static bool add_counters(struct an_covered *to, uint32_t to_number, const struct an_covered *from,
                         uint32_t from_number)
{
    if (!from->counters)
        return true;
    if (!an_covered_make_counters(to))
        return false;
    uint64_t *counters = to->counters + to->first_counter[to_number];
    const uint64_t *more = from->counters + from->first_counter[from_number];
    uint32_t count = from->first_counter[from_number + 1] - from->first_counter[from_number];
    for (uint32_t i = 0; i < count; i++)
        counters[i] += more[i];
    const struct an_gcno_function *function = &to->gcno.functions.items[to_number];
    size_t own = 2 * function->first_condition;
    size_t its = 2 * from->gcno.functions.items[from_number].first_condition;
    for (size_t i = 0; i < 2 * (size_t)function->condition_count; i++)
        to->masks[own + i] |= from->masks[its + i];
    return add_paths(to, to_number, from, from_number);
}

/* The last function is another one: its counts are added to those, and it is none any more. */
static bool merge_last(struct an_coverage_build *build, const struct an_coverage_origin *into)
{
    const struct an_coverage_origin last = build->origins.items[build->origins.count - 1];
    struct an_covered *object = &build->objects[last.object];
    if (!object->is_merged)
        object->is_merged =
            an_alloc_zero(object->gcno.functions.count + 1, sizeof *object->is_merged);
    if (!object->is_merged)
        return false;
    object->is_merged[last.number] = true;
    build->origins.count--;
    return add_counters(&build->objects[into->object], into->number, object, last.number);
}

bool an_coverage_merge_same(struct an_coverage_build *build)
{
    size_t number = build->origins.count - 1;
    struct an_coverage_origin *last = &build->origins.items[number];
    struct flow flow = flow_of(build, last);
    bool is_new;
    uint64_t *first = an_map_insert(
        &build->flows, hash_of(&flow, last->source, an_secret_for(&build->flows)), &is_new);
    if (!first)
        return false;
    for (size_t next = (size_t)*first; next; next = build->origins.items[next - 1].next_alike) {
        const struct an_coverage_origin *other = &build->origins.items[next - 1];
        struct flow its = flow_of(build, other);
        if (other->source == last->source && are_same(&flow, &its))
            return merge_last(build, other);
    }
    last->next_alike = (size_t)*first;
    *first = number + 1;
    return true;
}
