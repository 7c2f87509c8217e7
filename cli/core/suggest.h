/* "Did you mean ...?": of the words that would have been right, the one that is nearest to what was typed. */
#ifndef AN_CLI_CORE_SUGGEST_H
#define AN_CLI_CORE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

struct suggestion {
    const char *typed;
    const char *nearest; /* of the words considered so far; NULL when none is near enough */
    size_t distance;     /* between these two */
};

/* Whether a word is one of these (ended by NULL). */
bool suggest_has(const char *word, const char *const *words);

/* The least number of letters added, left out, replaced, or swapped with a neighbour. */
size_t suggest_distance(const char *one, const char *other);

/* Begin with {.typed = WORD}, then offer every word that would have been right. */
void suggest_consider(struct suggestion *suggestion, const char *word);

/* "; did you mean 'PREFIXnearest'?", or nothing, in a static buffer. */
const char *suggest_text(const struct suggestion *suggestion, const char *prefix);

#endif
