/*
 * The inputs of one module on their way into one file, by any number of threads.
 *
 *     load, weigh, look through ─► wait for one's turn ─► add
 *
 * Inputs are added in their order, since it counts (top.h, places.h); all that comes before adding takes
 * most of the time, and does not have to wait.
 */
#ifndef AN_GCC_MERGE_MODULE_H
#define AN_GCC_MERGE_MODULE_H

#include <anneal/gcc.h>

#include <pthread.h>
#include <stdatomic.h>

#include "gcc/gcda_add.h"

struct an_gcc_module {
    const struct an_gcc_input *inputs; /* of all modules */
    struct an_ledger_entry *entries;   /* of these */
    const size_t *numbers;             /* which ones are this module's */
    size_t count;
    enum an_gcda_order order;
    pthread_mutex_t lock;   /* of the following */
    pthread_cond_t turned;  /* it is another one's turn */
    size_t next, used;      /* the next one to take, and how many were added */
    atomic_size_t turn;     /* the one to add; written under the lock */
    struct an_error error;  /* when memory ran out */
    pthread_rwlock_t shape; /* written when functions come, read by those who look */
    struct an_gcda gcda;    /* when `used` is not 0 */
    size_t first;           /* the first good one: its number among all inputs, */
    int64_t written;        /* and when it was written, in seconds since 1970 */
};

/* Those before `lock` are set. */
void an_gcc_module_begin(struct an_gcc_module *module);
void an_gcc_module_end(struct an_gcc_module *module);

/*
 * Takes inputs until there are none left; what becomes of them is in their entries. Any number of threads may
 * do so. True for the one that added the last one, when the whole is there.
 */
bool an_gcc_module_work(struct an_gcc_module *module);

#endif
