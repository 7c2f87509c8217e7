/*
 * Writing perf.data, record by record, to a file of any size or into a pipe.
 *
 * A file takes its name only when an_perf_writer_close() has written all of it; an_perf_writer_drop()
 * leaves nothing behind. "-" is the standard output, to which the form for pipes is written, and
 * what names no regular file (a FIFO, /dev/null) gets that form, too. docs/formats/perf-data.md draws both.
 *
 * Errors while writing are kept until the end: close() reports the first one.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC. Between two calls of an_perf_writer_round() they may be
 * in any order, but none may be before the last but one such call: readers sort by rounds.
 */
#ifndef AN_RECORD_PERF_WRITER_H
#define AN_RECORD_PERF_WRITER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/proc.h"

struct an_perf_writer;

struct an_perf_thread {
    int32_t pid, tid;
};

struct an_perf_branch {
    uint64_t from, to;
};

/*
 * `attr` is that of the one event; it must have sample_id_all with TID and TIME. `name` is what the
 * event is called. The caller closes or drops the result. On failure *out is NULL.
 */
enum an_code an_perf_writer_open(const char *path, const struct perf_event_attr *attr,
                                 const char *name, struct an_perf_writer **out,
                                 struct an_error *error);

/* A thread's name; exec: the process has just begun to run another program. */
void an_perf_writer_comm(struct an_perf_writer *writer, uint64_t time, struct an_perf_thread thread,
                         const char *name, bool exec);

/* An executable mapping of a file (MMAP2). */
void an_perf_writer_mmap(struct an_perf_writer *writer, uint64_t time, struct an_perf_thread thread,
                         const struct an_proc_map *mapping);

/* A new thread (same pid as its parent) or process; the end of one. */
void an_perf_writer_fork(struct an_perf_writer *writer, uint64_t time, struct an_perf_thread thread,
                         struct an_perf_thread parent);
void an_perf_writer_exit(struct an_perf_writer *writer, uint64_t time, struct an_perf_thread thread,
                         struct an_perf_thread parent);

/*
 * A branch stack, given oldest branch first (and written newest first, as perf has it). `ip` is the
 * place of the sample, `period` its weight in units of the event. The event's sample_type is IP |
 * TID | TIME | PERIOD | BRANCH_STACK. Whether branches were predicted is not known: neither bit.
 */
void an_perf_writer_sample(struct an_perf_writer *writer, uint64_t time,
                           struct an_perf_thread thread, uint64_t ip, uint64_t period,
                           const struct an_perf_branch *branches, size_t count);

/* A record as the kernel made it, head and all; `size` bytes. */
void an_perf_writer_record(struct an_perf_writer *writer, const void *record, size_t size);

/* All records before the last but one of these may be sorted and handed on. */
void an_perf_writer_round(struct an_perf_writer *writer);

/* The build-id of a file that is mapped; at most 20 bytes count. Written once for each path. */
void an_perf_writer_build_id(struct an_perf_writer *writer, const char *path, struct an_bytes id);

/* Whether close() will fail: no more needs to be written. */
bool an_perf_writer_failed(const struct an_perf_writer *writer);

/* Finishes, and frees the writer in any case. */
enum an_code an_perf_writer_close(struct an_perf_writer *writer, struct an_error *error);

/* The same for a recording in which there are so many samples. Of one without any nothing is kept: AN_EMPTY. */
enum an_code an_perf_writer_end(struct an_perf_writer *writer, uint64_t samples,
                                struct an_error *error);

/* Frees the writer; nothing is left of the file. May be NULL. */
void an_perf_writer_drop(struct an_perf_writer *writer);

#endif
