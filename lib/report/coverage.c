/* A report of coverage: what the pages are to show, made of the lines of sources; see anneal/report.h. */
#include <anneal/report.h>

#include <stdio.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/map.h"
#include "base/options.h"
#include "report/assets.h"
#include "report/page_names.h"
#include "report/pages.h"

struct work {
    const struct an_coverage *coverage;
    const struct an_report_options *options;
    struct an_report_site site;
    const struct an_coverage_source **sources; /* by path, as the site's entries */
    struct an_report_text text;
    struct an_buffer page, functions;
    uint64_t function_count;
    struct an_page_names names;
    struct an_map drawn; /* of a source: instances by a hash of their lines */
    struct an_arena arena;
};

/* ---- what all pages have in common ---- */

static int compare_sources(const void *left, const void *right)
{
    const struct an_coverage_source *const *a = left, *const *b = right;
    int order = strcmp((*a)->name, (*b)->name);
    return order ? order : (*a > *b) - (*a < *b);
}

/* Length of the folder that all paths begin in. */
static size_t common_folder(const struct work *work)
{
    const char *first = work->sources[0]->name;
    const char *last = work->sources[work->site.entry_count - 1]->name;
    size_t length = 0;
    for (size_t i = 0; first[i] && first[i] == last[i]; i++)
        if (first[i] == '/')
            length = i + 1;
    return first[length] && last[length] ? length : 0;
}

static void set_shares(struct an_report_share *shares, const struct an_coverage_totals *totals)
{
    shares[0] = (struct an_report_share){totals->lines_executed, totals->lines};
    shares[1] = (struct an_report_share){totals->branches_taken, totals->branches};
    shares[2] = (struct an_report_share){totals->functions_executed, totals->functions};
}

/* What was lost when threads counted at the same time may leave less than nothing. */
static uint64_t shown(int64_t count)
{
    return count > 0 ? (uint64_t)count : 0;
}

/* Of the lines that are shown, that is, with the counts of all functions that are made of them. */
static uint64_t greatest_of(const struct an_coverage_source *source)
{
    int64_t greatest = 0;
    for (size_t i = 0; i < source->line_count; i++)
        if (source->lines[i].exists && source->lines[i].count > greatest)
            greatest = source->lines[i].count;
    for (size_t i = 0; i < source->function_count; i++)
        for (size_t k = 0; k < source->functions[i].line_count; k++)
            if (source->functions[i].lines[k].count > greatest)
                greatest = source->functions[i].lines[k].count;
    return (uint64_t)greatest;
}

static bool set_entry(struct work *work, size_t index, size_t root)
{
    const struct an_coverage_source *source = work->sources[index];
    struct an_report_entry *entry = &work->site.entries[index];
    entry->path = source->name + root;
    entry->page = an_page_name(&work->names, entry->path);
    entry->greatest = greatest_of(source);
    set_shares(entry->shares, &source->totals);
    if (entry->greatest > work->site.greatest)
        work->site.greatest = entry->greatest;
    return entry->page;
}

static bool set_entries(struct work *work)
{
    const struct an_coverage *coverage = work->coverage;
    size_t count = coverage->source_count;
    work->names.arena = &work->arena;
    work->sources = an_arena_alloc(&work->arena, count, sizeof *work->sources);
    work->site.entries = an_arena_zero(&work->arena, count, sizeof *work->site.entries);
    work->site.entry_count = count;
    work->site.root = "";
    if (count == 0)
        return true;
    if (!work->sources || !work->site.entries)
        return false;
    for (size_t i = 0; i < count; i++)
        work->sources[i] = &coverage->sources[i];
    qsort(work->sources, count, sizeof *work->sources, compare_sources);
    size_t root = common_folder(work);
    work->site.root = an_arena_copy(&work->arena, work->sources[0]->name, root);
    for (size_t i = 0; i < count; i++)
        if (!set_entry(work, i, root))
            return false;
    return work->site.root;
}

