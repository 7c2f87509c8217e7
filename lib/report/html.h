/*
 * Writing HTML: everything that comes from a program or its sources goes through here, and leaves as text
 * that no browser takes for markup.
 */
#ifndef AN_REPORT_HTML_H
#define AN_REPORT_HTML_H

#include <stdint.h>

#include "base/bytes.h"

/* Markup, as it is. */
void an_html(struct an_buffer *page, const char *markup);

/*
 * Text, for between tags and for attributes in double quotes: any bytes. What is not UTF-8 or no character becomes
 * U+FFFD, and control characters their pictures, for HTML has no way to write them.
 */
void an_html_text(struct an_buffer *page, const void *text, size_t size);
void an_html_string(struct an_buffer *page, const char *text);

/* A part of an address: anything but letters, digits and "-._~/" as %XX. */
void an_html_address(struct an_buffer *page, const char *text, size_t size);

/* A string of a script, with its quotes. */
void an_html_script_string(struct an_buffer *page, const char *text);

/* 1234567 as "1,234,567". */
void an_html_number(struct an_buffer *page, uint64_t number);

/* 1234567 as "1.2M"; never more than there is: 1999 is "1.9k". */
void an_html_short_number(struct an_buffer *page, uint64_t number);

/* "73.2%" of whole, which is not 0. "100%" is all, and "0%" is nothing, not nearly. */
void an_html_percent(struct an_buffer *page, uint64_t part, uint64_t whole);

#endif
