/*
 * The page of a text: functions, lines with their counts, and a strip that shows all of it at once.
 *
 * There may be a quarter of a million lines, so that little is written for each: the number is a counter
 * of the style sheet, the text is not divided into words (a script colours what is on the screen), and
 * lines come in blocks that the browser lays out when they are needed.
 *
 *     <div class=k>                                         lines 101 to 200
 *     <div id=L101 style="counter-reset:l 100" class=h3><b>1.2k</b><u title="...">■□</u>    if (count > limit)</div>
 *     <div id=L102></div>                                   nothing there
 *
 * Classes: h0 to h9, how hot; u, never ran; x, and only exceptions lead there; p, ran in part.
 */
#include "report/comments.h"
#include "report/pages.h"
#include "report/short_name.h"

enum {
    BLOCK_LINES = 100,
    STRIP_ROWS = 400,
    MOST_MARKS = 4, /* drawn one by one */
};

/* ---- a line ---- */

static void put_class(struct an_buffer *page, const struct an_report_line *line, uint64_t greatest)
{
    unsigned level = an_report_level(line->count, greatest);
    if (line->state == AN_REPORT_NEVER)
        an_html(page, " class=u");
    else if (line->state == AN_REPORT_NEVER_THROWN)
        an_html(page, " class=\"u x\"");
    else if (line->state == AN_REPORT_PARTLY)
        an_buffer_print(page, " class=\"h%u p\"", level);
    else
        an_buffer_print(page, " class=h%u", level);
}

static void put_count(struct an_buffer *page, const struct an_report_line *line)
{
    if (line->state == AN_REPORT_RAN) {
        an_page_count(page, "b", line->count);
        return;
    }
    an_html(page, "<b title=\"");
    if (line->state == AN_REPORT_PARTLY) {
        an_html_number(page, line->count);
        an_html(page, ", but not all of it");
    } else {
        an_html(page, line->state == AN_REPORT_NEVER ? "never ran"
                                                     : "never ran; only exceptions lead here");
    }
    an_html(page, "\">");
    an_html_short_number(page, line->count);
    an_html(page, "</b>");
}

static void put_mark_title(struct an_buffer *page, size_t number, const struct an_report_mark *mark)
{
    an_buffer_print(page, "%zu: taken ", number);
    an_html_number(page, mark->part);
    an_html(page, " of ");
    an_html_number(page, mark->whole);
    if (mark->whole) {
        an_html(page, ", ");
        an_html_percent(page, mark->part, mark->whole);
    }
    if (mark->note) {
        an_html(page, ", ");
        an_html_string(page, mark->note);
    }
}

/* Squares, full when taken; a fraction when there are many. */
static void put_marks(struct an_buffer *page, const struct an_report_mark *marks, size_t count)
{
    size_t taken = 0;
    if (count == 0)
        return;
    an_html(page, "<u title=\"");
    for (size_t i = 0; i < count; i++) {
        an_html(page, i ? "\n" : "");
        put_mark_title(page, i + 1, &marks[i]);
        taken += marks[i].part > 0;
    }
    an_html(page, taken == count ? "\">" : "\" class=m>");
    for (size_t i = 0; count <= MOST_MARKS && i < count; i++)
        an_html(page, marks[i].part ? "\xe2\x96\xa0" : "\xe2\x96\xa1");
    if (count > MOST_MARKS)
        an_buffer_print(page, "%zu/%zu", taken, count);
    an_html(page, "</u>");
}

/* What a line is, between the start of its tag and its text; NULL: there is no code. */
static void put_line_start(struct an_buffer *page, const struct an_report_text *text,
                           const struct an_report_line *line, uint64_t greatest)
{
    if (line)
        put_class(page, line, greatest);
    an_html(page, ">");
    if (line) {
        put_count(page, line);
        put_marks(page, text->marks.items + line->first_mark, line->mark_count);
    }
}

static void put_line_end(struct an_buffer *page, struct an_bytes bytes)
{
    if (bytes.size && bytes.data[bytes.size - 1] == '\r')
        bytes.size--;
    an_html_text(page, bytes.data, bytes.size);
    an_html(page, "\n</div>");
}

/* ---- instances ---- */

/* Where the lines are that instances repeat. */
struct walk {
    struct an_buffer *page;
    const struct an_report_text *text;
    uint64_t greatest;
    struct {
        AN_VECTOR(size_t); /* offsets, and the end */
    } starts;
    size_t next_line;     /* in the text's lines */
    size_t next_instance; /* in the text's instances */
    uint32_t number;      /* of the line that comes next */
    bool in_block;
    bool in_comment;
    bool is_c;
};

