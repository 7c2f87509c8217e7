/*
 * Locks of files and folders, which go with the process that holds them. Who holds one may be stopped, or mean no good: so
 * nobody waits for ever.
 */
#ifndef AN_RT_LOCK_H
#define AN_RT_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Waits for the lock of an open file or folder; false, with EWOULDBLOCK: too long, which for processes of other users is a
 * second. Other errors: there are no locks here.
 */
bool an_rt_lock_file(int file);

void an_rt_unlock_file(int file);

/* When a process of another user was last waited for in vain, by a clock that only goes on; 0: never. */
uint64_t an_rt_gave_up_at(void);

#endif
