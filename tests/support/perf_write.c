/*
 * Writing perf.data files; see perf_write.h.
 *
 *     0    header, 104 bytes: "PERFILE2", 104, the size of an attribute with its ids (144);
 *          offset and size of the attributes, of the data, of event types (none); 256 feature bits
 *     104  one attribute: 128 bytes of perf_event_attr; offset and size of its ids (none)
 *     248  data: events, each {u32 type, u16 misc, u16 size} and its payload
 *     ...  a section {u64 offset, u64 size} for every feature bit set, right after the data
 *     ...  the features: here only the build-ids
 *
 *     SAMPLE   ip, {u32 pid, tid}, time, period, number of branches, {from, to, flags}...
 *     MMAP2    {u32 pid, tid}, start, size, file offset, {u32 major, minor}, inode, generation,
 *              {u32 protection, flags}, path, trailer
 *     COMM     {u32 pid, tid}, name, trailer
 *     FORK     {u32 pid, parent's pid, tid, parent's tid}, time, trailer
 *     trailer  {u32 pid, tid}, time
 */
#include "support/perf_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_SIZE = 104,
    ATTRIBUTE_SIZE = 128,
    SECTION_SIZE = 16,
    DATA_AT = HEADER_SIZE + ATTRIBUTE_SIZE + SECTION_SIZE,
    FEATURE_BUILD_ID = 2,
    LONGEST_NAME = 4096,
    MOST_BRANCHES = 1024,
    BUILD_ID_SIZE = 20,
};

enum event_type {
    EVENT_MMAP2 = 10,
    EVENT_COMM = 3,
    EVENT_FORK = 7,
    EVENT_SAMPLE = 9,
    EVENT_BUILD_ID = 67,
    EVENT_FINISHED_ROUND = 68,
};

enum event_misc { MISC_USER = 2, MISC_COMM_EXEC = 1 << 13, MISC_BUILD_ID_SIZE = 1 << 15 };

/* Fields of perf_event_attr. */
enum {
    SAMPLE_IP = 1,
    SAMPLE_TID = 1 << 1,
    SAMPLE_TIME = 1 << 2,
    SAMPLE_PERIOD = 1 << 8,
    SAMPLE_BRANCH_STACK = 1 << 11,

    FLAG_DISABLED = 1 << 0,
    FLAG_INHERIT = 1 << 1,
    FLAG_EXCLUDE_KERNEL = 1 << 5,
    FLAG_EXCLUDE_HYPERVISOR = 1 << 6,
    FLAG_MMAP = 1 << 8,
    FLAG_COMM = 1 << 9,
    FLAG_FREQUENCY = 1 << 10,
    FLAG_TASK = 1 << 13,
    FLAG_SAMPLE_ID_ALL = 1 << 18,
    FLAG_MMAP2 = 1 << 23,
    FLAG_COMM_EXEC = 1 << 24,

    BRANCH_USER = 1,
    BRANCH_ANY = 1 << 3,

    FREQUENCY = 4000,
};

struct build_id {
    char *path;
    uint8_t bytes[BUILD_ID_SIZE];
    size_t size;
};

struct perf_writer {
    FILE *file;
    int error; /* the first one */
    uint64_t written;
    struct build_id ids[64];
    size_t id_number;
    uint8_t event[65528];
    size_t event_size;
};

/* ---- events are put together in memory ---- */

static void put(struct perf_writer *w, const void *bytes, size_t size)
{
    if (size > sizeof w->event - w->event_size)
        size = sizeof w->event - w->event_size;
    memcpy(w->event + w->event_size, bytes, size);
    w->event_size += size;
}

static void put16(struct perf_writer *w, unsigned value)
{
    uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    put(w, bytes, sizeof bytes);
}

static void put32(struct perf_writer *w, uint64_t value)
{
    put16(w, value & 0xffff);
    put16(w, value >> 16 & 0xffff);
}

static void put64(struct perf_writer *w, uint64_t value)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    put(w, bytes, sizeof bytes);
}

