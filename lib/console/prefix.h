/*
 * What stands in front of every line of a console: the core that printed it, and the time.
 *
 *     [   12.345678] PP3:~CONSOLE-> M9V-D...
 *     ╰──── time ──╯ ╰─ the same ─╯
 *
 * A file's prefix is what its line "begin" has in front. A line belongs to the file when it begins with
 * the same text; only times may differ, for they do from line to line: 12.345678, 05:48:50,
 * 00:00:12.345,678, 2024-05-01T05:48:50.123Z, May 1 05:48:50, with any number of blanks before them. All
 * other numbers must be the same, since one of them is the core's.
 */
#ifndef AN_CONSOLE_PREFIX_H
#define AN_CONSOLE_PREFIX_H

#include "base/bytes.h"

enum { AN_PREFIX_MOST = 160 };

struct an_prefix {
    char key[AN_PREFIX_MOST]; /* not terminated; '\1' stands for a time */
    size_t size;
    size_t solid; /* of it, without the blanks at its end */
    size_t tail;  /* so much of its end has no time */
    bool has_time;
};

/* False when the text is too long for a prefix. */
bool an_prefix_of(struct an_prefix *prefix, const char *text, size_t size);

/* Where the rest of the line begins when it has the first `size` of the prefix's key; else SIZE_MAX. */
size_t an_prefix_match(const struct an_prefix *prefix, size_t size, const char *text,
                       size_t text_size);

/* The same for each size less than the whole one, up to the first that does not match; returns how many. */
size_t an_prefix_steps(const struct an_prefix *prefix, const char *text, size_t text_size,
                       size_t at[AN_PREFIX_MOST]);

/* Makes it shorter. */
void an_prefix_cut(struct an_prefix *prefix, size_t size);

/* False when it is plain at a glance that a text does not have it all. */
static inline bool an_prefix_may_match(const struct an_prefix *prefix, const char *text,
                                       size_t text_size)
{
    size_t size = prefix->size;
    if (prefix->has_time || size == 0)
        return true;
    if (text_size < size)
        return text_size >= prefix->solid;
    if (size < 8)
        return text[0] == prefix->key[0];
    return an_load64(text + size - 8) == an_load64(prefix->key + size - 8);
}

/* Whether there may be lines that begin with both. */
bool an_prefix_overlaps(const struct an_prefix *one, const struct an_prefix *other);

bool an_prefix_same(const struct an_prefix *one, const struct an_prefix *other);

/* The last number in it that is no time, or -1. */
int an_prefix_core(const struct an_prefix *prefix);

#endif
