/* anneal show for BOLT's YAML profiles: for people; yaml_show_json.c has the other half. */
#include "yaml_show.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/percent.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "family.h"
#include "yaml_view.h"

/* ---- functions ---- */

static void print_count(uint64_t count, uint64_t mispreds)
{
    printf("  %14s  %5.1f%%  ", with_commas(count), an_percent(mispreds, count, 1));
}

static bool index_functions(struct yaml_view *view)
{
    const struct an_yaml_function *function;
    for (size_t i = 0; (function = an_yaml_profile_function(view->profile, i)); i++) {
        bool is_new;
        uint64_t *index = an_map_insert(&view->indices, function->id, &is_new);
        if (!index)
            return false;
        *index = i;
    }
    return true;
}

/* A function by its name, if it is in the profile. */
static void print_callee(const struct yaml_view *view, const struct an_yaml_call *call)
{
    const uint64_t *index = an_map_find(&view->indices, call->function);
    const struct an_yaml_function *function =
        index ? an_yaml_profile_function(view->profile, (size_t)*index) : NULL;
    if (function)
        printf("%s", function->name.text);
    else
        printf("function %u", call->function);
    if (call->entry)
        printf(", entry %u", call->entry);
    printf("\n");
}

static void print_block(const struct yaml_view *view, const struct an_yaml_block *block)
{
    printf("  block %u, %u instruction%s", block->number, block->instructions,
           plural(block->instructions));
    if (block->executed)
        printf(", entered %s time%s", with_commas(block->executed), plural(block->executed));
    if (block->events)
        printf(", %s sample%s", with_commas(block->events), plural(block->events));
    printf("\n");
    for (size_t i = 0; i < block->call_count; i++) {
        print_count(block->calls[i].count, block->calls[i].mispreds);
        printf("+0x%x calls ", block->calls[i].offset);
        print_callee(view, &block->calls[i]);
    }
    for (size_t i = 0; i < block->successor_count; i++) {
        print_count(block->successors[i].count, block->successors[i].mispreds);
        printf("-> block %u\n", block->successors[i].block);
    }
}

static void print_function(const struct yaml_view *view, const struct yaml_line *line)
{
    const struct an_yaml_function *function = line->function;
    printf("%s\n  entered %s times, total count %s, %.1f%% mispredicted; %zu of %u block%s\n",
           function->name.text, with_commas(function->executed), with_commas(line->count),
           an_percent(line->mispreds, line->count, 1), function->block_count,
           function->block_number, plural(function->block_number));
    for (size_t i = 0; view->request->counts && i < function->block_count; i++)
        print_block(view, &function->blocks[i]);
}

static void print_functions(struct yaml_view *view)
{
    bool any = false;
    yaml_sort_by_name(view->lines, view->info->functions);
    for (size_t i = 0; i < view->info->functions; i++)
        if (yaml_selected(view, view->lines[i].function)) {
            print_function(view, &view->lines[i]);
            any = true;
        }
    if (any)
        printf("\n");
}

/* ---- the whole ---- */

static const char *kind_of(const struct an_yaml_header *header)
{
    return header->flags & AN_YAML_LBR      ? "branch records (lbr)"
           : header->flags & AN_YAML_SAMPLE ? "samples without branch records (sample)"
                                            : "of no kind";
}

static void print_header(const struct yaml_view *view)
{
    const struct an_yaml_info *info = view->info;
    const struct an_yaml_header *header = &info->header;
    printf("%s: BOLT profile (YAML), %s, %s\n", input_name(view->path), kind_of(header),
           as_size(view->bytes));
    printf("of %s",
           header->binary_name.length ? header->binary_name.text : "a binary without a name");
    printf(header->build_id.length ? ", build id %s\n" : "\n", header->build_id.text);
    if (header->origin.length)
        printf("made by %s\n", header->origin.text);
    if (header->events.length)
        printf("events %s\n", header->events.text);
    bool is_old = header->hash == AN_YAML_STD_HASH;
    printf("blocks are numbered %s, and hashed by %s%s%s\n",
           header->dfs_order ? "depth-first (dfs-order)" : "by address",
           is_old ? "the standard library of C++ (" : "", an_yaml_hash_name(header->hash),
           is_old ? ")" : "");
    printf("%s function%s, %s of them with counts, in %s block%s: %s branches, %s calls",
           with_commas(info->functions), plural(info->functions), with_commas(info->counted),
           with_commas(info->blocks), plural(info->blocks), with_commas(info->branches),
           with_commas(info->calls));
    if (info->events)
        printf(", %s samples", with_commas(info->events));
    printf("; %s mispredicted (%.2f%%)\n", with_commas(info->mispreds),
           an_percent(info->mispreds, info->total_count, 2));
    if (info->has_probes)
        printf("it has pseudo probes, which are not shown\n");
}

static void print_hot(struct yaml_view *view)
{
    yaml_sort_by_count(view->lines, view->info->functions);
    printf("\n%14s  %7s  %12s  %8s  function\n", "count", "share", "mispredicted", "entries");
    for (size_t i = 0; i < view->info->functions && i < view->request->top; i++) {
        const struct yaml_line *line = &view->lines[i];
        printf("%14s  %6.2f%%  %11.2f%%  %8s  %s\n", with_commas(line->count),
               an_percent(line->count, view->info->total_count, 2),
               an_percent(line->mispreds, line->count, 2), with_commas(line->function->executed),
               line->function->name.text);
    }
}

static void print_all(struct yaml_view *view)
{
    if (view->request->json) {
        yaml_print_json(view);
        return;
    }
    if (view->request->all || view->request->function)
        print_functions(view);
    print_header(view);
    if (view->request->top && view->info->functions)
        print_hot(view);
}

int yaml_show_run(const struct show_request *request, const struct inputs *inputs)
{
    struct yaml_view view = {.request = request, .path = inputs->items[0].path};
    int status = EXIT_FAILED;
    if (showing_refuses_options(request, &family_yaml))
        return EXIT_USAGE;
    struct an_yaml_profile *profile = yaml_open(view.path, &view.bytes);
    if (!profile)
        return EXIT_FAILED;
    view.profile = profile;
    view.info = an_yaml_profile_info(profile);
    view.lines = yaml_lines(profile);
    if (view.lines && !index_functions(&view)) {
        say_error("out of memory");
    } else if (view.lines && redirect_start(request->output)) {
        print_all(&view);
        status = redirect_finish(true) ? EXIT_DONE : EXIT_FAILED;
    }
    an_map_free(&view.indices);
    free(view.lines);
    an_yaml_profile_free(profile);
    return status;
}
