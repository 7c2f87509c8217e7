/*
 * gcov-tool overlap: how alike two profiles are, in the words and the order of gcov-tool.
 *
 * It lists the files of the first profile and then those that only the second one has, the last one that was found
 * first. A file with another number of functions in the second profile counts as one that only this profile has,
 * and so does its counterpart.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "gcda_folder.h"
#include "gcov_tool.h"

/* A line of the list: a file of either profile, or of both. */
struct row {
    const char *name;
    const struct an_gcc_overlap_module *module;
    bool in_base, in_test;
};

struct statistics {
    unsigned files[2], unique[2], hot[2], cold[2], zero[2];
    unsigned any_hot, both_cold, both_zero;
    double listed, listed_base, listed_test; /* sums of what was printed */
    double overlap;
};

/* ---- rows ---- */

static enum an_gcc_heat heat_of(const struct row *row, bool of_test)
{
    if (!(of_test ? row->in_test : row->in_base))
        return AN_GCC_ABSENT;
    return of_test ? row->module->test_heat : row->module->base_heat;
}

static bool is_hot(const struct row *row)
{
    return heat_of(row, false) == AN_GCC_HOT || heat_of(row, true) == AN_GCC_HOT;
}

static void count(struct statistics *statistics, const struct row *row)
{
    enum an_gcc_heat heats[] = {heat_of(row, false), heat_of(row, true)};
    for (unsigned i = 0; i < 2; i++) {
        statistics->files[i] += heats[i] != AN_GCC_ABSENT;
        statistics->unique[i] += heats[!i] == AN_GCC_ABSENT;
        statistics->hot[i] += heats[i] == AN_GCC_HOT;
        statistics->cold[i] += heats[i] == AN_GCC_COLD;
        statistics->zero[i] += heats[i] == AN_GCC_ZERO;
    }
    statistics->any_hot += is_hot(row);
    statistics->both_cold += heats[0] == AN_GCC_COLD && heats[1] == AN_GCC_COLD;
    statistics->both_zero += heats[0] == AN_GCC_ZERO && heats[1] == AN_GCC_ZERO;
}

static void print_functions(const struct gcov_tool_request *request, const struct row *row)
{
    for (size_t i = 0; row->in_base && row->in_test && i < row->module->count; i++) {
        const struct an_gcc_overlap_function *function = &row->module->functions[i];
        if (function->has_counts && (!request->only_hot || function->is_hot))
            printf("   \tfunc_id=%10d \toverlap =%6.5f%% (%5.5f%% %5.5f%%)\n", (int)function->ident,
                   function->overlap * 100, function->base_share * 100, function->test_share * 100);
    }
}

static void print_row(const struct gcov_tool_request *request, struct statistics *statistics,
                      const struct row *row)
{
    const char *last = strrchr(row->name, '/');
    const char *name = last && !request->full_names ? last + 1 : row->name;
    const char *here = request->full_names ? "./" : "";
    double overlap = row->in_base && row->in_test ? row->module->overlap : 0;
    double base = row->in_base ? row->module->base_share : 0;
    double test = row->in_test ? row->module->test_share : 0;
    int width = 36 - (int)strlen(here) - (int)strlen(name);
    if (heat_of(row, false) == AN_GCC_ZERO && heat_of(row, true) == AN_GCC_ZERO)
        return;
    if (request->functions) {
        printf("\n   processing %*s%s%s:\n", width > 0 ? width : 0, "", here, name);
        print_functions(request, row);
    }
    statistics->overlap += overlap;
    if (!request->objects || (request->only_hot && !is_hot(row)))
        return;
    printf("   obj=%*s%s%s  overlap = %6.2f%% (%5.2f%% %5.2f%%)\n", width > 0 ? width : 0, "", here,
           name, overlap * 100, base * 100, test * 100);
    statistics->listed += overlap;
    statistics->listed_base += base;
    statistics->listed_test += test;
}

static void print_statistics(const struct gcov_tool_request *request,
                             const struct statistics *statistics)
{
    if (request->objects)
        printf("   SUM:%36s  overlap = %6.2f%% (%5.2f%% %5.2f%%)\n", "", statistics->listed * 100,
               statistics->listed_base * 100, statistics->listed_test * 100);
    printf("  Statistics:\n                    profile1_#     profile2_#       overlap_#\n");
    printf("    gcda files:  %12u\t%12u\t%12u\n", statistics->files[0], statistics->files[1],
           statistics->files[0] - statistics->unique[0]);
    printf("  unique files:  %12u\t%12u\n", statistics->unique[0], statistics->unique[1]);
    printf("     hot files:  %12u\t%12u\t%12u\n", statistics->hot[0], statistics->hot[1],
           statistics->any_hot);
    printf("    cold files:  %12u\t%12u\t%12u\n", statistics->cold[0], statistics->cold[1],
           statistics->both_cold);
    printf("    zero files:  %12u\t%12u\t%12u\n", statistics->zero[0], statistics->zero[1],
           statistics->both_zero);
}