/* A string with its final 0, filled up with more of them to a multiple of eight. */
static void put_name(struct perf_writer *w, const char *name)
{
    static const uint8_t zeros[8];
    size_t length = strnlen(name, LONGEST_NAME - 1);
    put(w, name, length);
    put(w, zeros, 8 - length % 8);
}

static void put_thread(struct perf_writer *w, struct perf_thread thread)
{
    put32(w, (uint32_t)thread.pid);
    put32(w, (uint32_t)thread.tid);
}

static void put_trailer(struct perf_writer *w, uint64_t time, struct perf_thread thread)
{
    put_thread(w, thread);
    put64(w, time);
}

static void write_bytes(struct perf_writer *w, const void *bytes, size_t size)
{
    if (!w->error && size && fwrite(bytes, size, 1, w->file) != 1)
        w->error = errno ? errno : EIO;
    w->written += size;
}

static void flush_bytes(struct perf_writer *w)
{
    write_bytes(w, w->event, w->event_size);
    w->event_size = 0;
}

static void begin(struct perf_writer *w, enum event_type type, unsigned misc)
{
    put32(w, type);
    put16(w, misc);
    put16(w, 0); /* the size, when it is known */
}

static void end(struct perf_writer *w)
{
    w->event[6] = (uint8_t)w->event_size;
    w->event[7] = (uint8_t)(w->event_size >> 8);
    flush_bytes(w);
}

/* ---- the head of the file ---- */

static void put_attribute(struct perf_writer *w)
{
    put32(w, 0); /* hardware */
    put32(w, ATTRIBUTE_SIZE);
    put64(w, 0); /* cycles */
    put64(w, FREQUENCY);
    put64(w, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_BRANCH_STACK);
    put64(w, 0); /* the format of counts that are read */
    put64(w, FLAG_DISABLED | FLAG_INHERIT | FLAG_EXCLUDE_KERNEL | FLAG_EXCLUDE_HYPERVISOR |
                 FLAG_MMAP | FLAG_COMM | FLAG_FREQUENCY | FLAG_TASK | FLAG_SAMPLE_ID_ALL |
                 FLAG_MMAP2 | FLAG_COMM_EXEC);
    put64(w, 0); /* wake-up, breakpoint type */
    put64(w, 0);
    put64(w, 0);
    put64(w, BRANCH_USER | BRANCH_ANY);
    while (w->event_size < HEADER_SIZE + ATTRIBUTE_SIZE)
        put64(w, 0);
    put64(w, DATA_AT); /* no ids: one event needs none */
    put64(w, 0);
}

static void put_head(struct perf_writer *w, uint64_t data_size)
{
    put(w, "PERFILE2", 8);
    put64(w, HEADER_SIZE);
    put64(w, ATTRIBUTE_SIZE + SECTION_SIZE);
    put64(w, HEADER_SIZE);
    put64(w, ATTRIBUTE_SIZE + SECTION_SIZE);
    put64(w, DATA_AT);
    put64(w, data_size);
    put64(w, 0); /* event types are a thing of the past */
    put64(w, 0);
    put64(w, w->id_number ? 1 << FEATURE_BUILD_ID : 0);
    for (int i = 1; i < 4; i++)
        put64(w, 0);
    put_attribute(w);
}

struct perf_writer *perf_writer_open(const char *path)
{
    struct perf_writer *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->file = fopen(path, "wb");
    if (!w->file) {
        free(w);
        return NULL;
    }
    put_head(w, 0);
    flush_bytes(w);
    return w;
}

/* ---- events ---- */

void perf_write_comm(struct perf_writer *w, uint64_t time, struct perf_thread thread,
                     const char *name, bool exec)
{
    begin(w, EVENT_COMM, exec ? MISC_COMM_EXEC : 0);
    put_thread(w, thread);
    put_name(w, name);
    put_trailer(w, time, thread);
    end(w);
}

