/*
 * An event of perf_event_open(2) in all threads of a process, and of those that it starts, on every
 * processor.
 *
 *     processor 0             processor 1             ...
 *     ring buffer             ring buffer
 *       ^ an event that         ^                         owns the buffer: threads end, it does not
 *       | counts nothing        |
 *       +- thread 1             +- thread 1
 *       +- thread 2             +- thread 2
 *
 * The kernel gives the event to what a thread starts ("inherit"): threads, and processes too, if
 * they are wanted. Kernels before 5.13 cannot tell the two apart; there new threads are looked for
 * in /proc.
 */
#ifndef AN_RECORD_PERF_EVENTS_H
#define AN_RECORD_PERF_EVENTS_H

#include "record/perf_ring.h"

struct an_perf_events;

/*
 * Finds out whether an event of the process (0: the caller) may be opened, and takes out of attr
 * what this kernel does not know but can be done without: build ids, inherit_thread together with
 * inherit, and a frequency above what is allowed. Returns 0 or an errno.
 */
int an_perf_attr_settle(struct perf_event_attr *attr, int32_t pid);

/* Why an event of whatever kind could not be opened: no such process, no memory, no file descriptors, of which each
 * thread has `required`. */
enum an_code an_perf_open_fail(int number, int32_t pid, const char *required,
                               struct an_error *error);

/* The error that an errno of perf_event_open means. */
enum an_code an_perf_events_fail(int number, int32_t pid, struct an_error *error);

/*
 * Opens and starts the event, which has been settled: with attr->inherit for threads and, unless
 * attr->inherit_thread, for processes. On failure *out is NULL.
 */
enum an_code an_perf_events_open(const struct perf_event_attr *attr, int32_t pid,
                                 struct an_perf_events **out, struct an_error *error);
void an_perf_events_free(struct an_perf_events *events); /* may be NULL */

/* Waits until a buffer fills up, a signal comes, or so long. */
void an_perf_events_wait(struct an_perf_events *events, int milliseconds);

/* Hands out what is in the buffers. *bytes is the size of it. */
enum an_code an_perf_events_read(struct an_perf_events *events, an_perf_record_callback *callback,
                                 void *context, uint64_t *bytes, struct an_error *error);

/* Looks for threads that are new, and whether any process is left. */
enum an_code an_perf_events_look(struct an_perf_events *events, bool *left, struct an_error *error);

/* No more samples are taken from here on. */
void an_perf_events_stop(struct an_perf_events *events);

/* CPU time of the threads while the event was in force; nanoseconds. */
uint64_t an_perf_events_run_time(const struct an_perf_events *events);

uint64_t an_perf_events_threads(const struct an_perf_events *events);   /* that were seen */
uint64_t an_perf_events_processes(const struct an_perf_events *events); /* that were seen */

#endif
