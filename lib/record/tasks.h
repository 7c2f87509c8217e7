/*
 * Which processes and threads are recorded, and what becomes of them: from /proc, written as the
 * records that the kernel would make (COMM, FORK, EXIT, MMAP2, build-ids).
 */
#ifndef AN_RECORD_TASKS_H
#define AN_RECORD_TASKS_H

#include "record/perf_writer.h"

struct an_tasks;

/* At so many threads one may look at a time. */
enum { AN_TASKS_MOST = 64 };

/*
 * Watches a process, and its children if wanted. What is there already is written with time 0. `picks`:
 * an_tasks_pick() and an_tasks_interrupted() will be used.
 */
enum an_code an_tasks_open(int32_t pid, bool children, bool picks, struct an_perf_writer *writer,
                           struct an_tasks **out, struct an_error *error);
void an_tasks_free(struct an_tasks *tasks);

/*
 * Looks for threads and processes that are new or gone and, at every tenth time, for other programs
 * and mappings, and writes them. False when no process is left, or memory runs out.
 */
bool an_tasks_look(struct an_tasks *tasks, uint64_t time);

/* The same for threads and children that came since, so that they have their chance however short
 * they live. Costs little while the machine has no new thread. */
void an_tasks_refresh(struct an_tasks *tasks, uint64_t time);

/*
 * A thread or, if children are watched, a process that has just begun, and is not known yet unless a look
 * has found it. False when it does not belong to what is watched, or is gone.
 */
bool an_tasks_born(struct an_tasks *tasks, struct an_perf_thread id, uint64_t time);

/* A thread has ended. If it was never known, it counts as one that was seen; else the next look drops it. */
void an_tasks_ended(struct an_tasks *tasks, struct an_perf_thread id);

/* From now on threads will be picked. */
void an_tasks_will_pick(struct an_tasks *tasks);

/* A process executes another program: only its first thread is left. */
void an_tasks_executed(struct an_tasks *tasks, int32_t pid, uint64_t time);

/* Calls a function for each thread that is known. It must not change what is. */
void an_tasks_each(const struct an_tasks *tasks,
                   void (*call)(void *context, struct an_perf_thread id), void *context);

/* Whether an address is in a mapping of the process that has been written. */
bool an_tasks_knows(const struct an_tasks *tasks, int32_t pid, uint64_t address);

/* Writes what is new about the mappings and the program of a process. */
void an_tasks_look_at_mappings(struct an_tasks *tasks, int32_t pid, uint64_t time);

/* How many threads may be picked: all but those that have not run between the last two looks. */
size_t an_tasks_active(const struct an_tasks *tasks);

/*
 * One of the processors on which the threads ran in the last seconds, each with the same chance; -1
 * when none is known. *number: how many these are, or 1.
 */
int an_tasks_cpu(const struct an_tasks *tasks, uint64_t *random, size_t *number);

/*
 * Picks an active thread at random, each with the same chance; tid 0 when it neither runs nor is ready
 * to. `already`: so many were picked before, since the last refresh; these are left out. `random` is
 * the state of a generator (random.h). If the process runs another program than before, this is
 * noticed, and written.
 */
struct an_perf_thread an_tasks_pick(struct an_tasks *tasks, size_t already, uint64_t time,
                                    uint64_t *random);

/*
 * The thread that ran on processor `cpu` until the caller took that for itself, if it is one of `most`
 * active threads that are picked at random; else tid 0. When none ran there, it may be one that
 * waited.
 */
struct an_perf_thread an_tasks_interrupted(struct an_tasks *tasks, int cpu, size_t most,
                                           uint64_t time, uint64_t *random);

/* For how long a thread has been ready to run but had to wait for a processor, in all its life;
 * nanoseconds, 0 when the kernel does not tell. */
uint64_t an_tasks_waited(const struct an_tasks *tasks, int32_t tid);

/* Where the kernel's data for the vdso lies in a process: from [vvar] to [vdso]; 0 and 0: nowhere. */
void an_tasks_vvar(const struct an_tasks *tasks, int32_t pid, uint64_t *start, uint64_t *end);

/* Whether an address is in the vdso of a process. */
bool an_tasks_in_vdso(const struct an_tasks *tasks, int32_t pid, uint64_t address);

/* CPU time of all that are or were watched, since each was first seen; nanoseconds. */
uint64_t an_tasks_run_time(struct an_tasks *tasks);

uint64_t an_tasks_threads(const struct an_tasks *tasks);   /* that were seen */
uint64_t an_tasks_processes(const struct an_tasks *tasks); /* that were seen */

#endif
