/*
 * What an examination found: a list of things that are in order, that cost something, or that do not
 * work, each with what to do about it. The texts live in the structure; nothing has to be freed.
 */
#ifndef AN_BASE_DIAGNOSTICS_H
#define AN_BASE_DIAGNOSTICS_H

#include <stddef.h>

#include <anneal/export.h>

enum an_level {
    AN_IN_ORDER,
    AN_LOSS,    /* it works, but not as well as it could */
    AN_PROBLEM, /* it does not work */
};

struct an_diagnostic {
    const char *about; /* one or two words, lower case: "build-id" */
    enum an_level level;
    char what[256];
    char remedy[160]; /* what to do, or "" */
};

enum { AN_MOST_DIAGNOSTICS = 16 };

struct an_diagnostics {
    struct an_diagnostic items[AN_MOST_DIAGNOSTICS];
    size_t count;
};

/* Adds a diagnostic without a remedy; `about` is kept as a pointer. */
struct an_diagnostic *an_diagnostics_add(struct an_diagnostics *diagnostics, const char *about,
                                         enum an_level level, const char *what, ...)
    AN_PRINTF(4, 5);

void an_diagnostic_remedy(struct an_diagnostic *diagnostic, const char *remedy, ...)
    AN_PRINTF(2, 3);

/* The level of the worst diagnostic. */
enum an_level an_diagnostics_worst(const struct an_diagnostics *diagnostics);

/* "ok", "warning" or "problem". */
const char *an_level_name(enum an_level level);

#endif