static struct an_bytes text_of(const struct walk *walk, uint32_t number)
{
    if (number == 0 || number >= walk->starts.count)
        return (struct an_bytes){0};
    size_t start = walk->starts.items[number - 1], end = walk->starts.items[number];
    bool has_end = end > start && walk->text->bytes.data[end - 1] == '\n';
    return (struct an_bytes){walk->text->bytes.data + start, end - start - has_end};
}

static void put_instance_lines(struct walk *walk, const struct an_report_instance *instance)
{
    const struct an_report_line *line = walk->text->instance_lines.items + instance->first;
    const struct an_report_line *end = line + instance->count;
    uint32_t last = instance->last_line;
    bool only_code = last >= walk->starts.count;
    an_html(walk->page, "<div class=lines>");
    for (uint32_t number = instance->first_line; number <= last && number; number++) {
        bool is_code = line < end && line->number == number;
        if (only_code && !is_code) {
            if (line == end)
                break;
            number = line->number - 1;
            continue;
        }
        an_buffer_print(walk->page, "<div style=\"counter-reset:l %u\"", number - 1);
        put_line_start(walk->page, walk->text, is_code ? line : NULL, walk->greatest);
        put_line_end(walk->page, text_of(walk, number));
        line += is_code;
    }
    an_html(walk->page, "</div>");
}

static void put_instance(struct walk *walk, size_t index)
{
    const struct an_report_instance *instance = &walk->text->instances.items[index];
    an_buffer_print(walk->page, "<details id=I%zu><summary%s>", index + 1,
                    instance->calls ? "" : " class=u");
    an_html_string(walk->page, instance->name);
    an_html(walk->page, " <span>");
    an_html_number(walk->page, instance->calls);
    an_html(walk->page, instance->calls == 1 ? " call" : " calls");
    if (instance->share.whole) {
        an_html(walk->page, ", ");
        an_html_percent(walk->page, instance->share.part, instance->share.whole);
        an_html(walk->page, " of its blocks");
    }
    an_html(walk->page, "</span></summary>\n");
    if (instance->alike)
        an_buffer_print(walk->page,
                        "<p>The same lines and counts as <a href=#I%zu>above</a>.</p>\n",
                        instance->alike);
    else
        put_instance_lines(walk, instance);
    an_html(walk->page, "</details>\n");
}

/* Those that end at this line, or before. */
static void put_instances(struct walk *walk, uint32_t number)
{
    size_t first = walk->next_instance, end = first;
    while (end < walk->text->instances.count &&
           walk->text->instances.items[end].last_line <= number)
        end++;
    if (end == first)
        return;
    an_buffer_print(walk->page,
                    "<details class=instances><summary>%zu instances of the code above"
                    "</summary>\n",
                    end - first);
    for (size_t i = first; i < end; i++)
        put_instance(walk, i);
    an_html(walk->page, "</details>\n");
    walk->next_instance = end;
}

/* ---- all lines ---- */

static bool find_starts(struct walk *walk)
{
    struct an_bytes bytes = walk->text->bytes;
    for (size_t at = 0; at < bytes.size;) {
        size_t *start = an_vector_push(&walk->starts);
        if (!start)
            return false;
        *start = at;
        const uint8_t *end = memchr(bytes.data + at, '\n', bytes.size - at);
        at = end ? (size_t)(end - bytes.data) + 1 : bytes.size;
    }
    size_t *last = an_vector_push(&walk->starts);
    if (last)
        *last = bytes.size;
    return last;
}

static void end_block(struct walk *walk)
{
    if (walk->in_block)
        an_html(walk->page, "</div>\n");
    walk->in_block = false;
}

static void begin_block(struct walk *walk)
{
    an_html(walk->page, walk->in_comment ? "<div class=k data-c>\n" : "<div class=k>\n");
    walk->in_block = true;
}

static void put_line(struct walk *walk, const struct an_report_line *line)
{
    struct an_bytes bytes = text_of(walk, walk->number);
    bool is_first = walk->number % BLOCK_LINES == 1 || !walk->in_block;
    bool is_alone = walk->number >= walk->starts.count; /* lines are left out */
    if (is_first) {
        end_block(walk);
        begin_block(walk);
    }
    an_buffer_print(walk->page, "<div id=L%u", walk->number);
    if (is_first || is_alone)
        an_buffer_print(walk->page, " style=\"counter-reset:l %u\"", walk->number - 1);
    put_line_start(walk->page, walk->text, line, walk->greatest);
    put_line_end(walk->page, bytes);
    if (walk->is_c)
        walk->in_comment = an_comment_goes_on(bytes, walk->in_comment);
    put_instances(walk, walk->number);
}