static bool set_site(struct work *work)
{
    const char *title = work->options->title;
    work->site.title = title ? title : "Coverage";
    work->site.made = work->options->made;
    work->site.runs = work->coverage->runs;
    work->site.measures[0] = "Lines";
    work->site.measures[1] = "Branches";
    work->site.measures[2] = "Functions";
    set_shares(work->site.totals, &work->coverage->totals);
    return set_entries(work);
}

/* ---- lines ---- */

/*
 * Almost every call of C++ could throw, and so is a branch that nobody wrote. The ways out of a block
 * that did not throw are not shown, though they are among the totals.
 */
static bool is_of_idle_throw(const struct an_coverage_line *line, size_t index)
{
    const struct an_coverage_branch *branches = line->branches;
    size_t first = index, end = index;
    while (first > 0 && branches[first - 1].block == branches[index].block)
        first--;
    for (end = first; end < line->branch_count && branches[end].block == branches[index].block;
         end++)
        if (branches[end].is_throw && branches[end].count == 0)
            return true;
    return false;
}

static bool is_shown(const struct an_coverage_line *line, size_t index)
{
    const struct an_coverage_branch *branch = &line->branches[index];
    return !branch->is_call && !branch->is_unconditional && !is_of_idle_throw(line, index);
}

static bool add_marks(struct an_report_text *text, const struct an_coverage_line *line,
                      struct an_report_line *to)
{
    to->first_mark = text->marks.count;
    for (size_t i = 0; line->count && i < line->branch_count; i++) {
        const struct an_coverage_branch *branch = &line->branches[i];
        if (!is_shown(line, i))
            continue;
        struct an_report_mark *mark = an_vector_push(&text->marks);
        if (!mark)
            return false;
        *mark = (struct an_report_mark){shown(branch->count), shown(branch->block_count), NULL};
        mark->note = branch->is_throw ? "throws" : branch->is_fall_through ? "falls through" : NULL;
        if (branch->count == 0)
            to->state = AN_REPORT_PARTLY;
    }
    to->mark_count = text->marks.count - to->first_mark;
    return true;
}

static enum an_report_state state_of(const struct an_coverage_line *line)
{
    if (line->count == 0)
        return line->is_exceptional ? AN_REPORT_NEVER_THROWN : AN_REPORT_NEVER;
    return line->has_unexecuted_block ? AN_REPORT_PARTLY : AN_REPORT_RAN;
}

/* to: a new line of the text, or of its instances. */
static bool add_line(struct an_report_text *text, const struct an_coverage_line *line,
                     struct an_report_line *to)
{
    if (!to)
        return false;
    *to = (struct an_report_line){
        .count = shown(line->count), .number = line->number, .state = state_of(line)};
    return add_marks(text, line, to);
}

static bool add_lines(struct an_report_text *text, const struct an_coverage_source *source)
{
    for (size_t i = 1; i < source->line_count; i++)
        if (source->lines[i].exists &&
            !add_line(text, &source->lines[i], an_vector_push(&text->lines)))
            return false;
    return true;
}

/* ---- functions ---- */

static void describe(struct an_report_function *entry, const struct an_coverage_function *function)
{
    const struct an_coverage_whole alone = {function->count, function->blocks,
                                            function->blocks_executed};
    const struct an_coverage_whole *whole = function->whole ? function->whole : &alone;
    *entry = (struct an_report_function){
        .name = function->demangled,
        .line = function->line,
        .count = shown(whole->count),
        .share = {whole->blocks_executed, whole->blocks},
        .instance = AN_REPORT_NO_INSTANCE,
    };
}

static bool are_alike(const struct an_report_text *text, const struct an_report_instance *one,
                      const struct an_report_instance *other)
{
    const struct an_report_line *a = text->instance_lines.items + one->first;
    const struct an_report_line *b = text->instance_lines.items + other->first;
    bool are = one->first_line == other->first_line && one->last_line == other->last_line &&
               one->count == other->count;
    for (size_t i = 0; are && i < one->count; i++) {
        are = a[i].number == b[i].number && a[i].count == b[i].count && a[i].state == b[i].state &&
              a[i].mark_count == b[i].mark_count;
        for (size_t k = 0; are && k < a[i].mark_count; k++) {
            const struct an_report_mark *mark = &text->marks.items[a[i].first_mark + k];
            const struct an_report_mark *its = &text->marks.items[b[i].first_mark + k];
            are = mark->part == its->part && mark->whole == its->whole && mark->note == its->note;
        }
    }
    return are;
}

