/* A program that never was, with coverage as odd as tests of reports want it. */
#ifndef AN_TEST_COVERAGE_BUILD_H
#define AN_TEST_COVERAGE_BUILD_H

#include <anneal/coverage.h>

enum {
    LONG_SOURCE_LINES = 3000,
    MAIN_SOURCE = 0, /* index of /prog/src/main.c */
};

/* Eight sources below /prog/src; static. */
const struct an_coverage *made_coverage(void);

/* The text of one of them; false for /prog/src/lib/gone.c. Static. */
bool made_text(const struct an_coverage_source *source, const void **bytes, size_t *size);

#endif
