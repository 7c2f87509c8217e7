/* What the pages share; see pages.h. */
#include "report/pages.h"

#include <anneal/version.h>

void an_page_head(struct an_buffer *page, const struct an_report_site *site, const char *heading,
                  const char *up, const char *script, const char *kind)
{
    an_html(page, "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
                  "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=generator content=\"anneal ");
    an_html_string(page, an_version());
    an_html(page, "\">\n<title>");
    an_html_string(page, heading);
    if (*heading)
        an_html(page, " \xe2\x80\x93 ");
    an_html_string(page, site->title);
    an_buffer_print(page, "</title>\n<link rel=stylesheet href=%sreport.css>\n", up);
    an_buffer_print(page, "<script src=%sreport.js></script>\n", up);
    an_buffer_print(page, "<script src=%s%s defer></script>\n<body class=%s>\n", up, script, kind);
}

void an_page_foot(struct an_buffer *page, const struct an_report_site *site)
{
    an_html(page, "<footer>");
    an_html_number(page, site->runs);
    an_html(page, site->runs == 1 ? " run" : " runs");
    if (site->made) {
        an_html(page, " \xc2\xb7 ");
        an_html_string(page, site->made);
    }
    an_html(page, " \xc2\xb7 anneal ");
    an_html_string(page, an_version());
    an_html(page, "</footer>\n");
}

static void put_bar(struct an_buffer *page, struct an_report_share share)
{
    an_html(page, "<i class=bar style=\"--part:");
    an_html_percent(page, share.part, share.whole);
    an_html(page, "\"></i>");
}

void an_page_totals(struct an_buffer *page, const struct an_report_site *site,
                    const struct an_report_share *shares)
{
    an_html(page, "<dl class=totals aria-label=Totals>\n");
    for (size_t i = 0; i < AN_REPORT_MEASURES; i++) {
        an_html(page, "<div><dt>");
        an_html_string(page, site->measures[i]);
        an_html(page, "</dt><dd>");
        if (shares[i].whole == 0) {
            an_html(page, "<b>\xe2\x80\x93</b> <span>none</span></dd></div>\n");
            continue;
        }
        an_html(page, "<b>");
        an_html_percent(page, shares[i].part, shares[i].whole);
        an_html(page, "</b> ");
        put_bar(page, shares[i]);
        an_html(page, " <span>");
        an_html_number(page, shares[i].part);
        an_html(page, " of ");
        an_html_number(page, shares[i].whole);
        an_html(page, "</span></dd></div>\n");
    }
    an_html(page, "</dl>\n");
}

void an_page_share_cell(struct an_buffer *page, struct an_report_share share, const char *class)
{
    an_buffer_print(page, "<td class=\"%s\">", class);
    if (share.whole) {
        put_bar(page, share);
        an_html_percent(page, share.part, share.whole);
    } else {
        an_html(page, "\xe2\x80\x93");
    }
    an_html(page, "</td>");
}

void an_page_count(struct an_buffer *page, const char *tag, uint64_t count)
{
    an_buffer_print(page, "<%s", tag);
    if (count >= 1000) {
        an_html(page, " title=");
        an_html_number(page, count);
    }
    an_html(page, ">");
    an_html_short_number(page, count);
    an_buffer_print(page, "</%s>", tag);
}
