/*
 * The first page: a table of all entries, in their folders. Folders are no entries; they follow from the
 * paths, and their numbers are the sums of what is below them. A folder that has nothing but one folder
 * shares its row.
 */
#include "report/pages.h"

enum { DEEPEST = 100 }; /* what is deeper has its folders in its name */

/* Some entries one after another, all in one folder. */
struct range {
    const struct an_report_entry *first, *end;
    size_t prefix; /* length of the folder's path, with the slash at its end */
    unsigned depth;
};

/* ---- cells ---- */

static const char *const classes[AN_REPORT_MEASURES] = {"m0", "m1", "m2"};

static void put_measure(struct an_buffer *page, struct an_report_share share, size_t measure)
{
    char class[16] = "share ";
    strcat(class, classes[measure]);
    an_page_share_cell(page, share, class);
    an_buffer_print(page, "<td class=%s>", classes[measure]);
    if (share.whole)
        an_html_number(page, share.whole - share.part);
    an_buffer_print(page, "</td><td class=\"%s all\">", classes[measure]);
    if (share.whole)
        an_html_number(page, share.whole);
    an_html(page, "</td>");
}

static void put_numbers(struct an_buffer *page, const struct range *range)
{
    struct an_report_share sums[AN_REPORT_MEASURES] = {{0}};
    uint64_t greatest = 0;
    for (const struct an_report_entry *entry = range->first; entry < range->end; entry++) {
        greatest = entry->greatest > greatest ? entry->greatest : greatest;
        for (size_t i = 0; i < AN_REPORT_MEASURES; i++) {
            sums[i].part += entry->shares[i].part;
            sums[i].whole += entry->shares[i].whole;
        }
    }
    for (size_t i = 0; i < AN_REPORT_MEASURES; i++)
        put_measure(page, sums[i], i);
    an_buffer_print(page, "<td class=hot data-v=%llu>", (unsigned long long)greatest);
    an_page_count(page, "span", greatest);
    an_html(page, "</td></tr>\n");
}

/* ---- rows ---- */

static void put_file(struct an_buffer *page, const struct an_report_entry *entry,
                     const struct range *range)
{
    const struct range alone = {entry, entry + 1, 0, 0};
    an_buffer_print(page, "<tr data-d=%u><th scope=row style=--d:%u>", range->depth, range->depth);
    an_html(page, "<a href=\"" AN_REPORT_TEXTS);
    an_html_address(page, entry->page, strlen(entry->page));
    an_html(page, "\">");
    an_html_string(page, entry->path + range->prefix);
    an_html(page, "</a></th>");
    put_numbers(page, &alone);
}

/* What is in the same folder, below this one, as the first. */
static struct range folder_at(const struct an_report_entry *first, const struct range *range)
{
    const char *slash = strchr(first->path + range->prefix, '/');
    struct range folder = {first, first, (size_t)(slash + 1 - first->path), range->depth + 1};
    while (folder.end < range->end && strncmp(folder.end->path, first->path, folder.prefix) == 0)
        folder.end++;
    return folder;
}

static bool is_in_folder(const struct an_report_entry *entry, const struct range *range)
{
    return range->depth < DEEPEST && strchr(entry->path + range->prefix, '/');
}

/* A folder of one folder, and of that one, and so on, in one row. */
static struct range whole_chain(struct range folder)
{
    while (is_in_folder(folder.first, &folder)) {
        struct range only = folder_at(folder.first, &folder);
        if (only.end != folder.end)
            break;
        folder.prefix = only.prefix;
    }
    return folder;
}

static void put_range(struct an_buffer *page, const struct range *range);

static void put_folder(struct an_buffer *page, const struct range *folder, size_t above)
{
    an_buffer_print(page, "<tr class=folder data-d=%u><th scope=row style=--d:%u><span>",
                    folder->depth - 1, folder->depth - 1);
    an_html_text(page, folder->first->path + above, folder->prefix - above);
    an_html(page, "</span></th>");
    put_numbers(page, folder);
    put_range(page, folder);
}

/* Folders, then files. */
static void put_range(struct an_buffer *page, const struct range *range)
{
    for (const struct an_report_entry *entry = range->first; entry < range->end;) {
        if (is_in_folder(entry, range)) {
            struct range folder = whole_chain(folder_at(entry, range));
            put_folder(page, &folder, range->prefix);
            entry = folder.end;
        } else {
            entry++;
        }
    }
    for (const struct an_report_entry *entry = range->first; entry < range->end; entry++)
        if (!is_in_folder(entry, range))
            put_file(page, entry, range);
}

/* ---- the table ---- */

/* Columns have widths of their own, so that nothing moves as rows come and go. */
static void put_columns(struct an_buffer *page)
{
    an_html(page, "<colgroup><col>");
    for (size_t i = 0; i < AN_REPORT_MEASURES; i++)
        an_buffer_print(page, "<col class=\"share %s\"><col class=%s><col class=%s>", classes[i],
                        classes[i], classes[i]);
    an_html(page, "<col class=hot></colgroup>\n");
}

static void put_heading(struct an_buffer *page, const struct an_report_site *site)
{
    put_columns(page);
    an_html(page, "<thead>\n<tr><th rowspan=2 scope=col class=sort data-c=0>Name</th>");
    for (size_t i = 0; i < AN_REPORT_MEASURES; i++) {
        an_buffer_print(page, "<th colspan=3 scope=colgroup class=\"group %s\">", classes[i]);
        an_html_string(page, site->measures[i]);
        an_html(page, "</th>");
    }
    an_html(page, "<th rowspan=2 scope=col class=\"sort hot\" data-c=10 "
                  "title=\"Count of the most executed line\">Hottest</th></tr>\n<tr>");
    for (size_t i = 0; i < AN_REPORT_MEASURES; i++)
        an_buffer_print(page,
                        "<th scope=col class=\"sort up share %s\" data-c=%zu>Covered</th>"
                        "<th scope=col class=\"sort %s\" data-c=%zu>Missed</th>"
                        "<th scope=col class=\"sort %s all\" data-c=%zu>All</th>",
                        classes[i], 3 * i + 1, classes[i], 3 * i + 2, classes[i], 3 * i + 3);
    an_html(page, "</tr>\n</thead>\n");
}

void an_page_index(struct an_buffer *page, const struct an_report_site *site,
                   uint64_t function_count)
{
    const struct range all = {site->entries, site->entries + site->entry_count, 0, 0};
    an_page_head(page, site, "", "", "index.js", "index");
    an_html(page, "<header class=top><div class=where><b>");
    an_html_string(page, site->title);
    an_html(page, "</b></div></header>\n<main>\n<h1>");
    an_html_string(page, site->title);
    if (strlen(site->root) > 1) {
        an_html(page, " <small>");
        an_html_string(page, site->root);
        an_html(page, "</small>");
    }
    an_html(page, "</h1>\n");
    an_page_totals(page, site, site->totals);
    an_buffer_print(page, "<section id=files data-functions=%llu>\n<table class=files>\n",
                    (unsigned long long)function_count);
    put_heading(page, site);
    an_html(page, "<tbody>\n");
    put_range(page, &all);
    an_html(page, "</tbody>\n</table>\n</section>\n</main>\n");
    an_page_foot(page, site);
}
