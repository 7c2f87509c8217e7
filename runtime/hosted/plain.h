/*
 * Profiles of programs in a sandbox, which end at once when they make a system call that is not on their list: with
 * ANNEAL_PROFILE_PLAIN=1 a profile takes open, write, close and rename, and no other call.
 *
 *     NAME.PID-TIME.new ──rename──► NAME.PID-TIME
 *
 * TIME is when the program started, in hexadecimal. Nothing is read, locked or added to; whoever merges the profiles
 * adds them up. What the process writes later is NAME.PID-TIME-2 and so on.
 */
#ifndef AN_RT_PLAIN_H
#define AN_RT_PLAIN_H

#include <sys/types.h>

#include "hosted/commit.h"

/* When this copy starts. scratch: so much memory will be needed, and cannot be had any more then. */
void an_rt_plain_begin(size_t scratch);

/* Makes the file. False after a message. Only contents->write is used. */
bool an_rt_plain_write(const char *path, const struct an_rt_contents *contents);

#endif
