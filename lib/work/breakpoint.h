/*
 * Execution breakpoints that only count: perf events of PERF_TYPE_BREAKPOINT, which use the debug registers of the
 * processor. No signal is sent and nothing is stopped; each entry costs the thread a debug exception.
 */
#ifndef AN_WORK_BREAKPOINT_H
#define AN_WORK_BREAKPOINT_H

#include <linux/perf_event.h>

#include "base/error.h"

enum { AN_DEBUG_REGISTERS = 4 };

/* Counts when the instruction at `address` is about to be executed. */
struct perf_event_attr an_breakpoint_attr(uint64_t address);

/* perf_event_open(2) for a thread (0: the caller), on any processor, in the group of `leader` (-1: its own). Returns a
 * file descriptor, or -1 with errno. */
int an_breakpoint_open(const struct perf_event_attr *attr, int32_t tid, int leader);

/* The error that an errno of it means, for process `pid`. */
enum an_code an_breakpoint_fail(int number, int32_t pid, struct an_error *error);

/* Seconds of CPU time that an entry costs on this machine, tried on the calling thread. AN_UNSUPPORTED when breakpoints do
 * not count every entry. Takes some milliseconds. */
enum an_code an_breakpoint_cost(double *seconds, struct an_error *error);

#endif
