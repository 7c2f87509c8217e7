/*
 * Who holds the lock of a profile. Any user who may read it can hold its lock for good, and every program that adds to it
 * would wait at its exit.
 */
#ifndef AN_RT_HOLDER_H
#define AN_RT_HOLDER_H

#include <stdbool.h>

/* The process that holds the lock (flock(2)) of an open file; 0: none that can be seen. */
int an_rt_lock_holder(int file);

/*
 * Whether a process runs for another user than this one, or hides for whom. One that has ended may do so: its lock is held
 * by whoever has the open file from it.
 */
bool an_rt_is_of_other_user(int process);

#endif