static uint64_t hash_of(const struct an_report_text *text,
                        const struct an_report_instance *instance)
{
    uint64_t words[] = {instance->first_line, instance->last_line, instance->count};
    uint64_t hash = XXH3_64bits(words, sizeof words);
    for (size_t i = 0; i < instance->count; i++) {
        const struct an_report_line *line = &text->instance_lines.items[instance->first + i];
        const uint64_t of_line[] = {line->number, line->count, line->state, line->mark_count};
        hash = XXH3_64bits_withSeed(of_line, sizeof of_line, hash);
    }
    return hash;
}

/* Most instances of templates never ran, or ran like others: lines that are the same are drawn once. */
static bool find_alike(struct work *work, struct an_report_instance *instance)
{
    struct an_report_text *text = &work->text;
    bool is_new;
    uint64_t *known = an_map_insert(&work->drawn, hash_of(text, instance), &is_new);
    if (!known)
        return false;
    if (is_new)
        *known = instance->order;
    else if (are_alike(text, instance, &text->instances.items[*known]))
        instance->alike = (size_t)*known + 1;
    if (instance->alike) {
        text->instance_lines.count = instance->first;
        instance->count = 0;
    }
    return true;
}

static bool add_instance(struct work *work, const struct an_coverage_function *function)
{
    struct an_report_text *text = &work->text;
    struct an_report_instance *instance = an_vector_push(&text->instances);
    if (!instance)
        return false;
    *instance = (struct an_report_instance){
        .name = function->demangled,
        .calls = shown(function->count),
        .share = {function->blocks_executed, function->blocks},
        .order = text->instances.count - 1,
        .function = function->is_repeated ? AN_REPORT_NO_FUNCTION : text->functions.count - 1,
        .first_line = function->line,
        .last_line = function->last_line,
        .first = text->instance_lines.count};
    for (size_t i = 0; i < function->line_count; i++) {
        const struct an_coverage_line *line = &function->lines[i];
        bool is_in = line->number >= function->line && line->number <= function->last_line;
        if (line->exists && is_in && !add_line(text, line, an_vector_push(&text->instance_lines)))
            return false;
    }
    instance->count = text->instance_lines.count - instance->first;
    return find_alike(work, instance);
}

static bool add_functions(struct work *work, const struct an_coverage_source *source)
{
    struct an_report_text *text = &work->text;
    for (size_t i = 0; i < source->function_count; i++) {
        const struct an_coverage_function *function = &source->functions[i];
        struct an_report_function *entry =
            function->is_repeated ? NULL : an_vector_push(&text->functions);
        if (!entry && !function->is_repeated)
            return false;
        if (entry)
            describe(entry, function);
        if (function->is_instance && !add_instance(work, function))
            return false;
    }
    return true;
}

