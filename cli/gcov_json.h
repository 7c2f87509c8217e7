/* Coverage as the JSON of gcov 12. */
#ifndef AN_CLI_GCOV_JSON_H
#define AN_CLI_GCOV_JSON_H

#include <anneal/coverage.h>

#include "base/bytes.h"

struct gcov_json {
    bool branches;
    /* Of all; then each source has its own, and its path, which gcov does not tell. NULL: none. */
    const struct an_coverage_totals *totals;
    const char *folder;    /* where the compiler ran; NULL: it is not known */
    const char *data_file; /* what the user named; NULL: many */
    bool (*takes)(void *context, const struct an_coverage_source *source); /* NULL: all */
    void *context;
};

/* Without a line's end; the lines of instances have to be apart. */
void gcov_json(const struct gcov_json *json, const struct an_coverage *coverage,
               struct an_buffer *to);

#endif
