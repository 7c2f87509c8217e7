/*
 * How often an address is reached, for a short while and at a limited cost: a breakpoint that ends by itself.
 */
#ifndef AN_WORK_ATTEMPT_H
#define AN_WORK_ATTEMPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { AN_ATTEMPTS = 3 }; /* at a time: one debug register is left to debuggers */

struct an_attempt {
    uint64_t address;
    uint64_t entries; /* in all threads */
    double seconds;   /* of CPU time in which they were counted */
};

/*
 * Counts up to AN_ATTEMPTS addresses in some threads of process `pid` until one of them has run for `seconds`, and at most
 * ten times as long. In each thread, the count of an address ends at `limit` entries. AN_USAGE: no thread is left.
 */
enum an_code an_attempt(int32_t pid, const int32_t *threads, size_t thread_count,
                        struct an_attempt *attempts, size_t count, unsigned limit, double seconds,
                        struct an_error *error);

#endif
