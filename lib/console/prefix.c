/* Prefixes of lines; see prefix.h. */
#include "console/prefix.h"

#include <stdint.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* How many digits stand at this place. */
static size_t digits(const char *text, size_t size, size_t at)
{
    size_t i = at;
    while (i < size && is_digit(text[i]))
        i++;
    return i - at;
}

static bool has(const char *text, size_t size, size_t at, char c)
{
    return at < size && text[at] == c;
}

/* .123456 or ,123 at this place; Zephyr prints .123,456. */
static size_t fraction(const char *text, size_t size, size_t at)
{
    size_t length = 0;
    for (int i = 0; i < 2; i++) {
        size_t here = at + length;
        if (!has(text, size, here, '.') && !has(text, size, here, ','))
            break;
        size_t count = digits(text, size, here + 1);
        if (count == 0 || count > 9)
            break;
        length += 1 + count;
    }
    return length;
}

/* 05:48 or 05:48:50.123 */
static size_t clock_length(const char *text, size_t size)
{
    size_t length = digits(text, size, 0);
    if (length == 0 || length > 3)
        return 0;
    size_t parts = 1;
    while (parts < 3 && has(text, size, length, ':') && digits(text, size, length + 1) == 2) {
        length += 3;
        parts++;
    }
    return parts > 1 ? length + fraction(text, size, length) : 0;
}

/* 12.345678: seconds since the start, or since 1970 */
static size_t seconds_length(const char *text, size_t size)
{
    size_t whole = digits(text, size, 0);
    if (whole == 0 || whole > 12 || !has(text, size, whole, '.'))
        return 0;
    size_t part = digits(text, size, whole + 1);
    return part >= 3 && part <= 9 ? whole + 1 + part : 0;
}

/* 2024-05-01 */
static size_t date_length(const char *text, size_t size)
{
    if (digits(text, size, 0) != 4 || (!has(text, size, 4, '-') && !has(text, size, 4, '/')))
        return 0;
    bool good =
        digits(text, size, 5) == 2 && has(text, size, 7, text[4]) && digits(text, size, 8) == 2;
    return good ? 10 : 0;
}

/* May  1, with the blank behind it */
static size_t month_length(const char *text, size_t size)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    size_t at = 3;
    for (size_t i = 0; i < sizeof names - 1; i += 3)
        if (size > 5 && memcmp(text, names + i, 3) == 0 && text[3] == ' ') {
            while (at < size && text[at] == ' ')
                at++;
            size_t day = digits(text, size, at);
            return (day == 1 || day == 2) && has(text, size, at + day, ' ') ? at + day + 1 : 0;
        }
    return 0;
}

static size_t zone_length(const char *text, size_t size, size_t at)
{
    if (has(text, size, at, 'Z'))
        return 1;
    if (!has(text, size, at, '+') && !has(text, size, at, '-'))
        return 0;
    size_t count = digits(text, size, at + 1);
    if (count == 4)
        return 5;
    return count == 2 && has(text, size, at + 3, ':') && digits(text, size, at + 4) == 2 ? 6 : 0;
}

/* How long the time is that begins here; 0: none does. */
static size_t time_length(const char *text, size_t size)
{
    size_t date = month_length(text, size), length = 0;
    if (!date) {
        date = date_length(text, size);
        if (date && (has(text, size, date, 'T') || has(text, size, date, ' ')) &&
            clock_length(text + date + 1, size - date - 1))
            date++;
    }
    length = date + clock_length(text + date, size - date);
    if (date && length > date)
        length += zone_length(text, size, length);
    if (!length)
        length = seconds_length(text, size);
    bool goes_on = length < size && (is_digit(text[length]) ||
                                     (text[length] == ':' && digits(text, size, length + 1)));
    return length && !goes_on ? length : 0;
}

static size_t blanks(const char *text, size_t size, size_t at)
{
    size_t i = at;
    while (i < size && (text[i] == ' ' || text[i] == '\t'))
        i++;
    return i - at;
}

bool an_prefix_of(struct an_prefix *prefix, const char *text, size_t size)
{
    size_t at = 0, count = 0;
    while (at < size) {
        size_t before = blanks(text, size, at);
        bool inside_number = at && is_digit(text[at - 1]) && !before;
        size_t time = inside_number ? 0 : time_length(text + at + before, size - at - before);
        if (count == AN_PREFIX_MOST)
            return false;
        prefix->key[count++] = time ? '\1' : text[at];
        at += time ? before + time : 1;
    }
    an_prefix_cut(prefix, count);
    return true;
}

void an_prefix_cut(struct an_prefix *prefix, size_t size)
{
    prefix->size = prefix->solid = size;
    while (prefix->solid && prefix->key[prefix->solid - 1] == ' ')
        prefix->solid--;
    for (prefix->tail = 0; prefix->tail < size; prefix->tail++)
        if (prefix->key[size - prefix->tail - 1] == '\1')
            break;
    prefix->has_time = prefix->tail < size;
}

/* Behind one more of the key; SIZE_MAX: the text has something else there. */
static size_t step(char key, const char *text, size_t size, size_t at)
{
    if (key != '\1')
        return at < size && text[at] == key ? at + 1 : SIZE_MAX;
    at += blanks(text, size, at);
    size_t time = time_length(text + at, size - at);
    return time ? at + time : SIZE_MAX;
}

size_t an_prefix_match(const struct an_prefix *prefix, size_t size, const char *text,
                       size_t text_size)
{
    size_t at = 0, end = size;
    if (!prefix->has_time && size <= text_size)
        return memcmp(prefix->key, text, size) == 0 ? size : SIZE_MAX;
    while (end && prefix->key[end - 1] == ' ')
        end--;
    for (size_t i = 0; i < size; i++) {
        if (at == text_size && i >= end)
            return at; /* nothing follows, and the blanks before it are lost */
        at = step(prefix->key[i], text, text_size, at);
        if (at == SIZE_MAX)
            return at;
    }
    return at;
}

size_t an_prefix_steps(const struct an_prefix *prefix, const char *text, size_t text_size,
                       size_t at[AN_PREFIX_MOST])
{
    size_t count = 0, here = 0;
    for (; count < prefix->size && here != SIZE_MAX; count++) {
        at[count] = here;
        here = step(prefix->key[count], text, text_size, here);
    }
    return count;
}

bool an_prefix_overlaps(const struct an_prefix *one, const struct an_prefix *other)
{
    size_t size = one->size < other->size ? one->size : other->size;
    for (size_t i = 0; i < size; i++)
        if (one->key[i] != other->key[i])
            return one->key[i] == '\1' || other->key[i] == '\1';
    return true;
}

bool an_prefix_same(const struct an_prefix *one, const struct an_prefix *other)
{
    return one->size == other->size && memcmp(one->key, other->key, one->size) == 0;
}

int an_prefix_core(const struct an_prefix *prefix)
{
    size_t end = prefix->size;
    while (end && !is_digit(prefix->key[end - 1]))
        end--;
    size_t start = end;
    while (start && is_digit(prefix->key[start - 1]))
        start--;
    int core = 0;
    if (end == start || end - start > 6)
        return -1;
    for (size_t i = start; i < end; i++)
        core = 10 * core + (prefix->key[i] - '0');
    return core;
}
