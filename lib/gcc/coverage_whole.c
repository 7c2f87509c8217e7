/*
 * Which functions are one, though each has code of its own: what #ifdef made of it in several objects, and the clones of
 * a constructor or destructor. See coverage_build.h.
 *
 * Names of clones differ for the linker only. One may call another one, so that nobody knows how often the function was
 * called: the most that a clone was is said. Codes in several objects do not call each other: these are added up.
 */
#include "gcc/coverage_build.h"

/* Numbers for (name, source, line). */
struct numbers {
    struct an_names names;
    struct an_map places, lines;
    size_t count;
};

static void free_numbers(struct numbers *numbers)
{
    an_names_free(&numbers->names);
    an_map_free(&numbers->places);
    an_map_free(&numbers->lines);
}

/* Numbers from 0 on, in the order in which they come; SIZE_MAX when memory runs out. */
static size_t number_of(struct numbers *numbers, const char *name, uint32_t source, uint32_t line)
{
    bool is_new;
    size_t named = an_names_insert(&numbers->names, name, strlen(name), &is_new);
    if (named == AN_NO_NAME)
        return SIZE_MAX;
    uint64_t *place = an_map_insert(&numbers->places, (uint64_t)named << 32 | source, &is_new);
    if (place && is_new)
        *place = numbers->places.used;
    uint64_t *number = place ? an_map_insert(&numbers->lines, *place << 32 | line, &is_new) : NULL;
    if (number && is_new)
        *number = numbers->count++;
    return number ? (size_t)*number : SIZE_MAX;
}

static bool number_functions(struct an_coverage_build *build, struct numbers *clones,
                             struct numbers *wholes)
{
    for (size_t i = 0; i < build->origins.count; i++) {
        struct an_coverage_origin *origin = &build->origins.items[i];
        const struct an_coverage_function *function = &build->functions[i];
        origin->clone = number_of(clones, function->name, origin->source, function->line);
        origin->whole = number_of(wholes, origin->called, origin->source, function->line);
        if (origin->clone == SIZE_MAX || origin->whole == SIZE_MAX)
            return false;
    }
    return true;
}

static void add_up(struct an_coverage_whole *to, const struct an_coverage_function *function)
{
    to->count = (int64_t)((uint64_t)to->count + (uint64_t)function->count);
    to->blocks += function->blocks;
    to->blocks_executed += function->blocks_executed;
}

/* Of clones, the greatest of each. */
static void take_greater(struct an_coverage_whole *to, const struct an_coverage_whole *clone)
{
    if (clone->count > to->count)
        to->count = clone->count;
    if (to->blocks == 0 || clone->blocks_executed > to->blocks_executed) {
        to->blocks = clone->blocks;
        to->blocks_executed = clone->blocks_executed;
    }
}

static bool sum_up(struct an_coverage_build *build, size_t clones, size_t wholes)
{
    struct an_coverage_whole *of_clones = an_alloc_zero(clones + 1, sizeof *of_clones);
    build->wholes = an_arena_zero(&build->arena, wholes + 1, sizeof *build->wholes);
    build->whole_count = wholes;
    build->clone_count = clones;
    bool done = of_clones && build->wholes;
    for (size_t i = 0; done && i < build->origins.count; i++)
        add_up(&of_clones[build->origins.items[i].clone], &build->functions[i]);
    for (size_t i = 0; done && i < build->origins.count; i++)
        take_greater(&build->wholes[build->origins.items[i].whole],
                     &of_clones[build->origins.items[i].clone]);
    free(of_clones);
    return done;
}

bool an_coverage_find_wholes(struct an_coverage_build *build)
{
    struct numbers clones = {.count = 0}, wholes = {.count = 0};
    bool done =
        number_functions(build, &clones, &wholes) && sum_up(build, clones.count, wholes.count);
    free_numbers(&clones);
    free_numbers(&wholes);
    return done;
}
