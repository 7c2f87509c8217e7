/* Sources with counts; see anneal/gcov.h. Most of the time goes into this, so numbers are written by hand. */
#include <anneal/gcov.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/options.h"
#include "gcov/condition.h"
#include "gcov/function_order.h"
#include "gcov/paths.h"
#include "gcov/sink.h"
#include "gcov/source_lines.h"

#define COLOUR(code) "\33[" code "m\33[K"
#define CYAN COLOUR("46")
#define RED COLOUR("41")
#define GREEN COLOUR("42")
#define YELLOW COLOUR("43")
#define MAGENTA COLOUR("45")
#define WHITE_ON_CYAN COLOUR("46;37")
#define WHITE_ON_RED COLOUR("41;37")
#define WHITE_ON_MAGENTA COLOUR("45;37")
#define NAME_COLOUR COLOUR("36")
#define PLAIN COLOUR("")

static const char head_start[] = "        -:    0:";
static const char separator[] = "------------------\n";

enum { COUNT_WIDTH = 9, NUMBER_WIDTH = 5 };

struct page {
    const struct an_gcov_text_options *options;
    const struct an_coverage_source *source;
    struct an_buffer *to;
    struct an_source_lines lines; /* of the source's text */
    struct an_bytes line;         /* the present one */
    bool has_source;
    size_t next_function;
    struct an_function_list group; /* functions that begin in a line */
    uint32_t group_end;            /* when these are several, the last line of them; else 0 */
    uint64_t
        line_end;   /* behind the lines of functions; from gcov 15 on, these have all of theirs */
    uint32_t shown; /* of what is filtered, the last line of the function that was met last */
    struct an_gcov_path_writer paths;
};

/* Up to 7, gcov wrote some things otherwise. */
static bool is_old(unsigned release)
{
    return release && release < 8;
}

static void put_text(struct page *page, const char *text)
{
    an_buffer_put(page->to, text, strlen(text));
}

/* ---- numbers ---- */

/* The number, right-aligned; returns its length. */
static size_t format_number(char *to, uint64_t number, size_t width)
{
    char digits[24];
    size_t count = 0, at = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (at + count < width)
        to[at++] = ' ';
    while (count)
        to[at++] = digits[--count];
    to[at] = '\0';
    return at;
}

static void human_text(char *text, int64_t count)
{
    static const char units[] = " kMGTPEZY";
    int64_t divisor = 1;
    unsigned unit = 0;
    while (units[unit + 1] && (__int128)count + divisor / 2 >= (__int128)1000 * divisor) {
        divisor *= 1000;
        unit++;
    }
    snprintf(text, 32, "%.1f%c", (double)(1.0f * (float)count / (float)divisor), units[unit]);
}

static char *count_text(const struct an_gcov_text_options *options, char *text, int64_t count)
{
    if (options->human && count >= 1000)
        human_text(text, count);
    else if (count >= 0)
        format_number(text, (uint64_t)count, 0);
    else
        snprintf(text, 32, "%" PRId64, count);
    return text;
}

/* Only all of it is 100%, and only nothing 0%. */
static void old_ratio(char *text, int64_t part, int64_t whole, int places)
{
    float ratio = whole ? (float)part / (float)whole : 0;
    unsigned scale = places == 0 ? 1 : 100, limit = 100 * scale;
    float scaled = ratio * (float)limit + 0.5f;
    unsigned percent = scaled >= 0 && scaled < (float)UINT32_MAX ? (unsigned)scaled : 0;
    if (percent == 0 && part)
        percent = 1;
    else if (percent >= limit && part != whole)
        percent = limit - 1;
    if (places == 0)
        snprintf(text, 32, "%u%%", percent);
    else
        snprintf(text, 32, "%u.%02u%%", percent / scale, percent % scale);
}

char *an_gcov_ratio_of(unsigned release, char *text, int64_t part, int64_t whole, int places)
{
    if (!is_old(release))
        return an_gcov_ratio(text, part, whole, places);
    old_ratio(text, part, whole, places);
    return text;
}

