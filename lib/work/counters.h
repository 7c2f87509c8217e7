/*
 * Entries at some addresses, and CPU time, counted in all threads of a process:
 *
 *     thread 1     breakpoint, breakpoint ...     each has counted so many entries, in so much CPU time
 *     thread 2     breakpoint, breakpoint ...
 *
 * The kernel gives the events to the threads that these start (inherit_thread), and adds up what they have counted
 * when they end: nothing is lost then. Kernels before 5.13 cannot do so without counting in child
 * processes, too; there, threads that are new are found by looking, and what they did before is not counted, neither entries nor
 * time.
 */
#ifndef AN_WORK_COUNTERS_H
#define AN_WORK_COUNTERS_H

#include <anneal/work.h>

#include "base/error.h"

struct an_counters;

/* Starts to count. `inherits`: unless the kernel cannot. The caller closes it; on failure *out is NULL. */
enum an_code an_counters_open(int32_t pid, const uint64_t *addresses, size_t count, bool inherits,
                              struct an_counters **out, struct an_error *error);
void an_counters_close(struct an_counters *counters); /* may be NULL */

/* What was counted since. Entries are those at each address; threads that have ended count, too. */
enum an_code an_counters_read(struct an_counters *counters, struct an_work_reading *reading,
                              struct an_error *error);

/* Counts no more, neither entries nor time, or goes on. What was counted stays. */
void an_counters_pause(struct an_counters *counters, bool pauses);

/* Threads that have got the events from here, and not from other threads. */
size_t an_counters_threads(const struct an_counters *counters);

#endif
