/*
 * Adding the file of a later run, straight from its bytes. What libgcov leaves behind after several runs of
 * a program is what its files, one for each run, become when they are added up.
 *
 *     bytes ─► records ─► checked against what is there ─► steps ─► done, one after the other
 *
 * The file is looked through to its end before anything is added, so that it counts whole or not at all.
 * What was found then are the steps: counters that have values, and where these are.
 */
#ifndef AN_GCC_GCDA_ADD_H
#define AN_GCC_GCDA_ADD_H

#include "gcc/gcda.h"

/* Whose values come first in lists. It matters where lists are full, and to the bytes of the result. */
enum an_gcda_order {
    AN_GCDA_LATER_FIRST, /* libgcov: a run adds to its own lists what the file has of runs before */
    AN_GCDA_EARLIER_FIRST, /* gcov-tool */
};

struct an_gcda_added {
    uint64_t total;   /* of the arcs' counts of what was added; stops at 2^64-1 */
    size_t functions; /* that it had */
};

/*
 * It is done in two halves: finding out what is to be added, and adding it. The first one looks only at
 * what another file's second half leaves alone, unless that one adopts; so they may go on at once.
 */
struct an_gcda_step {
    uint32_t counters; /* of those that are there */
    uint32_t count;
    const uint8_t *values;
};

struct an_gcda_newcomer { /* a function that only the later run has; its record stands there */
    size_t function, at;
};

/* The first thing in which a function of both files differs. */
struct an_gcda_difference {
    bool exists;
    size_t function; /* its number in both */
    uint32_t ident;
    uint32_t line_sums[2]; /* of the files before, and of the later one */
    const char *what;      /* whose checksum it is, if `is_sum`; else what the function has */
    bool is_sum;
    uint32_t before, now;
};

/* Fills in an error that says so. `called`: what else is known of the function, behind its number; or "". */
enum an_code an_gcda_tell_difference(const struct an_gcda_difference *difference,
                                     const char *called, struct an_error *error);

struct an_gcda_plan {
    struct an_gcda_walk walk;
    struct an_gcda_difference difference; /* if that was the error */
    unsigned adoptions;                   /* of the one that it is made for */
    size_t functions, present;            /* that the file has, and that are there */
    struct an_gcda_record summary;        /* `what` is AN_GCDA_END when there is none */
    struct {
        AN_VECTOR(struct an_gcda_step);
    } steps;
    struct {
        AN_VECTOR(struct an_gcda_newcomer);
    } newcomers;
    struct {
        AN_VECTOR(struct an_gcc_program);
    } programs;
    struct {
        AN_VECTOR(uint64_t);
    } scratch;
};

/*
 * Begins with all zeros, and may be used again and again. It points into the file. AN_MALFORMED and the like when the
 * file is bad, AN_MISMATCH when both are not of the same object, with the function that tells.
 */
enum an_code an_gcda_look(struct an_gcda_plan *plan, const struct an_gcda *into,
                          struct an_bytes later, struct an_error *error);
/* Adds what is known of a program that has the object. False when memory runs out. */
bool an_gcda_add_program(struct an_gcda *into, const struct an_gcc_program *later);

void an_gcda_plan_free(struct an_gcda_plan *plan);

/* Whether functions come by it that are not there yet. */
static inline bool an_gcda_adopts(const struct an_gcda_plan *plan)
{
    return plan->newcomers.count != 0;
}

/* Whether `into` has changed since, so that the plan is no good any more. */
static inline bool an_gcda_is_outdated(const struct an_gcda_plan *plan, const struct an_gcda *into)
{
    return plan->adoptions != into->adoptions;
}

/* False when memory runs out; then `into` is good for nothing. */
bool an_gcda_apply(struct an_gcda *into, struct an_gcda_plan *plan, enum an_gcda_order order,
                   struct an_gcda_added *added);

#endif