char *an_gcov_ratio(char *text, int64_t part, int64_t whole, int places)
{
    float ratio = whole ? 100.0f * (float)part / (float)whole : 0;
    if (places == 0 && ratio > 0.0f && ratio < 0.5f)
        ratio = 1.0f;
    if (places == 0 && !signbit(ratio) && ratio < 1000000.0f) {
        size_t size = format_number(text, (uint64_t)lrintf(ratio), 0);
        memcpy(text + size, "%", 2);
    } else {
        snprintf(text, 32, "%.*f%%", places, (double)ratio);
    }
    return text;
}

static char *branch_text(const struct an_gcov_text_options *options, char *text, int64_t part,
                         int64_t whole)
{
    return options->counts ? count_text(options, text, part)
                           : an_gcov_ratio_of(options->release, text, part, whole, 0);
}

/* ---- lines ---- */

static const char *heat(const struct page *page, int64_t count)
{
    __int128 most = page->source->most, own = count;
    return own * 2 > most ? RED : own * 5 > most ? YELLOW : own * 10 > most ? GREEN : "";
}

static void put_number(struct page *page, int64_t count, uint32_t number, bool has_heat)
{
    char text[16];
    size_t size = format_number(text, number, NUMBER_WIDTH);
    bool hot = has_heat && page->options->hot_colours && page->source->most > 0;
    an_buffer_put(page->to, ":", 1);
    if (hot)
        put_text(page, heat(page, count));
    an_buffer_put(page->to, text, size);
    if (hot)
        put_text(page, PLAIN);
}

static void put_padded(struct page *page, const char *text, size_t size)
{
    an_buffer_put(page->to, "         ", size < COUNT_WIDTH ? COUNT_WIDTH - size : 0);
    an_buffer_put(page->to, text, size);
}

static void put_coloured(struct page *page, const char *colour, const char *text)
{
    put_text(page, colour);
    put_padded(page, text, strlen(text));
    put_text(page, PLAIN);
}

static void put_never(struct page *page, bool exceptional, const char *never,
                      const char *never_exceptional)
{
    if (page->options->colours)
        put_coloured(page, exceptional ? WHITE_ON_CYAN : WHITE_ON_RED, "0");
    else
        put_padded(page, exceptional ? never_exceptional : never, 5);
}

static void put_count(struct page *page, int64_t count, bool is_partial)
{
    char text[40];
    count_text(page->options, text, count);
    is_partial = is_partial && page->options->may_lack_counts;
    if (is_partial && page->options->colours) {
        put_coloured(page, WHITE_ON_MAGENTA, text);
        return;
    }
    if (is_partial)
        strcat(text, "*");
    put_padded(page, text, strlen(text));
}

static void put_source_text(struct page *page, struct an_bytes text)
{
    an_buffer_put(page->to, ":", 1);
    an_buffer_put(page->to, text.data, text.size);
    an_buffer_put(page->to, "\n", 1);
}

static void put_line_start(struct page *page, const struct an_coverage_line *line, uint32_t number)
{
    bool old = is_old(page->options->release);
    if (!line->exists)
        put_padded(page, "-", 1);
    else if (line->count > 0 || (old && line->count))
        put_count(page, line->count, line->has_unexecuted_block && !old);
    else
        put_never(page, line->is_exceptional, "#####", "=====");
    put_number(page, line->count, number, true);
}

/* ---- blocks and branches ---- */

static void put_call(struct page *page, const char *text, const struct an_coverage_branch *branch)
{
    char count[32];
    if (branch->block_count)
        an_buffer_print(page->to, "%sreturned %s\n", text,
                        branch_text(page->options, count, branch->block_count - branch->count,
                                    branch->block_count));
    else
        an_buffer_print(page->to, "%snever executed\n", text);
}

static void put_taken(struct page *page, const char *text, const struct an_coverage_branch *branch)
{
    char count[32];
    put_text(page, text);
    if (branch->block_count) {
        put_text(page, "taken ");
        put_text(page, branch_text(page->options, count, branch->count, branch->block_count));
    } else {
        put_text(page, "never executed");
    }
}

