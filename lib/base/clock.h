/* The time, as what is measured needs it. */
#ifndef AN_BASE_CLOCK_H
#define AN_BASE_CLOCK_H

#include <stdint.h>

/* Of the clock that nobody sets (CLOCK_MONOTONIC), in nanoseconds. */
uint64_t an_clock_now(void);

/* The same in seconds. */
double an_clock_seconds(void);

#endif