void perf_write_mmap(struct perf_writer *w, uint64_t time, struct perf_thread thread,
                     const struct perf_mapping *mapping)
{
    enum { READ_EXECUTE = 5, PRIVATE = 2 };
    begin(w, EVENT_MMAP2, MISC_USER);
    put_thread(w, thread);
    put64(w, mapping->start);
    put64(w, mapping->size);
    put64(w, mapping->offset);
    put32(w, mapping->major);
    put32(w, mapping->minor);
    put64(w, mapping->inode);
    put64(w, 0);
    put32(w, READ_EXECUTE);
    put32(w, PRIVATE);
    put_name(w, mapping->path);
    put_trailer(w, time, thread);
    end(w);
}

void perf_write_fork(struct perf_writer *w, uint64_t time, struct perf_thread thread,
                     struct perf_thread parent)
{
    begin(w, EVENT_FORK, 0);
    put32(w, (uint32_t)thread.pid);
    put32(w, (uint32_t)parent.pid);
    put32(w, (uint32_t)thread.tid);
    put32(w, (uint32_t)parent.tid);
    put64(w, time);
    put_trailer(w, time, parent); /* the event happens in the parent */
    end(w);
}

void perf_write_sample(struct perf_writer *w, uint64_t time, struct perf_thread thread,
                       uint64_t period, const struct perf_branch *branches, size_t count)
{
    enum { MISPREDICTED = 1, PREDICTED = 2 };
    if (count > MOST_BRANCHES)
        count = MOST_BRANCHES;
    begin(w, EVENT_SAMPLE, MISC_USER);
    put64(w, count ? branches[0].to : 0);
    put_thread(w, thread);
    put64(w, time);
    put64(w, period);
    put64(w, count);
    for (size_t i = 0; i < count; i++) {
        put64(w, branches[i].from);
        put64(w, branches[i].to);
        put64(w, branches[i].mispredicted ? MISPREDICTED : PREDICTED);
    }
    end(w);
}

void perf_write_round(struct perf_writer *w)
{
    begin(w, EVENT_FINISHED_ROUND, 0);
    end(w);
}

/* ---- features ---- */

void perf_write_build_id(struct perf_writer *w, const char *path, const uint8_t *id, size_t size)
{
    for (size_t i = 0; i < w->id_number; i++)
        if (strcmp(w->ids[i].path, path) == 0)
            return;
    if (w->id_number == sizeof w->ids / sizeof *w->ids || size == 0)
        return;
    struct build_id *entry = &w->ids[w->id_number];
    entry->path = strdup(path);
    if (!entry->path) {
        w->error = w->error ? w->error : ENOMEM;
        return;
    }
    entry->size = size < BUILD_ID_SIZE ? size : BUILD_ID_SIZE;
    memcpy(entry->bytes, id, entry->size);
    w->id_number++;
}

static void write_id(struct perf_writer *w, const struct build_id *id)
{
    begin(w, EVENT_BUILD_ID, MISC_USER | MISC_BUILD_ID_SIZE);
    put32(w, (uint32_t)-1); /* any process */
    put(w, id->bytes, BUILD_ID_SIZE);
    put32(w, id->size);
    put_name(w, id->path);
    end(w);
}

static void move_to(struct perf_writer *w, uint64_t offset)
{
    if (!w->error && fseeko(w->file, (off_t)offset, SEEK_SET) != 0)
        w->error = errno;
}

/* Sizes are known at the end only: the table and the head are written, and then once more. */
static void finish(struct perf_writer *w)
{
    uint64_t data_end = w->written, features_at = data_end + SECTION_SIZE, features_end;
    if (w->id_number) {
        put64(w, features_at);
        put64(w, 0);
        flush_bytes(w);
        for (size_t i = 0; i < w->id_number; i++)
            write_id(w, &w->ids[i]);
        features_end = w->written;
        move_to(w, data_end);
        put64(w, features_at);
        put64(w, features_end - features_at);
        flush_bytes(w);
    }
    move_to(w, 0);
    put_head(w, data_end - DATA_AT);
    flush_bytes(w);
}

bool perf_writer_close(struct perf_writer *w)
{
    finish(w);
    if (fclose(w->file) != 0 && !w->error)
        w->error = errno;
    int error = w->error;
    for (size_t i = 0; i < w->id_number; i++)
        free(w->ids[i].path);
    free(w);
    errno = error;
    return error == 0;
}