static void put_branch(struct page *page, const char *text, const struct an_coverage_branch *branch)
{
    put_taken(page, text, branch);
    bool is_marked = branch->block_count || page->options->release >= 13;
    if (is_marked && branch->is_fall_through)
        put_text(page, " (fallthrough)");
    else if (is_marked && branch->is_throw)
        put_text(page, " (throw)");
    if (page->options->block_numbers)
        an_buffer_print(page->to, " (BB %u)", branch->destination);
    an_buffer_put(page->to, "\n", 1);
}

/* Whether there was anything to be shown. */
static bool put_way_out(struct page *page, unsigned index, const struct an_coverage_branch *branch)
{
    char text[40];
    bool is_shown = page->options->unconditional && !branch->returns_from_call;
    const char *kind = branch->is_call            ? "call   "
                       : branch->is_unconditional ? "unconditional "
                                                  : "branch ";
    if (!branch->is_call && branch->is_unconditional && !is_shown)
        return false;
    char *end = stpcpy(text, kind);
    end += format_number(end, index, 2);
    stpcpy(end, " ");
    if (branch->is_call) {
        put_call(page, text, branch);
    } else if (branch->is_unconditional) {
        put_taken(page, text, branch);
        an_buffer_put(page->to, "\n", 1);
    } else {
        put_branch(page, text, branch);
    }
    return true;
}

/* From 8 on, gcov marks blocks that only exceptions lead to as others are marked, and the other way round. */
static void put_block(struct page *page, const struct an_coverage_line *line,
                      const struct an_coverage_block *block, uint32_t number, unsigned index)
{
    bool old = is_old(page->options->release);
    if (old && !line->exists)
        put_padded(page, "-", 1);
    else if (block->count > 0 || (old && block->count))
        put_count(page, block->count, false);
    else
        put_never(page, block->is_exceptional == old, "$$$$$", "%%%%%");
    put_number(page, block->count, number, false);
    if (page->options->release >= 14)
        an_buffer_print(page->to, "-block %u", block->number);
    else
        an_buffer_print(page->to, "-block %2u", index);
    if (page->options->block_numbers)
        an_buffer_print(page->to, " (BB %u)", block->number);
    an_buffer_put(page->to, "\n", 1);
}

static void put_condition(struct page *page, const struct an_coverage_block *block)
{
    if (!block->condition || !page->options->conditions || page->options->release < 14)
        return;
    const struct an_coverage_condition *condition = &page->source->conditions[block->condition - 1];
    an_buffer_print(page->to, "condition outcomes covered %d/%" PRIu32 "\n",
                    an_gcov_covered(condition), 2 * condition->terms);
    for (uint32_t i = 0; i < condition->terms; i++) {
        bool was_true = condition->when_true >> i & 1, was_false = condition->when_false >> i & 1;
        if (!was_true || !was_false)
            an_buffer_print(page->to, "condition %2" PRIu32 " not covered (%s)\n", i,
                            was_true    ? "false"
                            : was_false ? "true"
                                        : "true false");
    }
}

static void put_details(struct page *page, const struct an_coverage_line *line, uint32_t number)
{
    const struct an_coverage_branch *branch = line->branches;
    unsigned index = 0, branch_index = 0;
    if (!page->options->blocks && !page->options->branches && !page->options->conditions)
        return;
    for (uint32_t i = 0; i < line->block_count; i++) {
        const struct an_coverage_block *block = &line->blocks[i];
        if (page->options->blocks && !block->is_call_return)
            put_block(page, line, block, number, index++);
        for (uint32_t k = 0; page->options->branches && k < block->branch_count; k++)
            branch_index += put_way_out(page, branch_index, &branch[k]);
        branch += block->branch_count;
        if (page->options->blocks)
            put_condition(page, block);
    }
    for (uint32_t i = 0; !page->options->blocks && i < line->block_count; i++)
        put_condition(page, &line->blocks[i]);
}

/* ---- functions ---- */

static const char *function_name(const struct page *page,
                                 const struct an_coverage_function *function)
{
    return page->options->demangled ? function->demangled : function->name;
}

