/*
 * Finding the word that was meant: the Damerau-Levenshtein distance, in its form that changes no letter twice
 * (optimal string alignment), by one row of the table after the other.
 *
 *             s h o w        each field: the distance between the beginnings above and left of it;
 *         0 1 2 3 4          from the left: a letter left out, from above: one added,
 *       s 1 0 1 2 3          across: kept or replaced, across two rows: two neighbours swapped
 *       h 2 1 0 1 2
 *       w 3 2 1 1 1
 *       o 4 3 2 1 1  <--     "shwo" and "show" are 1 apart
 */
#include "suggest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 }; /* no command, option or value has more letters */

bool suggest_has(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words) != 0)
        words++;
    return *words;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t suggest_distance(const char *one, const char *other)
{
    size_t rows[3][LONGEST + 1], height = strlen(one), width = strlen(other);
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    if (height > LONGEST || width > LONGEST)
        return height > width ? height : width;
    for (size_t x = 0; x <= width; x++)
        above[x] = before[x] = x;
    for (size_t y = 1; y <= height; y++) {
        row[0] = y;
        for (size_t x = 1; x <= width; x++) {
            row[x] = least(above[x], row[x - 1]) + 1;
            row[x] = least(row[x], above[x - 1] + (one[y - 1] != other[x - 1]));
            if (x > 1 && y > 1 && one[y - 1] == other[x - 2] && one[y - 2] == other[x - 1])
                row[x] = least(row[x], before[x - 2] + 1);
        }
        size_t *free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[width];
}

/* A third of the letters may be wrong: with more, it is another word. */
static size_t most_wrong(const char *typed)
{
    return (strlen(typed) + 2) / 3;
}

void suggest_consider(struct suggestion *suggestion, const char *word)
{
    const char *typed = suggestion->typed;
    size_t length = strlen(typed), distance = suggest_distance(typed, word);
    if (length > 1 && strncmp(typed, word, length) == 0)
        distance = 0; /* an abbreviation, in which nothing is wrong */
    if (distance > most_wrong(typed) || distance >= strlen(word))
        return;
    if (!suggestion->nearest || distance < suggestion->distance) {
        suggestion->nearest = word;
        suggestion->distance = distance;
    }
}

const char *suggest_text(const struct suggestion *suggestion, const char *prefix)
{
    static char text[LONGEST + 32];
    text[0] = '\0';
    if (suggestion->nearest)
        snprintf(text, sizeof text, "; did you mean '%s%s'?", prefix, suggestion->nearest);
    return text;
}
