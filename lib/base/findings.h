/*
 * What an examination found: a list of things that are in order, that cost something, or that do not
 * work, each with what to do about it. The texts live in the structure; nothing has to be freed.
 */
#ifndef AN_BASE_FINDINGS_H
#define AN_BASE_FINDINGS_H

#include <stddef.h>

#include <anneal/export.h>

enum an_level {
    AN_IN_ORDER,
    AN_LOSS,    /* it works, but not as well as it could */
    AN_PROBLEM, /* it does not work */
};

struct an_finding {
    const char *about; /* one or two words, lower case: "build-id" */
    enum an_level level;
    char what[256];
    char remedy[160]; /* what to do, or "" */
};

enum { AN_MOST_FINDINGS = 16 };

struct an_findings {
    struct an_finding items[AN_MOST_FINDINGS];
    size_t count;
};

/* Adds a finding without a remedy; `about` is kept as a pointer. */
struct an_finding *an_findings_add(struct an_findings *findings, const char *about,
                                   enum an_level level, const char *what, ...) AN_PRINTF(4, 5);

void an_finding_remedy(struct an_finding *finding, const char *remedy, ...) AN_PRINTF(2, 3);

/* The level of the worst finding. */
enum an_level an_findings_worst(const struct an_findings *findings);

/* "ok", "warning" or "problem". */
const char *an_level_name(enum an_level level);

#endif