/* Those of the same lines together, where their lines end. */
static int compare_instances(const void *left, const void *right)
{
    const struct an_report_instance *a = left, *b = right;
    if (a->last_line != b->last_line)
        return a->last_line < b->last_line ? -1 : 1;
    if (a->first_line != b->first_line)
        return a->first_line < b->first_line ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static bool sort_instances(struct an_report_text *text)
{
    size_t count = text->instances.count;
    size_t *places = count ? an_alloc(count, sizeof *places) : NULL;
    if (!places)
        return count == 0;
    qsort(text->instances.items, count, sizeof *text->instances.items, compare_instances);
    for (size_t i = 0; i < count; i++) {
        struct an_report_instance *instance = &text->instances.items[i];
        places[instance->order] = i;
        if (instance->alike)
            instance->alike = places[instance->alike - 1] + 1;
        if (instance->function != AN_REPORT_NO_FUNCTION)
            text->functions.items[instance->function].instance = i;
    }
    free(places);
    return true;
}

/* ---- pages ---- */

static void find_text(struct work *work, const struct an_coverage_source *source)
{
    const void *bytes = NULL;
    size_t size = 0;
    work->text.has_text =
        work->options->text && work->options->text(work->options->context, source, &bytes, &size);
    if (work->text.has_text)
        work->text.bytes = (struct an_bytes){bytes, size};
}

static enum an_code give(struct work *work, const char *name, const void *bytes, size_t size,
                         struct an_error *error)
{
    return work->options->page(work->options->context, name, bytes, size, error);
}

static enum an_code give_page(struct work *work, const char *name, struct an_buffer *page,
                              struct an_error *error)
{
    if (page->failed)
        return an_fail_memory(error);
    enum an_code code = give(work, name, page->data, page->size, error);
    page->size = 0;
    return code;
}

static enum an_code make_source(struct work *work, size_t index, struct an_error *error)
{
    struct an_report_text *text = &work->text;
    const struct an_report_entry *entry = &work->site.entries[index];
    char name[256];
    an_report_text_clear(text);
    text->entry = entry;
    find_text(work, work->sources[index]);
    if (!add_lines(text, work->sources[index]) || !add_functions(work, work->sources[index]))
        return an_fail_memory(error);
    an_map_free(&work->drawn);
    if (!sort_instances(text))
        return an_fail_memory(error);
    an_page_functions(&work->functions, text);
    work->function_count += text->functions.count;
    an_page_source(&work->page, &work->site, text);
    snprintf(name, sizeof name, AN_REPORT_TEXTS "%s", entry->page);
    return give_page(work, name, &work->page, error);
}

static enum an_code give_assets(struct work *work, struct an_error *error)
{
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < an_report_asset_count; i++) {
        const struct an_report_asset *asset = &an_report_assets[i];
        code = give(work, asset->name, asset->bytes, asset->size, error);
    }
    return code;
}

static enum an_code make_all(struct work *work, struct an_error *error)
{
    if (!set_site(work))
        return an_fail_memory(error);
    an_page_functions_begin(&work->functions);
    enum an_code code = give_assets(work, error);
    for (size_t i = 0; code == AN_OK && i < work->site.entry_count; i++) {
        code = make_source(work, i, error);
        if (work->options->progress)
            work->options->progress(work->options->context, i + 1, work->site.entry_count);
    }
    if (code != AN_OK)
        return code;
    an_page_functions_end(&work->functions);
    code = give_page(work, "functions.js", &work->functions, error);
    if (code != AN_OK)
        return code;
    an_page_index(&work->page, &work->site, work->function_count);
    return give_page(work, "index.html", &work->page, error);
}

enum an_code an_report_coverage(const struct an_coverage *coverage,
                                const struct an_report_options *options, struct an_error *error)
{
    struct an_report_options full;
    struct work work = {.coverage = coverage, .options = &full};
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code == AN_OK)
        code = make_all(&work, error);
    an_report_text_free(&work.text);
    an_buffer_free(&work.page);
    an_buffer_free(&work.functions);
    an_names_free(&work.names.taken);
    an_map_free(&work.drawn);
    an_arena_free(&work.arena);
    return code;
}

/* ---- names ---- */

bool an_report_has_name(const char *name)
{
    size_t length = strlen(name), folder = strlen(AN_REPORT_TEXTS);
    if (strcmp(name, "index.html") == 0 || strcmp(name, "functions.js") == 0)
        return true;
    for (size_t i = 0; i < an_report_asset_count; i++)
        if (strcmp(name, an_report_assets[i].name) == 0)
            return true;
    return strncmp(name, AN_REPORT_TEXTS, folder) == 0 && !strchr(name + folder, '/') &&
           length > folder + 5 && strcmp(name + length - 5, ".html") == 0;
}
