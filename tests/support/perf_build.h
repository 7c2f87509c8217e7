/*
 * Made-up recordings: a perf.data of any shape, as a file or as the stream of a pipe, in either
 * byte order, compressed or not. Nothing of lib/branch is used here: the layout comes from the
 * kernel's perf_event.h and from perf's description of the format once more, and
 * tests/perf/test_peer.sh lets perf read what is written.
 *
 *     struct perf_builder b = {.big = true};
 *     perf_event(&b, &(struct perf_event_spec){.sample_type = PERF_SAMPLE_IP | ...});
 *     perf_comm(&b, &(struct perf_task_spec){.pid = 7, .name = "worker", .exec = true});
 *     perf_mmap2(&b, &(struct perf_mapping_spec){.pid = 7, .start = 0x400000, ...});
 *     perf_sample(&b, &(struct perf_sample_spec){.ip = 0x401000, .branches = ..., ...});
 *     perf_finish(&b, &file);          // struct an_buffer file
 *     perf_builder_free(&b);
 *
 * Memory that runs out shows in `failed` of the buffer, as always with struct an_buffer.
 */
#ifndef AN_TEST_PERF_BUILD_H
#define AN_TEST_PERF_BUILD_H

#include "base/bytes.h"

enum { PERF_BUILD_EVENTS = 8, PERF_BUILD_IDS = 4, PERF_BUILD_BUILD_IDS = 8 };

/* Bits of sample_type and branch_type are those of <linux/perf_event.h>. */
struct perf_event_spec {
    uint32_t type;
    uint64_t config;
    uint64_t sample_type;
    uint64_t read_format;
    uint64_t branch_type;
    uint64_t period;
    bool frequency;
    bool no_sample_id_all; /* other records have no time and pid at their ends */
    const char *name;      /* NULL: "cycles" */
    uint64_t ids[PERF_BUILD_IDS];
    size_t id_count;
};

struct perf_builder {
    /* to be chosen before the first call */
    bool big;
    bool pipe;
    size_t compress;  /* not 0: compress, so many bytes of records in each COMPRESSED record */
    bool compressed2; /* ...as COMPRESSED2 records */
    bool unfinished;  /* as perf record leaves it when it is killed */
    bool no_features;
    /* the rest is the builder's */
    struct perf_event_spec events[PERF_BUILD_EVENTS];
    size_t event_count;
    struct an_buffer records;
    struct an_buffer build_ids;
};

/* Returns the index of the event. The strings are not copied. */
unsigned perf_event(struct perf_builder *b, const struct perf_event_spec *event);

struct perf_task_spec {
    uint32_t pid, tid; /* tid 0: the same as pid */
    uint32_t parent_pid, parent_tid;
    uint64_t time;
    const char *name;
    bool exec;
    unsigned event; /* whose layout and id the record has */
};
void perf_comm(struct perf_builder *b, const struct perf_task_spec *task);
void perf_fork(struct perf_builder *b, const struct perf_task_spec *task);
void perf_exit(struct perf_builder *b, const struct perf_task_spec *task);

struct perf_mapping_spec {
    uint32_t pid, tid;
    uint64_t time;
    uint64_t start, length, file_offset;
    uint32_t device_major, device_minor;
    uint64_t inode, inode_generation;
    uint32_t protection, flags; /* 0: PROT_READ | PROT_EXEC, MAP_PRIVATE */
    const char *filename;
    const uint8_t *build_id; /* instead of device and inode */
    size_t build_id_size;
    uint16_t misc; /* 0: user mode */
    unsigned event;
};
void perf_mmap(struct perf_builder *b, const struct perf_mapping_spec *mapping);
void perf_mmap2(struct perf_builder *b, const struct perf_mapping_spec *mapping);

struct perf_branch {
    uint64_t from, to;
    uint64_t flags; /* as on a little-endian machine: 1 mispredicted, 2 predicted, cycles << 4... */
};

/* Fields that the event's sample_type does not have are left out. */
struct perf_sample_spec {
    unsigned event;
    uint16_t misc; /* 0: user mode */
    uint64_t ip, time, addr, stream_id, period;
    uint64_t id; /* 0: the first of the event's */
    uint32_t pid, tid, cpu;
    const uint64_t *callchain;
    size_t callchain_count;
    const void *raw;
    uint32_t raw_size; /* 8 * n + 4 */
    size_t read_count; /* counters in a group */
    const struct perf_branch *branches;
    size_t branch_count;
    uint64_t hardware_index;
};
void perf_sample(struct perf_builder *b, const struct perf_sample_spec *sample);

/* Any record; payload without the head. */
void perf_record(struct perf_builder *b, uint32_t type, uint16_t misc, const void *payload,
                 size_t size);
void perf_finished_round(struct perf_builder *b);

/* AUXTRACE, with so many bytes of data behind it. */
void perf_auxtrace(struct perf_builder *b, uint64_t size);
void perf_lost(struct perf_builder *b, unsigned event, uint64_t count);

/* A build id for the feature, or right here in a pipe. size 20 is the usual one. */
void perf_build_id(struct perf_builder *b, const uint8_t *bytes, size_t size, uint32_t pid,
                   uint16_t misc, const char *filename);

/* Numbers in the byte order of the file, for what has no function. */
void perf_put(const struct perf_builder *b, struct an_buffer *to, uint64_t value, size_t size);

/* Puts the whole file together. */
void perf_finish(struct perf_builder *b, struct an_buffer *file);
void perf_builder_free(struct perf_builder *b);

/* Both, into a file in memory; the caller closes it. It can be opened as /proc/self/fd/NUMBER. */
int perf_file(struct perf_builder *b);

#endif
