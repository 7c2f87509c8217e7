/*
 * Watching the page faults of a process that is about to exec, and of all that it starts.
 *
 *     processor 0              processor 1              ...
 *     ring buffer              ring buffer
 *       ^ major faults, inherited: each has an event, which owns the buffer
 *       ^ minor faults, inherited: each has an event, which writes there, too
 *
 * The kernel allows no buffer for an inherited event of all processors, so there is one for each. What
 * is in them is brought into the order of time and replayed, round by round.
 */
#ifndef AN_FAULTS_WATCH_H
#define AN_FAULTS_WATCH_H

#include <sys/types.h>

#include "base/error.h"
#include "faults/records.h"

struct an_watch;

/* Whether this user may watch, and also what the kernel does on behalf of a program. */
enum an_code an_watch_probe(bool *with_kernel, struct an_error *error);

/* What the kernel will call a file. */
enum an_code an_watch_identify(const char *path, struct an_file_identity *identity,
                               struct an_error *error);

/* Watches process `pid` from its next exec on. The files' text is counted in replay, which is the
 * caller's. On failure *out is NULL. */
enum an_code an_watch_open(pid_t pid, bool with_kernel, const struct an_file_identity *files,
                           size_t file_count, struct an_replay *replay, struct an_watch **out,
                           struct an_error *error);

/* Waits until a buffer fills up, `process` (a pidfd, or -1) ends, a signal comes, or so long.
 * `watch` may be NULL: then for the process only. */
void an_watch_wait(struct an_watch *watch, int process, int milliseconds);

/* Takes what is in the buffers. To be called some times in a second. */
enum an_code an_watch_round(struct an_watch *watch, struct an_error *error);

struct an_watch_counts {
    uint64_t major, minor; /* as the events themselves have counted them */
    uint64_t lost;
};

/* Nothing is counted from here on; what was is replayed to its end. */
enum an_code an_watch_finish(struct an_watch *watch, struct an_watch_counts *counts,
                             struct an_error *error);
void an_watch_free(struct an_watch *watch); /* may be NULL */

#endif
