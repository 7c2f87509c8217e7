/*
 * Which texts LLVM quotes in YAML, and how: in single quotes what could be read as something else, in double quotes what
 * has bytes that are no printable ASCII.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/yaml_layout.h"

enum quotes { NO_QUOTES, SINGLE, DOUBLE };

static bool is_word(const char *text, size_t length)
{
    static const char *const words[] = {"null", "Null",  "NULL",  "~",     "true", "True",
                                        "TRUE", "false", "False", "FALSE", NULL};
    for (size_t i = 0; words[i]; i++)
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0)
            return true;
    return false;
}

static bool equals_one(const char *text, size_t length, const char *const words[3])
{
    for (size_t i = 0; i < 3; i++)
        if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0)
            return true;
    return false;
}

static size_t digits(const char *text, size_t length, size_t at)
{
    while (at < length && text[at] >= '0' && text[at] <= '9')
        at++;
    return at;
}

static bool has_only(const char *text, size_t length, const char *set)
{
    for (size_t i = 0; i < length; i++)
        if (!text[i] || !strchr(set, text[i]))
            return false;
    return length > 0;
}

/* Digits, with a point within or before, and an exponent. */
static bool is_decimal(const char *text, size_t length)
{
    if (text[0] == 'e' || text[0] == 'E' ||
        (text[0] == '.' && (length == 1 || text[1] < '0' || text[1] > '9')))
        return false;
    size_t at = digits(text, length, 0);
    if (at < length && text[at] == '.')
        at = digits(text, length, at + 1);
    if (at == length)
        return true;
    if (text[at] != 'e' && text[at] != 'E')
        return false;
    at++;
    if (at < length && (text[at] == '+' || text[at] == '-'))
        at++;
    return at < length && digits(text, length, at) == length;
}

static bool is_number(const char *text, size_t length)
{
    static const char *const none[] = {".nan", ".NaN", ".NAN"};
    static const char *const infinite[] = {".inf", ".Inf", ".INF"};
    size_t sign = text[0] == '+' || text[0] == '-';
    if (length == sign)
        return false;
    if (equals_one(text, length, none) || equals_one(text + sign, length - sign, infinite))
        return true;
    if (length > 1 && text[0] == '0' && text[1] == 'o')
        return has_only(text + 2, length - 2, "01234567");
    if (length > 1 && text[0] == '0' && text[1] == 'x')
        return has_only(text + 2, length - 2, "0123456789abcdefABCDEF");
    return is_decimal(text + sign, length - sign);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static enum quotes quotes_of(const char *text, size_t length)
{
    if (length == 0)
        return SINGLE;
    bool is_plain = !is_blank(text[0]) && !is_blank(text[length - 1]) && !is_word(text, length) &&
                    !is_number(text, length) && text[0] &&
                    !strchr("-?:\\,[]{}#&*!|>'\"%@`", text[0]);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((c < ' ' && c != '\t') || c >= 0x7f)
            return DOUBLE;
        is_plain = is_plain && (isalnum(c) || strchr("_-^., \t", c));
    }
    return is_plain ? NO_QUOTES : SINGLE;
}

/* ---- writing them ---- */

static void put_single(struct an_buffer *buffer, const char *text, size_t length)
{
    an_buffer_put(buffer, "'", 1);
    for (size_t i = 0; i < length; i++)
        an_buffer_put(buffer, text[i] == '\'' ? "''" : text + i, text[i] == '\'' ? 2 : 1);
    an_buffer_put(buffer, "'", 1);
}

/* Control characters have letters or two digits; what is no ASCII stays as it is. */
static void put_double(struct an_buffer *buffer, const char *text, size_t length)
{
    static const char from[] = "\\\"\0\a\b\t\n\v\f\r\x1b", letters[] = "\\\"0abtnvfre";
    an_buffer_put(buffer, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        const char *found = memchr(from, text[i], sizeof letters - 1);
        if (found)
            an_buffer_print(buffer, "\\%c", letters[found - from]);
        else if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            an_buffer_print(buffer, "\\x%02X", (unsigned)(unsigned char)text[i]);
        else
            an_buffer_put(buffer, text + i, 1);
    }
    an_buffer_put(buffer, "\"", 1);
}

void an_yaml_put_text(struct yaml_layout *layout, const char *text, size_t length)
{
    switch (quotes_of(text, length)) {
    case NO_QUOTES:
        an_buffer_put(layout->buffer, text, length);
        break;
    case SINGLE:
        put_single(layout->buffer, text, length);
        break;
    case DOUBLE:
        put_double(layout->buffer, text, length);
        break;
    }
}
