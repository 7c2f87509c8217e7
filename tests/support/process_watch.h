/*
 * What /proc tells about processes while they run: their threads, children, names and executable
 * mappings, written as the events that the kernel would have recorded.
 */
#ifndef AN_TEST_PROCESS_WATCH_H
#define AN_TEST_PROCESS_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "support/perf_write.h"

struct process_watch;

struct process_watch *process_watch_new(struct perf_writer *writer, bool follow_forks);
void process_watch_free(struct process_watch *watch);

/* From now on the process is watched. False when there is no memory for it. */
bool process_watch_add(struct process_watch *watch, pid_t pid);

/* Writes what is new about mappings and the program of a process. */
void process_watch_mappings(struct process_watch *watch, pid_t pid, uint64_t time);

/* Looks for new threads, and for new children if they are followed, and writes them. */
void process_watch_tasks(struct process_watch *watch, uint64_t time);

/* Whether a watched process is alive. */
bool process_watch_any(const struct process_watch *watch);

/* Of the threads that were running at the last look, one by a random number; tid 0: none. */
struct perf_thread process_watch_pick(const struct process_watch *watch, uint64_t random);

#endif