static enum an_code put_function(struct page *page, const struct an_coverage_function *function)
{
    char count[32], returned[32], blocks[32];
    if (page->options->branches)
        an_buffer_print(page->to, "function %s called %s returned %s blocks executed %s\n",
                        function_name(page, function),
                        count_text(page->options, count, function->count),
                        an_gcov_ratio_of(page->options->release, returned, function->returned,
                                         function->count, 0),
                        an_gcov_ratio_of(page->options->release, blocks, function->blocks_executed,
                                         function->blocks, 0));
    return an_gcov_put_paths(&page->paths, function);
}

static enum an_code put_instance(struct page *page, const struct an_coverage_function *function)
{
    const char *name = function_name(page, function);
    put_text(page, separator);
    put_text(page, page->options->colours ? NAME_COLOUR : "");
    put_text(page, name);
    put_text(page, page->options->colours ? PLAIN ":\n" : ":\n");
    enum an_code code = put_function(page, function);
    for (size_t i = 0; code == AN_OK && i < function->line_count; i++) {
        uint32_t number = function->line + (uint32_t)i;
        put_line_start(page, &function->lines[i], number);
        put_source_text(page, number <= page->lines.kept.count ? page->lines.kept.items[number - 1]
                                                               : (struct an_bytes){NULL, 0});
        put_details(page, &function->lines[i], number);
    }
    return code;
}

static enum an_code put_group(struct page *page)
{
    enum an_code code = AN_OK;
    for (size_t i = 0; code == AN_OK && i < page->group.count; i++)
        code = put_instance(page, page->group.items[i]);
    put_text(page, separator);
    page->group_end = 0;
    return code;
}

/* Up to 7, there are no instances. */
static enum an_code put_each_function(struct page *page, size_t first, size_t end)
{
    enum an_code code = AN_OK;
    for (size_t i = first; code == AN_OK && i < end; i++) {
        const struct an_coverage_function *function = &page->source->functions[i];
        code = put_function(page, function);
        if (function->last_line > page->shown)
            page->shown = function->last_line;
    }
    return code;
}

/* Functions that begin in a line: one is told of before it, several behind the last line of all. */
static enum an_code put_functions(struct page *page, uint32_t number)
{
    const struct an_coverage_source *source = page->source;
    size_t *next = &page->next_function, first;
    while (*next < source->function_count && source->functions[*next].line < number)
        ++*next;
    for (first = *next; *next < source->function_count; ++*next)
        if (source->functions[*next].line != number)
            break;
    if (*next == first)
        return AN_OK;
    if (is_old(page->options->release))
        return put_each_function(page, first, *next);
    if (*next - first == 1) {
        page->shown = source->functions[first].last_line;
        return put_function(page, &source->functions[first]);
    }
    for (size_t i = first; i < *next; i++)
        if (source->functions[i].last_line > page->group_end)
            page->group_end = source->functions[i].last_line;
    page->shown = page->group_end;
    return an_function_list_sort(&page->group, source->functions + first, *next - first)
               ? AN_OK
               : an_fail_memory(page->paths.error);
}

/* Lines behind all functions have no counts; when these are filtered, they are left out. */
static void put_rest(struct page *page, uint32_t number)
{
    if (page->options->is_filtered)
        return;
    put_padded(page, "-", 1);
    put_number(page, 0, number, false);
    put_source_text(page, page->line);
}

static enum an_code put_line(struct page *page, uint32_t number)
{
    static const struct an_coverage_line none;
    const struct an_coverage_source *source = page->source;
    if (number >= page->line_end) {
        put_rest(page, number);
        return AN_OK;
    }
    const struct an_coverage_line *line =
        number < source->line_count ? &source->lines[number] : &none;
    enum an_code code = page->group_end == 0 ? put_functions(page, number) : AN_OK;
    if (code == AN_OK && (!page->options->is_filtered || number <= page->shown)) {
        put_line_start(page, line, number);
        put_source_text(page, page->line);
        put_details(page, line, number);
    }
    if (code == AN_OK && page->group_end == number)
        code = put_group(page);
    return code;
}

