/*
 * Running llvm-bolt so that a binary made to break it gains nothing.
 *
 * The binary, and with it every byte that llvm-bolt parses, belongs to the user of the process. So when
 * root calls, llvm-bolt runs as that user: what takes it over could do no more than its user may anyway.
 * Whoever calls, it has limits, gets no privileges by what it executes, and has no terminal, no open files
 * of ours and, as another user, not our environment.
 */
#ifndef AN_LIVE_CONFINED_H
#define AN_LIVE_CONFINED_H

#include "live/owner.h"

struct an_confined {
    const char *program;
    char *const *arguments; /* ended by NULL */
    const char *input;      /* a file that it must be able to read */
    int log;                /* what it prints goes there */
    const struct an_owner *owner;
    uint64_t memory, file_size; /* at most, in bytes */
    uint64_t seconds;           /* of CPU time, at most */
};

/* Starts it, as the leader of a process group; false with errno on failure. It does not outlive the
 * thread that calls. */
bool an_confined_start(const struct an_confined *confined, pid_t *pid);

#endif
