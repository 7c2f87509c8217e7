/* What both forms of coverage for other programs have of a source; see export.h. */
#include "report/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* A line of the source (group 0) or of an instance; those of one function with several codes are one group. */
struct piece {
    uint32_t number;
    size_t group, order;
    const struct an_coverage_line *line;
    size_t branches; /* where they were put; SIZE_MAX: they are those of another piece */
};

struct pieces {
    AN_VECTOR(struct piece);
};

size_t an_export_folder(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) : 0;
}

enum an_code an_export_flush(struct an_export *export, struct an_error *error)
{
    enum an_code code = export->text.failed
                            ? an_fail_memory(error)
                            : export->options->write(export->options->context, export->text.data,
                                                     export->text.size, error);
    export->text.size = 0;
    return code;
}

static bool add_pieces(struct pieces *pieces, const struct an_coverage_line *lines, size_t count,
                       size_t group)
{
    for (size_t i = 0; i < count; i++) {
        if (!lines[i].exists || lines[i].branch_count == 0)
            continue;
        struct piece *piece = an_vector_push(pieces);
        if (!piece)
            return false;
        *piece = (struct piece){lines[i].number, group, pieces->count, &lines[i], SIZE_MAX};
    }
    return true;
}

/* Functions of one name on one line are the codes of one; they are told by its first. */
static bool add_instances(struct pieces *pieces, const struct an_coverage_source *source)
{
    struct an_names names = {0};
    size_t *first = an_alloc_zero(source->function_count + 1, sizeof *first), number;
    bool done = first != NULL, is_new;
    for (size_t i = 0; done && i < source->function_count; i++) {
        const struct an_coverage_function *function = &source->functions[i];
        if (!function->is_instance)
            continue;
        number = an_names_insert(&names, function->name, strlen(function->name), &is_new);
        done = number != AN_NO_NAME;
        if (done && (is_new || source->functions[first[number]].line != function->line))
            first[number] = i;
        done = done && add_pieces(pieces, function->lines, function->line_count, first[number] + 1);
    }
    an_names_free(&names);
    free(first);
    return done;
}

static int compare_pieces(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static bool has_kinds(const struct an_export_branch *branches, const struct an_coverage_line *line)
{
    for (uint32_t i = 0; i < line->branch_count; i++)
        if (branches[i].is_call != line->branches[i].is_call ||
            branches[i].is_plain != line->branches[i].is_unconditional ||
            branches[i].is_throw != line->branches[i].is_throw)
            return false;
    return true;
}

static void add_counts(struct an_export_branch *branches, const struct an_coverage_line *line)
{
    for (uint32_t i = 0; i < line->branch_count; i++) {
        branches[i].count += an_export_count(line->branches[i].count);
        branches[i].ran |= line->branches[i].block_count != 0;
    }
}

static bool add_branches(struct an_export_source *taken, const struct an_coverage_line *line)
{
    for (uint32_t i = 0; i < line->branch_count; i++) {
        const struct an_coverage_branch *branch = &line->branches[i];
        struct an_export_branch *added = an_vector_push(&taken->branches);
        if (!added)
            return false;
        *added = (struct an_export_branch){.count = an_export_count(branch->count),
                                           .ran = branch->block_count != 0,
                                           .is_call = branch->is_call,
                                           .is_plain = branch->is_unconditional,
                                           .is_throw = branch->is_throw};
    }
    return true;
}

/* Pieces of one group and line; ways out that are the same in several are one. */
static bool join(struct an_export_source *taken, struct piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct an_coverage_line *line = pieces[i].line;
        size_t k = 0;
        while (k < i && (pieces[k].branches == SIZE_MAX ||
                         pieces[k].line->branch_count != line->branch_count ||
                         !has_kinds(taken->branches.items + pieces[k].branches, line)))
            k++;
        if (k < i) {
            add_counts(taken->branches.items + pieces[k].branches, line);
            continue;
        }
        pieces[i].branches = taken->branches.count;
        if (!add_branches(taken, line))
            return false;
    }
    return true;
}

/* Leaves those that are decisions. */
static void drop_others(struct an_export_source *taken, struct an_export_line *line)
{
    size_t kept = line->first_branch;
    for (size_t i = line->first_branch; i < taken->branches.count; i++)
        if (!taken->branches.items[i].is_call && !taken->branches.items[i].is_plain)
            taken->branches.items[kept++] = taken->branches.items[i];
    taken->branches.count = kept;
    line->branch_count = kept - line->first_branch;
}

static bool add_line(struct an_export_source *taken, const struct an_coverage_line *line,
                     const struct pieces *pieces, size_t *next)
{
    struct an_export_line *added = an_vector_push(&taken->lines);
    if (!added)
        return false;
    *added = (struct an_export_line){.number = line->number,
                                     .count = an_export_count(line->count),
                                     .first_branch = taken->branches.count};
    while (*next < pieces->count && pieces->items[*next].number <= line->number) {
        struct piece *first = &pieces->items[*next];
        size_t count = 1;
        while (*next + count < pieces->count && first[count].number == first->number &&
               first[count].group == first->group)
            count++;
        if (!join(taken, first, count))
            return false;
        *next += count;
    }
    drop_others(taken, added);
    return true;
}

bool an_export_take(struct an_export *export, const struct an_coverage_source *source)
{
    struct an_export_source *taken = &export->source;
    struct pieces pieces = {0};
    size_t next = 0;
    taken->source = source;
    taken->lines.count = taken->branches.count = 0;
    bool done =
        add_pieces(&pieces, source->lines, source->line_count, 0) && add_instances(&pieces, source);
    if (done && pieces.count)
        qsort(pieces.items, pieces.count, sizeof *pieces.items, compare_pieces);
    for (size_t i = 0; done && i < source->line_count; i++)
        if (source->lines[i].exists)
            done = add_line(taken, &source->lines[i], &pieces, &next);
    an_vector_free(&pieces);
    return done;
}
