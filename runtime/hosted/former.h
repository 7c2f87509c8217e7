/*
 * The file of the run before: a name without %m is that of one file for one process, with all its libraries, the children
 * that it forks included, and the next run's replaces it. So what stood there when the first of them began is former, and
 * anything else is theirs, or that of a process that ran meanwhile, and is added to.
 *
 *     process.h ─► formers: for each name, what stood there (if anything)
 *
 * A child has a copy of what its parent knew.
 */
#ifndef AN_RT_FORMER_H
#define AN_RT_FORMER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct an_rt_former {
    uint64_t name; /* a number made of it; 0: this one is free */
    dev_t device;
    ino_t file; /* 0: there was none */
    struct timespec changed;
    off_t size;
};

/*
 * What stood under the name when this process, or one that it is a copy of, asked first. Called with the lock. NULL: the
 * process has had too many names, and adds to whatever there is.
 */
const struct an_rt_former *an_rt_former(const char *name);

/* Whether the file is that one still. */
bool an_rt_is_former(const struct an_rt_former *former, const struct stat *is);

#endif