static void put_lines(struct walk *walk)
{
    const struct an_report_text *text = walk->text;
    for (walk->number = 1;; walk->number++) {
        bool is_left = walk->next_line < text->lines.count;
        const struct an_report_line *line = is_left ? &text->lines.items[walk->next_line] : NULL;
        if (walk->number >= walk->starts.count) {
            if (!line)
                break;
            walk->number = line->number;
        }
        bool is_code = line && line->number == walk->number;
        walk->next_line += is_code;
        put_line(walk, is_code ? line : NULL);
    }
    end_block(walk);
    put_instances(walk, UINT32_MAX);
}

static uint32_t last_line(const struct walk *walk)
{
    size_t count = walk->text->lines.count;
    uint32_t last = count ? walk->text->lines.items[count - 1].number : 0;
    uint32_t text_last = (uint32_t)walk->starts.count - 1;
    return last > text_last ? last : text_last;
}

/* ---- the strip ---- */

enum { NEVER = AN_REPORT_LEVELS, KINDS, NOTHING = 255 };

struct strip {
    uint8_t heat[STRIP_ROWS]; /* level of the hottest line, or NOTHING */
    bool never[STRIP_ROWS];
    unsigned rows;
};

static void fill_strip(struct strip *strip, const struct walk *walk, uint32_t last)
{
    *strip = (struct strip){.rows = last < STRIP_ROWS ? last : STRIP_ROWS};
    memset(strip->heat, NOTHING, sizeof strip->heat);
    for (size_t i = 0; i < walk->text->lines.count; i++) {
        const struct an_report_line *line = &walk->text->lines.items[i];
        size_t row = (size_t)((uint64_t)(line->number - 1) * strip->rows / last);
        unsigned level = an_report_level(line->count, walk->greatest);
        if (line->state == AN_REPORT_NEVER || line->state == AN_REPORT_NEVER_THROWN)
            strip->never[row] = true;
        else if (strip->heat[row] == NOTHING || level > strip->heat[row])
            strip->heat[row] = (uint8_t)level;
    }
}

static bool is_in_strip(const struct strip *strip, unsigned row, unsigned kind)
{
    return kind == NEVER ? strip->never[row] : strip->heat[row] == kind;
}

/* All rows of a kind as one path. */
static void put_strip_kind(struct an_buffer *page, const struct strip *strip, unsigned kind)
{
    bool any = false;
    for (unsigned row = 0; row < strip->rows; row++) {
        unsigned height = 0;
        while (row + height < strip->rows && is_in_strip(strip, row + height, kind))
            height++;
        if (height == 0)
            continue;
        if (!any)
            an_buffer_print(page, kind == NEVER ? "<path class=u d=\"" : "<path class=h%u d=\"",
                            kind);
        any = true;
        an_buffer_print(page, "M%d %uh1v%uh-1z", kind == NEVER, row, height);
        row += height;
    }
    an_html(page, any ? "\"/>" : "");
}

static void put_strip(struct walk *walk)
{
    struct strip strip;
    uint32_t last = last_line(walk);
    if (last == 0)
        return;
    fill_strip(&strip, walk, last);
    an_buffer_print(
        walk->page,
        "<div class=strip aria-hidden=true style=\"--lines:%u\"><svg viewBox=\"0 0 2 %u\" "
        "preserveAspectRatio=none>",
        last, strip.rows);
    for (unsigned kind = 0; kind < KINDS; kind++)
        put_strip_kind(walk->page, &strip, kind);
    an_html(walk->page, "</svg></div>\n");
}

/* ---- functions ---- */

/* The end of a tag, and a name, with the whole of it as a title where it is cut. */
static void put_name(struct an_buffer *page, const char *name)
{
    struct an_buffer cut = {0};
    bool is_cut = an_short_name(&cut, name);
    page->failed = page->failed || cut.failed;
    if (is_cut) {
        an_html(page, " title=\"");
        an_html_string(page, name);
        an_html(page, "\"");
    }
    an_html(page, ">");
    an_buffer_put(page, cut.data, cut.size);
    an_buffer_free(&cut);
}

static void put_function(struct an_buffer *page, const struct an_report_function *function)
{
    an_html(page, function->count ? "<tr" : "<tr class=u");
    if (function->instance == AN_REPORT_NO_INSTANCE)
        an_buffer_print(page, "><th scope=row><a href=#L%u", function->line);
    else
        an_buffer_print(page, " data-line=%u><th scope=row><a href=#I%zu", function->line,
                        function->instance + 1);
    put_name(page, function->name);
    an_buffer_print(page, "</a></th><td data-v=%llu>", (unsigned long long)function->count);
    an_page_count(page, "span", function->count);
    an_html(page, "</td>");
    an_page_share_cell(page, function->share, "share");
    an_html(page, "</tr>\n");
}

