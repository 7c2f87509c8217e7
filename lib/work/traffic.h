/*
 * What a process reads and writes, as a measure of its work: the kernel counts these bytes anyway (/proc/PID/io), so that counting
 * costs the process nothing and goes on all the time.
 *
 *     a server          requests come in, answers go out        bytes are in proportion to its work
 *     an interpreter    hardly reads or writes                  its functions count (choose.h)
 *
 * Bytes and not calls: when a process gets faster, it finds less in a pipe or a socket each time, and calls more often for the same.
 * The kernel counts read(), write(), their vectors and sendfile(), on sockets as well; it does not count recv() and
 * send(). One direction will do.
 *
 * When a process waits for a child that has ended, the kernel adds to its bytes what the child has read and written; nothing tells how
 * much. The faults of children that were waited for tell that it happened: readings before and after are not of one count
 * then, and what was counted in between is not used.
 */
#ifndef AN_WORK_TRAFFIC_H
#define AN_WORK_TRAFFIC_H

#include <anneal/work.h>

#include "base/error.h"

enum { AN_TRAFFIC_COUNTS = 2 }; /* in the readings: bytes read, bytes written */

struct an_traffic;

/*
 * Whether the traffic of a process counts its work is seen in less than a second: there has to be much of it, steadily, of
 * threads that take most of the process's CPU time. *out is closed by the caller; NULL on failure: AN_UNSUPPORTED when it does
 * not, AN_SYSTEM when the kernel does not tell.
 */
enum an_code an_traffic_open(const struct an_work_options *options, struct an_traffic **out,
                             struct an_error *error);
void an_traffic_close(struct an_traffic *traffic); /* may be NULL */

/* Bytes, and CPU time of the whole process. False, and nothing, when it has ended or executes another program. */
bool an_traffic_read(struct an_traffic *traffic, struct an_work_reading *reading);

/* "bytes read", "bytes written" */
const char *an_traffic_name(size_t count);

#endif
