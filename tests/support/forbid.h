/*
 * Forbidding system calls, as the seccomp filters of containers do.
 */
#ifndef AN_TEST_FORBID_H
#define AN_TEST_FORBID_H

#include <stdbool.h>

enum forbid {
    FORBID_REFUSE, /* the call fails with EPERM */
    FORBID_KILL,   /* the caller dies of SIGSYS */
    FORBID_HANG,   /* the call does not return; *listener has to be kept open */
};

/* For the calling process from now on, and its children. False where this cannot be done. */
bool forbid(int system_call, enum forbid how, int *listener);

#endif
