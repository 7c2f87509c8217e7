/*
 * The kernel's records of page faults and mappings, turned into events for the replay.
 *
 *     SAMPLE   head | u64 event's id | u64 instruction | u32 pid, tid | u64 time | u64 address
 *     MMAP2    head | u32 pid, tid | u64 start, length, offset | u32 major, minor | u64 inode, generation |
 *              u32 protection, flags | path | trailer
 *     COMM     head | u32 pid, tid | name | trailer             with a bit in the head: an exec
 *     FORK     head | u32 pid, parent | u32 tid, parent's tid | u64 time | trailer
 *     LOST     head | u64 id | u64 number | trailer
 *     trailer  u32 pid, tid | u64 time | u64 event's id
 *
 * These are the fields that an_fault_attr() asks for.
 */
#ifndef AN_FAULTS_RECORDS_H
#define AN_FAULTS_RECORDS_H

#include <linux/perf_event.h>

#include "faults/replay.h"

/* What the kernel calls a file in its records. It is not always what stat() calls it: file systems
 * that are stacked (overlayfs), or have volumes (btrfs), have devices of their own for stat(). */
struct an_file_identity {
    uint32_t device_major, device_minor;
    uint64_t inode;
};

/* The event of major or of minor faults: all of them, with their addresses, in what a process does
 * from its next exec on, and in what it starts. The one of major faults tells of mappings, too. */
struct perf_event_attr an_fault_attr(bool is_major, bool with_kernel);

struct an_fault_decoder {
    const struct an_file_identity *files; /* that are watched */
    size_t file_count;
    const uint64_t *major_ids; /* ids of the events of major faults; others are of minor ones */
    size_t major_count;
    uint64_t lost; /* grows */
};

/* Takes a record, head and all. False when nothing comes of it. */
bool an_fault_decode(struct an_fault_decoder *decoder, const uint8_t *record, size_t size,
                     struct an_fault_event *event);

/* The file of an MMAP2 record; false when it is no such record, or there is no file. */
bool an_fault_file(const uint8_t *record, size_t size, struct an_file_identity *identity);

#endif