/* ---- the whole ---- */

static void put_head(struct page *page, const char *name, bool is_newer)
{
    const struct an_gcov_text_options *options = page->options;
    if (options->colours)
        an_buffer_print(page->to,
                        "%sColorization: profile count: " CYAN "zero coverage (exceptional)" PLAIN
                        " " RED "zero coverage (unexceptional)" PLAIN " " MAGENTA
                        "unexecuted block" PLAIN "\n",
                        head_start);
    if (options->hot_colours)
        an_buffer_print(page->to,
                        "%sColorization: line numbers: hotness: " RED "> 50%%" PLAIN " " YELLOW
                        "> 20%%" PLAIN " " GREEN "> 10%%" PLAIN "\n",
                        head_start);
    an_buffer_print(page->to, "%sSource:%s\n", head_start, name);
    if (options->gcno)
        an_buffer_print(page->to, "%sGraph:%s\n%sData:%s\n%sRuns:%u\n", head_start, options->gcno,
                        head_start, options->gcda, head_start, options->runs);
    if (is_old(options->release))
        an_buffer_print(page->to, "%sPrograms:%u\n", head_start, options->programs);
    if (is_newer)
        an_buffer_print(page->to, "%sSource is newer than graph\n", head_start);
}

static uint64_t line_end(const struct an_coverage_source *source, unsigned release)
{
    uint64_t end = source->line_count;
    for (size_t i = 0; release >= 15 && i < source->function_count; i++)
        if (source->functions[i].last_line >= end)
            end = (uint64_t)source->functions[i].last_line + 1;
    return end;
}

/* Instances have their lines shown again. */
static bool has_instances(const struct an_coverage_source *source)
{
    for (size_t i = 0; i < source->function_count; i++)
        if (source->functions[i].is_instance)
            return true;
    return false;
}

/* Up to 7, gcov shows lines with counts even if the source has no such line, or there is none. */
static bool next_line(struct page *page, uint32_t number)
{
    static const char missing[] = "/*EOF*/";
    if (page->has_source && an_source_lines_next(&page->lines, &page->line))
        return true;
    page->line = (struct an_bytes){(const uint8_t *)missing, sizeof missing - 1};
    return is_old(page->options->release) && !page->lines.failed && number < page->line_end;
}

static enum an_code put_lines(struct page *page, const struct an_gcov_sink *sink,
                              struct an_error *error)
{
    enum an_code code = AN_OK;
    for (uint32_t number = 1; code == AN_OK && next_line(page, number); number++)
        if ((code = put_line(page, number)) == AN_OK)
            code = an_gcov_flush(page->to, sink, AN_GCOV_PIECE, error);
    if (code == AN_OK && page->lines.failed)
        code = an_fail(error, AN_SYSTEM, "%s: cannot be read to its end", page->source->path);
    return code;
}

enum an_code an_gcov_text(const struct an_coverage_source *source, const char *name, bool is_newer,
                          const struct an_gcov_text_options *options,
                          const struct an_gcov_sink *sink, bool *found, struct an_error *error)
{
    struct an_gcov_text_options full;
    struct an_buffer to = {0};
    struct page page = {.options = &full, .source = source, .to = &to};
    *found = false;
    enum an_code code = an_options_take(&full, sizeof full, options, error);
    if (code != AN_OK)
        return code;
    page.line_end = line_end(source, full.release);
    page.paths = (struct an_gcov_path_writer){&full, source, &to, sink, error, .texts = {0}};
    *found = page.has_source =
        an_source_lines_open(&page.lines, source->path, has_instances(source));
    put_head(&page, name, *found && is_newer);
    if (*found || is_old(full.release))
        code = put_lines(&page, sink, error);
    if (*found)
        an_source_lines_close(&page.lines);
    if (code == AN_OK)
        code = an_gcov_flush(&to, sink, 1, error);
    an_function_list_free(&page.group);
    an_gcov_path_writer_free(&page.paths);
    an_buffer_free(&to);
    return code;
}
