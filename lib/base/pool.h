/* Running tasks on a few threads that share nothing until the end. */
#ifndef AN_BASE_POOL_H
#define AN_BASE_POOL_H

#include <stddef.h>

/* How many processors this process may use; at least 1. */
unsigned an_pool_processors(void);

/*
 * Calls task(context, 0) ... task(context, count - 1), each once, on up to `threads` threads, the
 * calling one among them, and returns when all are done. When threads cannot be made the caller
 * does their share: it never fails.
 */
void an_pool_run(unsigned threads, size_t count, void (*task)(void *context, size_t index),
                 void *context);

#endif
