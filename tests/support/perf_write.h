/*
 * Writing perf.data files as `perf record -e cycles:u -j any,u` would, event by event, to a file of
 * any size. Nothing of the library is used here: the layout comes from the kernel's and perf's
 * documentation once more, and the peers (perf script, perf2bolt) read what is written.
 *
 * Times are nanoseconds and must not decrease, except that events of time 0 may come first.
 */
#ifndef AN_TEST_PERF_WRITE_H
#define AN_TEST_PERF_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_branch {
    uint64_t from, to;
    bool mispredicted;
};

struct perf_thread {
    pid_t pid, tid;
};

struct perf_mapping {
    uint64_t start, size, offset; /* offset: of the file */
    unsigned major, minor;
    uint64_t inode;
    const char *path; /* or "[vdso]" and the like, "//anon" */
};

struct perf_writer;

/* Creates the file; NULL with errno set when that fails. */
struct perf_writer *perf_writer_open(const char *path);

/* A thread's name; exec: the process has just begun to run another program. */
void perf_write_comm(struct perf_writer *writer, uint64_t time, struct perf_thread thread,
                     const char *name, bool exec);
/* An executable mapping of a file. */
void perf_write_mmap(struct perf_writer *writer, uint64_t time, struct perf_thread thread,
                     const struct perf_mapping *mapping);
/* A new thread (same pid as its parent) or process. */
void perf_write_fork(struct perf_writer *writer, uint64_t time, struct perf_thread thread,
                     struct perf_thread parent);
/* A branch stack, newest branch first; the sample's instruction is where the newest one went. */
void perf_write_sample(struct perf_writer *writer, uint64_t time, struct perf_thread thread,
                       uint64_t period, const struct perf_branch *branches, size_t count);
/* All events up to the round before the last one may now be sorted and handed on. */
void perf_write_round(struct perf_writer *writer);

/* The build-id of a file that is mapped; at most 20 bytes count. Kept until the end. */
void perf_write_build_id(struct perf_writer *writer, const char *path, const uint8_t *id,
                         size_t size);

/* Finishes the file. False, with errno set, when any of the writing failed. */
bool perf_writer_close(struct perf_writer *writer);

#endif
