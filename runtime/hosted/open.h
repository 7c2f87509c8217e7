/* Descriptors of the runtime's own. */
#ifndef AN_RT_OPEN_H
#define AN_RT_OPEN_H

#include <sys/types.h>

/*
 * As open() does it, closed by exec, and never one of 0, 1 and 2: where the program has these closed, what it or the
 * runtime prints would go into the profile. Negative, with errno, on failure.
 */
int an_rt_open(const char *path, int flags, mode_t mode);

#endif
