/*
 * Writes that are refused, and what comes with them: SIGXFSZ where a file may not be that large (ulimit -f), SIGPIPE
 * where nobody reads a pipe, each of which ends the program; SIGTTOU, which stops it, where a terminal belongs to others.
 * These are about what the runtime wrote, and no business of the program's. While they are blocked, the first two become
 * pending and can be taken back; the third does not come.
 */
#ifndef AN_RT_REFUSED_H
#define AN_RT_REFUSED_H

#include <signal.h>

/* All three. */
sigset_t an_rt_refusals(void);

/*
 * Takes back the signal of a write that failed with this errno, for which it was blocked; not one that was in `pending`,
 * before the write, which is the program's own.
 */
void an_rt_refused(int error, const sigset_t *pending);

#endif
