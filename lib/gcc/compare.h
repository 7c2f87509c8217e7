/*
 * How alike the counts of one module are in two profiles.
 *
 * GCC finds the counts of a function by its number (ident), and takes them if the checksum of its control flow is
 * the same; so it is here. gcov-tool compares the functions of a module by their places, whatever they are. For
 * profiles of one build that is the same.
 */
#ifndef AN_GCC_COMPARE_H
#define AN_GCC_COMPARE_H

#include <anneal/gcc.h>

#include "gcc/gcda.h"

/* What the counts of one of the profiles are compared with. */
struct an_gcc_side {
    double total;  /* of all modules */
    double hot;    /* a function is hot with a count at or above this share */
    int64_t above; /* a module is hot with a count above this */
};

/* `hot` is not negative. */
void an_gcc_side_of(struct an_gcc_side *side, uint64_t total, double hot);

/*
 * Compares a module. Files that are not there have no functions. What is in *module but its heat is filled in;
 * the caller frees its functions, also on failure: AN_NO_MEMORY.
 */
enum an_code an_gcc_compare(const struct an_gcc_side *base_side, const struct an_gcda *base,
                            const struct an_gcc_side *test_side, const struct an_gcda *test,
                            struct an_gcc_overlap_module *module, struct an_error *error);

/* How hot a module is; one of all zeros is absent. */
enum an_gcc_heat an_gcc_heat_of(const struct an_gcc_side *side, const struct an_gcda *gcda);

#endif
