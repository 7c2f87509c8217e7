/* Asking for the time; see clock.h. */
#include "base/clock.h"

#include <time.h>

uint64_t an_clock_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

double an_clock_seconds(void)
{
    return (double)an_clock_now() * 1e-9;
}
