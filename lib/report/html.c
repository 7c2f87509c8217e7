/* Writing HTML; see html.h. */
#include "report/html.h"

#include <string.h>

#include "base/percent.h"
#include "base/utf8.h"

void an_html(struct an_buffer *page, const char *markup)
{
    an_buffer_put(page, markup, strlen(markup));
}

/* ---- text ---- */

/* What stands for a byte that cannot stand for itself, or NULL. */
static const char *substitute(uint8_t byte)
{
    switch (byte) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case 0x7f:
        return "\xe2\x90\xa1";
    default:
        return NULL;
    }
}

static bool is_control(uint8_t byte)
{
    return byte < 0x20 && byte != '\t' && byte != '\n';
}

/* U+2400 and so on: pictures of the control characters. */
static void put_picture(struct an_buffer *page, uint8_t byte)
{
    const uint8_t picture[] = {0xe2, 0x90, 0x80 | byte};
    an_buffer_put(page, picture, sizeof picture);
}

/* U+FFFE and U+FFFF, which are no characters: XML must not have them. */
static bool is_none(const uint8_t *bytes, size_t length)
{
    return length == 3 && bytes[0] == 0xef && bytes[1] == 0xbf && bytes[2] >= 0xbe;
}

/* How many bytes from here on can be put as they are. */
static size_t plain_length(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        size_t length = an_utf8_length(bytes + at, size - at);
        if (length == 0 || is_control(bytes[at]) || substitute(bytes[at]) ||
            is_none(bytes + at, length))
            break;
        at += length;
    }
    return at;
}

void an_html_text(struct an_buffer *page, const void *text, size_t size)
{
    const uint8_t *bytes = text;
    for (size_t at = 0; at < size; at++) {
        size_t plain = plain_length(bytes + at, size - at);
        an_buffer_put(page, bytes + at, plain);
        at += plain;
        if (at == size)
            break;
        if (is_control(bytes[at]))
            put_picture(page, bytes[at]);
        else
            an_html(page, substitute(bytes[at]) ? substitute(bytes[at]) : "\xef\xbf\xbd");
    }
}

void an_html_string(struct an_buffer *page, const char *text)
{
    an_html_text(page, text, strlen(text));
}

/* ---- addresses and scripts ---- */

static bool is_of_addresses(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-._~/", c));
}

void an_html_address(struct an_buffer *page, const char *text, size_t size)
{
    for (const char *c = text; c < text + size; c++)
        if (is_of_addresses(*c))
            an_buffer_put(page, c, 1);
        else
            an_buffer_print(page, "%%%02X", (unsigned char)*c);
}

void an_html_script_string(struct an_buffer *page, const char *text)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t size = strlen(text);
    an_html(page, "\"");
    for (size_t at = 0, length; at < size; at += length ? length : 1) {
        length = an_utf8_length(bytes + at, size - at);
        if (length == 0)
            an_html(page, "\\ufffd");
        else if (bytes[at] < 0x20 || bytes[at] == '"' || bytes[at] == '\\' || bytes[at] == '<')
            an_buffer_print(page, "\\u%04x", bytes[at]);
        else
            an_buffer_put(page, bytes + at, length);
    }
    an_html(page, "\"");
}

/* ---- numbers ---- */

void an_html_number(struct an_buffer *page, uint64_t number)
{
    char text[32];
    char *start = text + sizeof text;
    for (int digits = 0; digits == 0 || number; digits++, number /= 10) {
        if (digits && digits % 3 == 0)
            *--start = ',';
        *--start = (char)('0' + number % 10);
    }
    an_buffer_put(page, start, (size_t)(text + sizeof text - start));
}

void an_html_short_number(struct an_buffer *page, uint64_t number)
{
    static const char units[] = "kMGTPE";
    uint64_t unit = 1000;
    size_t which = 0;
    if (number < 1000) {
        an_buffer_decimal(page, number, 0);
        return;
    }
    for (; number / unit >= 1000; unit *= 1000)
        which++;
    an_buffer_decimal(page, number / unit, 0);
    if (number / unit < 100)
        an_buffer_print(page, ".%c", (char)('0' + number % unit / (unit / 10)));
    an_buffer_print(page, "%c", units[which]);
}

void an_html_percent(struct an_buffer *page, uint64_t part, uint64_t whole)
{
    if (part == 0 || part >= whole) {
        an_html(page, part == 0 ? "0%" : "100%");
        return;
    }
    an_buffer_print(page, "%.1f%%", an_percent(part, whole, 1));
}
