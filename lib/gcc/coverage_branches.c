/*
 * Totals of branches; see coverage_build.h. A function may have other code in another object, as #ifdef makes it: branches
 * of a line that has the same ways out in both are the same, and taken if they are in one.
 */
#include "gcc/coverage_build.h"

static void add_branch(struct an_coverage_totals *totals, const struct an_coverage_branch *branch)
{
    if (branch->is_call) {
        totals->calls++;
        totals->calls_executed += branch->block_count != 0;
    } else if (!branch->is_unconditional) {
        totals->branches++;
        totals->branches_executed += branch->block_count != 0;
        totals->branches_taken += branch->count != 0;
    }
}

void an_coverage_add_branches(struct an_coverage_totals *totals,
                              const struct an_coverage_branch *branches, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_branch(totals, &branches[i]);
}

/* ---- functions with several codes ---- */

/* A line of a function, with its branches in any of its codes. */
struct joint {
    uint32_t source;
    size_t next; /* of the same line, with other branches, + 1; 0: there is none */
    size_t first_branch, branch_count;
};

struct joining {
    struct an_map lines; /* by function and number: the last joint, + 1 */
    struct {
        AN_VECTOR(struct joint);
    } joints;
    struct {
        AN_VECTOR(struct an_coverage_branch);
    } branches;
};

static bool has_same_kinds(const struct joining *joining, const struct joint *joint,
                           const struct an_coverage_line *line)
{
    const struct an_coverage_branch *own = joining->branches.items + joint->first_branch;
    bool are_same = joint->branch_count == line->branch_count;
    for (uint32_t i = 0; are_same && i < line->branch_count; i++)
        are_same = own[i].is_call == line->branches[i].is_call &&
                   own[i].is_unconditional == line->branches[i].is_unconditional &&
                   own[i].is_throw == line->branches[i].is_throw;
    return are_same;
}

static bool add_joint(struct joining *joining, const struct an_coverage_line *line, uint32_t source,
                      uint64_t *last)
{
    struct joint *joint = an_vector_push(&joining->joints);
    if (!joint)
        return false;
    *joint = (struct joint){source, (size_t)*last, joining->branches.count, line->branch_count};
    *last = joining->joints.count;
    for (uint32_t i = 0; i < line->branch_count; i++) {
        struct an_coverage_branch *branch = an_vector_push(&joining->branches);
        if (!branch)
            return false;
        *branch = line->branches[i];
    }
    return true;
}

static bool join_line(struct joining *joining, const struct an_coverage_origin *origin,
                      const struct an_coverage_line *line)
{
    bool is_new;
    uint64_t *last =
        an_map_insert(&joining->lines, (uint64_t)origin->clone << 32 | line->number, &is_new);
    if (!last)
        return false;
    for (size_t next = (size_t)*last; next; next = joining->joints.items[next - 1].next) {
        const struct joint *joint = &joining->joints.items[next - 1];
        if (!has_same_kinds(joining, joint, line))
            continue;
        struct an_coverage_branch *own = joining->branches.items + joint->first_branch;
        for (uint32_t i = 0; i < line->branch_count; i++) {
            own[i].count |= line->branches[i].count;
            own[i].block_count |= line->branches[i].block_count;
        }
        return true;
    }
    return add_joint(joining, line, origin->source, last);
}

static bool join(struct joining *joining, const struct an_coverage_build *build, size_t number)
{
    const struct an_coverage_function *function = &build->functions[number];
    bool done = true;
    for (size_t i = 0; done && i < function->line_count; i++)
        if (function->lines[i].branch_count)
            done = join_line(joining, &build->origins.items[number], &function->lines[i]);
    return done;
}

/* Whether a function has other code in another object, for each clone. */
static bool *find_several(const struct an_coverage_build *build)
{
    bool *several = an_alloc_zero(build->clone_count + 1, sizeof *several);
    bool *is_known = an_alloc_zero(build->clone_count + 1, sizeof *is_known);
    for (size_t i = 0; several && is_known && i < build->origins.count; i++) {
        size_t clone = build->origins.items[i].clone;
        several[clone] |= is_known[clone];
        is_known[clone] = true;
    }
    if (!is_known) {
        free(several);
        several = NULL;
    }
    free(is_known);
    return several;
}

static bool add_all(struct joining *joining, const struct an_coverage_build *build,
                    const bool *several, struct an_coverage_source *sources)
{
    bool done = true;
    for (size_t i = 0; done && i < build->origins.count; i++) {
        const struct an_coverage_origin *origin = &build->origins.items[i];
        const struct an_coverage_function *function = &build->functions[i];
        if (several[origin->clone])
            done = join(joining, build, i);
        for (size_t k = 0; !several[origin->clone] && k < function->line_count; k++)
            an_coverage_add_branches(&sources[origin->source].totals, function->lines[k].branches,
                                     function->lines[k].branch_count);
    }
    for (size_t i = 0; done && i < joining->joints.count; i++) {
        const struct joint *joint = &joining->joints.items[i];
        an_coverage_add_branches(&sources[joint->source].totals,
                                 joining->branches.items + joint->first_branch,
                                 joint->branch_count);
    }
    return done;
}

bool an_coverage_add_instances_branches(const struct an_coverage_build *build,
                                        struct an_coverage_source *sources)
{
    struct joining joining = {.joints = {0}};
    bool *several = find_several(build);
    bool done = several && add_all(&joining, build, several, sources);
    free(several);
    an_map_free(&joining.lines);
    an_vector_free(&joining.joints);
    an_vector_free(&joining.branches);
    return done;
}
