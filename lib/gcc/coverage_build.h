/*
 * Making the coverage of objects:
 *
 *     objects, loaded ──► sources and functions ──► a place for each line ──► lines get their blocks
 *     (covered.h)         (coverage_places.c),                                (coverage_blocks.c)
 *                         those of several objects
 *                         as one (coverage_same.c)           ──► counts, totals (coverage_lines.c)
 *                                                                by gcov up to 7 (coverage_old.c)
 *                                                            ──► functions (coverage_whole.c)
 *                                                            ──► prime paths (coverage_paths.c)
 *
 * Lines of sources and of instances stand in one array: a source has those from its first place on, and so
 * has an instance.
 */
#ifndef AN_GCC_COVERAGE_BUILD_H
#define AN_GCC_COVERAGE_BUILD_H

#include "gcc/covered.h"
#include "gcc/sources.h"

#define AN_COVERAGE_NO_LINE UINT32_MAX

/* More lines are refused than a million, and so many for each byte of the files: they can claim any. */
enum { AN_COVERAGE_FREE_LINES = 1 << 20, AN_COVERAGE_LINES_PER_BYTE = 64 };

/* A function that the compiler did not make up. */
struct an_coverage_origin {
    uint32_t object, number; /* of its gcno's functions */
    uint32_t source;
    uint32_t last_line;  /* as the gcno has it, or where its last line is */
    uint32_t first_line; /* of an instance: the place of its first line */
    bool is_instance;
    size_t next_alike;   /* one whose flow may be the same, + 1; 0: there is none */
    const char *called;  /* in the source: clones of a constructor have one name */
    size_t clone, whole; /* numbers; whole: in build->wholes */
};

/*
 * A block that ends in a line. To LLVM, a line has all blocks that have it, and not only those that end in it; to what
 * clang made, its rule applies (but not as_gcov).
 */
struct an_coverage_end {
    uint32_t line; /* its place */
    uint32_t object, block;
    bool is_passed; /* the block goes on to other lines, which tell its ways out */
};

/* Lines of a source. */
struct an_coverage_range {
    uint32_t first, count;
};

struct an_coverage_build {
    struct an_coverage coverage; /* what the caller sees; the first member */
    struct an_arena arena;
    const struct an_coverage_options *options;
    struct an_covered *objects;
    size_t object_count;
    struct an_source_names sources;
    struct {
        AN_VECTOR(struct an_coverage_range);
    } ranges;                /* of each source */
    uint32_t **line_sources; /* of each object: the source of each line of its gcno */
    struct {
        AN_VECTOR(struct an_coverage_origin);
    } origins;                              /* of each function */
    struct an_coverage_function *functions; /* likewise; sorted for the caller later */
    struct an_map flows;                    /* by a hash of their flow: the last function, + 1 */
    struct an_coverage_whole *wholes;
    size_t whole_count, clone_count;
    struct an_coverage_line *lines;
    uint32_t line_count, most_lines;
    struct {
        AN_VECTOR(struct an_coverage_end);
    } ends;
    /* Of each source, branches as gcov up to 7 adds them up when it shows blocks: those that lead to a block of the
     * source. NULL: there are none. */
    struct an_coverage_totals *entering;
    struct an_coverage_block *blocks; /* of all lines in turn */
    struct an_coverage_branch *branches;
    struct an_coverage_condition *conditions; /* of all objects in turn */
    uint32_t **block_conditions; /* of each object: that of each block, + 1; 0 or NULL: none */
};

/* Each returns AN_OK, or an error that was filled in. */
enum an_code an_coverage_find_places(struct an_coverage_build *build, struct an_error *error);
enum an_code an_coverage_find_ends(struct an_coverage_build *build, struct an_error *error);
enum an_code an_coverage_count_lines(struct an_coverage_build *build, struct an_error *error);

/* Finds what blocks decide conditions (coverage_conditions.c). */
enum an_code an_coverage_find_conditions(struct an_coverage_build *build, struct an_error *error);

/* If the last function is one that is there already, adds its counters to those. False when memory runs out. */
bool an_coverage_merge_same(struct an_coverage_build *build);

/* Finds what is one function of the source, and its sums. False when memory runs out. */
bool an_coverage_find_wholes(struct an_coverage_build *build);

/* Finds prime paths, if they are asked for, and adds them to totals (coverage_paths.c). */
enum an_code an_coverage_find_paths(struct an_coverage_build *build, struct an_error *error);

/*
 * Gives the blocks of a function to lines as gcov up to 7 does, and adds up branches (coverage_old.c). `lasts` has the place
 * of each block's last line, or AN_COVERAGE_NO_LINE. False when memory runs out.
 */
bool an_coverage_find_old_ends(struct an_coverage_build *build,
                               const struct an_coverage_origin *origin,
                               struct an_coverage_function *counted, const uint32_t *lasts);

/* Adds branches to totals (coverage_branches.c). */
void an_coverage_add_branches(struct an_coverage_totals *totals,
                              const struct an_coverage_branch *branches, size_t count);

/* Adds the outcomes of a condition's terms to totals (coverage_conditions.c). */
void an_coverage_add_outcomes(struct an_coverage_totals *totals,
                              const struct an_coverage_condition *condition);

/* Adds the branches of instances to the totals of their sources. False when memory runs out (likewise). */
bool an_coverage_add_instances_branches(const struct an_coverage_build *build,
                                        struct an_coverage_source *sources);

/* A count for the caller: nothing runs less than never, whatever was lost, but gcov says so. */
static inline int64_t an_coverage_count(const struct an_coverage_build *build, int64_t count)
{
    return count < 0 && !build->options->as_gcov ? 0 : count;
}

/* Whether gcov up to 7 speaks for an object. */
static inline bool an_coverage_is_old(const struct an_coverage_build *build,
                                      const struct an_covered *object)
{
    return build->options->as_gcov && object->release < 8;
}

/* Whether instances count once more, as from gcov 13 on. */
static inline bool an_coverage_counts_instances(const struct an_coverage_build *build,
                                                const struct an_coverage_origin *origin)
{
    return build->options->as_gcov && build->objects[origin->object].release >= 13;
}

/* The lines of a function that is an instance. */
static inline struct an_coverage_range an_coverage_instance(const struct an_coverage_build *build,
                                                            const struct an_coverage_origin *origin)
{
    const struct an_gcno_function *function =
        &build->objects[origin->object].gcno.functions.items[origin->number];
    return (struct an_coverage_range){origin->first_line, origin->last_line - function->line + 1};
}

#endif
