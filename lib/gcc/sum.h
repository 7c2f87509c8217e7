/*
 * A merge without loss while it lasts: what its steps share.
 *
 *     sum.c         which inputs there are, and the results
 *     sum_add.c     files ─► by module ─► threads, one at a module ─┐
 *                   partial results, one after the other,           ├─► builds of modules
 *                       their modules by threads ───────────────────┘
 *     sum_choose.c  one build of each module
 */
#ifndef AN_GCC_SUM_H
#define AN_GCC_SUM_H

#include <anneal/gcc.h>

#include <pthread.h>

#include "base/map.h"
#include "gcc/partial.h"
#include "partial/gather.h"

/* The builds that there are of a module. */
struct an_gcc_summed {
    struct {
        AN_VECTOR(struct an_gcc_build);
    } builds;
    struct {
        AN_VECTOR(size_t);
    } items; /* the files of it, in the order of their digests */
};

struct an_gcc_sum {
    struct an_names names; /* of modules, copied */
    struct {
        AN_VECTOR(struct an_gcc_summed);
    } modules;
    size_t *order; /* of those that have a build: by their names, */
    size_t count;  /* and how many these are */
    bool is_partial;
};

struct an_gcc_summing {
    const struct an_gcc_sum_options *options;
    const struct an_gcc_source *sources;
    size_t count;
    struct an_gather_part *parts;
    struct an_gathering how;
    struct merge_items gathered;
    struct an_file *kept;
    struct an_ledger *ledger;
    struct an_gcc_sum *sum;
    size_t done, total;

    struct an_error late; /* of an input that was used in a partial result, and is not any more */

    pthread_mutex_t lock;  /* of what follows, and of `done` */
    struct an_error error; /* running out of memory */
};

/* Adds the files, and the partial results, that were gathered; the ledger says what became of each. */
enum an_code an_gcc_sum_add(struct an_gcc_summing *job, struct an_error *error);

/* Of each module the build of the first input stays, and the inputs of others are rejected. */
enum an_code an_gcc_sum_choose(struct an_gcc_summing *job, struct an_error *error);

#endif