static void put_functions(struct an_buffer *page, const struct an_report_text *text)
{
    if (text->functions.count == 0)
        return;
    an_html(page, "<aside><details open><summary>Functions</summary>\n<div class=list>\n"
                  "<table class=functions><thead><tr><th scope=col class=sort>Function</th>"
                  "<th scope=col class=sort>Calls</th>"
                  "<th scope=col class=\"sort up share\" title=\"Blocks that ran\">Blocks</th>"
                  "</tr></thead><tbody>\n");
    for (size_t i = 0; i < text->functions.count; i++)
        put_function(page, &text->functions.items[i]);
    an_html(page, "</tbody></table>\n</div></details></aside>\n");
}

/* ---- the page ---- */

static void put_header(struct an_buffer *page, const struct an_report_site *site, const char *path)
{
    const char *slash = strrchr(path, '/');
    an_html(page,
            "<header class=top><nav class=where aria-label=Breadcrumb><a href=../index.html>");
    an_html_string(page, site->title);
    an_html(page, "</a> ");
    if (slash) {
        size_t folder = (size_t)(slash - path) + 1;
        an_html(page, "<a href=\"../index.html#q=");
        an_html_address(page, path, folder);
        an_html(page, "\">");
        an_html_text(page, path, folder);
        an_html(page, "</a> ");
    }
    an_html(page, "<b>");
    an_html_string(page, slash ? slash + 1 : path);
    an_html(page, "</b></nav></header>\n");
}

static void put_notes(const struct walk *walk)
{
    const struct an_report_text *text = walk->text;
    size_t count = text->lines.count;
    if (!text->has_text)
        an_html(walk->page, "<p class=note>The source was missing when the report was made: only "
                            "lines with code are shown, without their text.</p>\n");
    else if (count && text->lines.items[count - 1].number >= walk->starts.count)
        an_html(
            walk->page,
            "<p class=note>There is code beyond the end of the source: #line says so, or it was "
            "longer when it was compiled, and counts are beside the wrong lines.</p>\n");
}

static void put_legend(struct an_buffer *page, uint64_t greatest)
{
    an_html(page, "<p class=legend><span>never <i class=u></i></span> <span>in part <i class=p></i>"
                  "</span>");
    if (greatest == 0) {
        an_html(page, "</p>\n");
        return;
    }
    an_html(page, " <span>1 ");
    for (unsigned level = 0; level < AN_REPORT_LEVELS; level++)
        an_buffer_print(page, "<i class=h%u></i>", level);
    an_html(page, " ");
    an_html_short_number(page, greatest);
    an_html(page, "</span></p>\n");
}

static unsigned digits_of(uint32_t number)
{
    return number < 1000 ? 3 : number < 10000 ? 4 : number < 100000 ? 5 : number < 1000000 ? 6 : 10;
}

static void put_main(struct walk *walk, const struct an_report_site *site)
{
    const struct an_report_text *text = walk->text;
    an_buffer_print(walk->page, "<main style=\"--digits:%u\"%s>\n", digits_of(last_line(walk)),
                    text->marks.count ? " class=marked" : "");
    an_html(walk->page, "<div class=summary><h1>");
    an_html_string(walk->page, text->entry->path);
    an_html(walk->page, "</h1>\n<div class=top-line>\n");
    an_page_totals(walk->page, site, text->entry->shares);
    put_legend(walk->page, site->greatest);
    an_html(walk->page, "</div>\n");
    put_notes(walk);
    an_html(walk->page, "</div>\n");
    put_functions(walk->page, text);
    an_buffer_print(walk->page, "<div class=code%s>\n", walk->is_c ? " data-language=c" : "");
    put_lines(walk);
    an_html(walk->page, "</div>\n");
    put_strip(walk);
    an_html(walk->page, "</main>\n");
}

void an_page_source(struct an_buffer *page, const struct an_report_site *site,
                    const struct an_report_text *text)
{
    const char *path = text->entry->path;
    struct walk walk = {.page = page,
                        .text = text,
                        .greatest = site->greatest,
                        .is_c = text->has_text && an_comments_as_in_c(path)};
    if (!find_starts(&walk))
        page->failed = true;
    an_page_head(page, site, path, "../", "source.js", "source");
    put_header(page, site, path);
    if (!page->failed)
        put_main(&walk, site);
    an_page_foot(page, site);
    an_vector_free(&walk.starts);
}
