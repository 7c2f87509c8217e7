/* What is said of a condition in all of gcov's forms. */
#ifndef AN_GCOV_CONDITION_H
#define AN_GCOV_CONDITION_H

#include <anneal/coverage.h>

/* How many of its outcomes are covered, of two for each term. */
static inline int an_gcov_covered(const struct an_coverage_condition *condition)
{
    return __builtin_popcountll(condition->when_true) + __builtin_popcountll(condition->when_false);
}

#endif
