/*
 * The list of all functions, which the first page loads when somebody looks for one. It is a script, for a
 * page from the disk may not read other files:
 *
 *     anneal.functions([
 *     ["src/main.c","main.c.html",          an entry: its functions follow
 *      ["main",12,1,9,10],                  name, line, calls, blocks that ran, all blocks
 *      ...],
 *     ...]);
 *
 * Counts beyond 2^53 lose digits there, as numbers of scripts do.
 */
#include "report/pages.h"

void an_page_functions_begin(struct an_buffer *script)
{
    an_html(script, "anneal.functions([\n");
}

static void put_function(struct an_buffer *script, const struct an_report_function *function)
{
    an_html(script, ",[");
    an_html_script_string(script, function->name);
    an_buffer_print(script, ",%u,%llu,%llu,%llu]\n", function->line,
                    (unsigned long long)function->count, (unsigned long long)function->share.part,
                    (unsigned long long)function->share.whole);
}

void an_page_functions(struct an_buffer *script, const struct an_report_text *text)
{
    if (text->functions.count == 0)
        return;
    an_html(script, "[");
    an_html_script_string(script, text->entry->path);
    an_html(script, ",");
    an_html_script_string(script, text->entry->page);
    an_html(script, "\n");
    for (size_t i = 0; i < text->functions.count; i++)
        put_function(script, &text->functions.items[i]);
    an_html(script, "],\n");
}

void an_page_functions_end(struct an_buffer *script)
{
    an_html(script, "]);\n");
}
