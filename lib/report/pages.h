/* The pages of a report, and what they share. Each is appended to an empty buffer. */
#ifndef AN_REPORT_PAGES_H
#define AN_REPORT_PAGES_H

#include "report/html.h"
#include "report/model.h"

#define AN_REPORT_TEXTS "src/" /* the folder that has the pages of texts */

void an_page_index(struct an_buffer *page, const struct an_report_site *site,
                   uint64_t function_count);
void an_page_source(struct an_buffer *page, const struct an_report_site *site,
                    const struct an_report_text *text);

/* The list of all functions, for the search: begin, then each text, then end. */
void an_page_functions_begin(struct an_buffer *script);
void an_page_functions(struct an_buffer *script, const struct an_report_text *text);
void an_page_functions_end(struct an_buffer *script);

/* ---- parts ---- */

/* Up to the body's start. up: "../" on pages in a folder, else "". script: besides report.js. */
void an_page_head(struct an_buffer *page, const struct an_report_site *site, const char *heading,
                  const char *up, const char *script, const char *kind);
void an_page_foot(struct an_buffer *page, const struct an_report_site *site);

/* Totals, as cards. */
void an_page_totals(struct an_buffer *page, const struct an_report_site *site,
                    const struct an_report_share *shares);

/* A cell with a bar and a percentage, or a dash when there is nothing to have a share of. */
void an_page_share_cell(struct an_buffer *page, struct an_report_share share, const char *class);

/* A count, short, with the whole number as its title where it differs. tag: "b" */
void an_page_count(struct an_buffer *page, const char *tag, uint64_t count);

#endif