static int print_rows(const struct gcov_tool_request *request, const struct row *rows,
                      size_t number)
{
    struct statistics statistics = {.overlap = 0};
    for (size_t i = 0; i < number; i++)
        count(&statistics, &rows[i]);
    for (size_t i = 0; i < number; i++)
        print_row(request, &statistics, &rows[i]);
    print_statistics(request, &statistics);
    if (statistics.overlap <= 0)
        return EXIT_FAILED;
    printf("\nProgram level overlap result is %3.2f%%\n\n", statistics.overlap * 100);
    return EXIT_DONE;
}

/* ---- the two profiles ---- */

struct comparison {
    struct gcda_folder folders[2];
    struct an_names names; /* of both */
    struct an_gcc_pair *pairs;
    struct an_gcc_overlap *overlap;
    struct row *rows;
    size_t row_count;
};

static bool pair_up(struct comparison *all)
{
    size_t most = all->folders[0].count + all->folders[1].count;
    all->pairs = calloc(most + 1, sizeof *all->pairs);
    all->rows = calloc(most + 1, sizeof *all->rows);
    for (unsigned side = 0; all->pairs && all->rows && side < 2; side++)
        for (size_t i = 0; i < all->folders[side].count; i++) {
            const struct gcda_file *file = &all->folders[side].files[i];
            bool is_new;
            size_t pair = an_names_insert(&all->names, file->name, strlen(file->name), &is_new);
            if (pair == AN_NO_NAME)
                return false;
            *(side ? &all->pairs[pair].test : &all->pairs[pair].base) = file->path;
        }
    return all->pairs && all->rows;
}

static bool do_match(const struct an_gcc_overlap_module *module)
{
    return module->base_heat != AN_GCC_ABSENT && module->test_heat != AN_GCC_ABSENT &&
           module->base_functions == module->test_functions;
}

/* Empty files, of processes that died early, are in no row. */
static void list(struct comparison *all, bool of_test)
{
    const struct gcda_folder *folder = &all->folders[of_test];
    for (size_t i = folder->count; i > 0; i--) {
        const char *name = folder->files[i - 1].name;
        size_t pair = an_names_find(&all->names, name, strlen(name));
        const struct an_gcc_overlap_module *module = &all->overlap->modules[pair];
        bool in_base = module->base_heat != AN_GCC_ABSENT;
        bool in_test = module->test_heat != AN_GCC_ABSENT;
        bool both = do_match(module);
        if (of_test && in_test && !both)
            all->rows[all->row_count++] = (struct row){name, module, false, true};
        if (of_test && in_base && in_test && !both)
            fprintf(stderr, "mismatched profiles in ./%s (%zu functions vs %zu functions)\n", name,
                    module->test_functions, module->base_functions);
        if (!of_test && in_base)
            all->rows[all->row_count++] = (struct row){name, module, true, both};
    }
}

static int compare(const struct gcov_tool_request *request, struct comparison *all)
{
    struct an_error error;
    if (!pair_up(all)) {
        say_error("out of memory");
        return EXIT_FAILED;
    }
    if (an_gcc_overlap(all->pairs, all->names.count, request->hot, &all->overlap, &error) !=
        AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    list(all, false);
    list(all, true);
    return print_rows(request, all->rows, all->row_count);
}

int gcov_tool_overlap(const struct gcov_tool_request *request, char **folders)
{
    struct comparison all = {.row_count = 0};
    int status = EXIT_FAILED;
    bool found = true;
    for (unsigned i = 0; found && i < 2; i++) {
        found = gcda_folder_find(&all.folders[i], folders[i], request->verbose);
        if (found && all.folders[i].count == 0) {
            say_error("%s: no counter files (*.gcda) in this folder", folders[i]);
            found = false;
        }
    }
    if (found)
        status = compare(request, &all);
    an_gcc_overlap_free(all.overlap);
    an_names_free(&all.names);
    gcda_folder_free(&all.folders[0]);
    gcda_folder_free(&all.folders[1]);
    free(all.pairs);
    free(all.rows);
    return status;
}
