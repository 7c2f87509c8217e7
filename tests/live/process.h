/* A process as lib/live sees it, whatever its program is: for unit tests that have a child, or use themselves. */
#ifndef AN_LIVE_PROCESS_H
#define AN_LIVE_PROCESS_H

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/proc.h"
#include "live/target.h"
#include "support/test.h"

/* The caller gives it to close_process(). */
static inline struct an_target open_process(int32_t pid)
{
    struct an_target target = {.pid = pid, .living = pid};
    struct an_proc_stat stat;
    struct an_error error;
    char path[64];
    assert_true(an_proc_stat(pid, 0, &stat));
    target.start = stat.start;
    target.stack = an_proc_stack(pid);
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    target.memory = open(path, O_RDWR | O_CLOEXEC);
    assert_true(target.memory >= 0);
    assert_int_equal(an_target_look(&target, &error), AN_OK);
    return target;
}

static inline void close_process(struct an_target *target)
{
    an_target_close(target);
}

#endif
