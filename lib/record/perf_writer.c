/*
 * Writing perf.data; see perf_writer.h. All numbers are in the machine's byte order.
 *
 *     a file                                           a pipe
 *       0    "PERFILE2", u64 104                         0   "PERFILE2", u64 16
 *            where the following are, 256 feature bits   16  HEADER_ATTR   head | attr | its id
 *     104    perf_event_attr | its ids: none                 EVENT_UPDATE  head | 2 | id | name
 *     ...    records                                         records, BUILD_ID among them
 *     ...    for each feature: u64 offset, size
 *     ...    features, build ids among them
 *
 *     head     u32 type | u16 misc | u16 size of the whole
 *     SAMPLE   head | ip | u32 pid, tid | time | period | number of branches | from, to, flags...
 *     MMAP2    head | u32 pid, tid | start | size | offset | u32 major, minor | inode | generation |
 *              u32 protection, flags | path | end
 *     COMM     head | u32 pid, tid | name | end
 *     FORK     head | u32 pid, parent's pid, tid, parent's tid | time | end      EXIT: the same
 *     end      u32 pid, tid | time                          (sample_id_all)
 *     BUILD_ID head | u32 process, -1: any | 20 bytes | u8 size, 3 bytes | path
 *
 * A name has its final 0, and is filled up to a multiple of 8. What is not said has 8 bytes.
 *
 * Records are put together where they leave from, in a buffer that has always room for the longest
 * one. The header of a file is written twice: before anything, and when the sizes are known.
 */
#include "record/perf_writer.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/output.h"
#include "perf/format.h"
#include "record/perf_features.h"

enum {
    BUFFER_SIZE = 256 << 10,
    LONGEST_NAME = 4095,
    MOST_BRANCHES = 1024, /* in a sample: far more than any processor keeps */
    MOST_BUILD_ID = 20,
    SECTION_SIZE = 16,
    ATTR_SIZE = sizeof(struct perf_event_attr),
    DATA_AT = PERF_FILE_HEADER + ATTR_SIZE + SECTION_SIZE,
    BRANCH_SIZE = 24,
    EVENT_ID = 1,
};

/* What is told of every recording, in the order of the numbers; build ids come before. */
static const enum perf_feature features[] = {
    PERF_FEATURE_HOSTNAME, PERF_FEATURE_OSRELEASE,  PERF_FEATURE_VERSION,      PERF_FEATURE_ARCH,
    PERF_FEATURE_CMDLINE,  PERF_FEATURE_EVENT_DESC, PERF_FEATURE_BRANCH_STACK,
};
enum { FEATURES = sizeof features / sizeof *features };

struct an_perf_writer {
    struct an_output output;
    struct perf_event_attr attr;
    const char *name;
    uint8_t *buffer;
    size_t used;
    size_t record;         /* where the one that is put together begins */
    uint64_t written;      /* bytes, before those in the buffer */
    struct an_error error; /* the first one; its code is AN_OK until then */
    struct an_names paths; /* that have a build-id */
    struct an_buffer ids;  /* the feature BUILD_ID of a file */
    struct an_arena arena; /* for names */
};

static void fail_memory(struct an_perf_writer *writer)
{
    if (writer->error.code == AN_OK)
        an_fail_memory(&writer->error);
}

/* ---- bytes ---- */

static bool is_pipe(const struct an_perf_writer *writer)
{
    return writer->output.in_place;
}

/* After an error nothing is written any more. */
static void write_bytes(struct an_perf_writer *writer, const void *bytes, size_t size)
{
    if (writer->error.code == AN_OK)
        an_output_write(&writer->output, (struct an_bytes){bytes, size}, &writer->error);
}

static void flush(struct an_perf_writer *writer)
{
    write_bytes(writer, writer->buffer, writer->used);
    writer->written += writer->used;
    writer->used = 0;
}

/* Room for `size` bytes, at most as many as a record has. */
static void make_room(struct an_perf_writer *writer, size_t size)
{
    if (BUFFER_SIZE - writer->used < size)
        flush(writer);
}

static void put(struct an_perf_writer *writer, const void *bytes, size_t size)
{
    memcpy(writer->buffer + writer->used, bytes, size);
    writer->used += size;
}

static void put32(struct an_perf_writer *writer, uint32_t value)
{
    put(writer, &value, sizeof value);
}

static void put64(struct an_perf_writer *writer, uint64_t value)
{
    put(writer, &value, sizeof value);
}

static void put_name(struct an_perf_writer *writer, const char *name)
{
    static const uint8_t zeros[8];
    size_t length = strnlen(name, LONGEST_NAME);
    put(writer, name, length);
    put(writer, zeros, 8 - length % 8);
}

static void put_thread(struct an_perf_writer *writer, struct an_perf_thread thread)
{
    put32(writer, (uint32_t)thread.pid);
    put32(writer, (uint32_t)thread.tid);
}

/* ---- records ---- */

static void put_head(struct an_perf_writer *writer, uint32_t type, uint16_t misc, uint16_t size)
{
    put32(writer, type);
    put(writer, &misc, sizeof misc);
    put(writer, &size, sizeof size);
}

static void begin(struct an_perf_writer *writer, enum perf_record_type type, uint16_t misc)
{
    make_room(writer, PERF_RECORD_MOST);
    writer->record = writer->used;
    put_head(writer, type, misc, 0);
}

static void end(struct an_perf_writer *writer)
{
    uint16_t size = (uint16_t)(writer->used - writer->record);
    memcpy(writer->buffer + writer->record + 6, &size, sizeof size);
}

/* Ends a record that is no sample. */
static void end_at(struct an_perf_writer *writer, uint64_t time, struct an_perf_thread thread)
{
    put_thread(writer, thread);
    put64(writer, time);
    end(writer);
}

void an_perf_writer_comm(struct an_perf_writer *writer, uint64_t time, struct an_perf_thread thread,
                         const char *name, bool exec)
{
    begin(writer, PERF_COMM, exec ? PERF_MISC_COMM_EXEC : 0);
    put_thread(writer, thread);
    put_name(writer, name);
    end_at(writer, time, thread);
}

void an_perf_writer_mmap(struct an_perf_writer *writer, uint64_t time, struct an_perf_thread thread,
                         const struct an_proc_map *mapping)
{
    begin(writer, PERF_MMAP2, PERF_MISC_USER);
    put_thread(writer, thread);
    put64(writer, mapping->start);
    put64(writer, mapping->size);
    put64(writer, mapping->offset);
    put32(writer, mapping->major);
    put32(writer, mapping->minor);
    put64(writer, mapping->inode);
    put64(writer, 0); /* the inode's generation: only the kernel knows */
    put32(writer, mapping->protection);
    put32(writer, mapping->flags);
    put_name(writer, mapping->path);
    end_at(writer, time, thread);
}

/* It happens in the thread `in`. */
static void put_task(struct an_perf_writer *writer, enum perf_record_type type, uint64_t time,
                     struct an_perf_thread thread, struct an_perf_thread parent,
                     struct an_perf_thread in)
{
    begin(writer, type, 0);
    put32(writer, (uint32_t)thread.pid);
    put32(writer, (uint32_t)parent.pid);
    put32(writer, (uint32_t)thread.tid);
    put32(writer, (uint32_t)parent.tid);
    put64(writer, time);
    end_at(writer, time, in);
}

void an_perf_writer_fork(struct an_perf_writer *writer, uint64_t time, struct an_perf_thread thread,
                         struct an_perf_thread parent)
{
    put_task(writer, PERF_FORK, time, thread, parent, parent);
}

void an_perf_writer_exit(struct an_perf_writer *writer, uint64_t time, struct an_perf_thread thread,
                         struct an_perf_thread parent)
{
    put_task(writer, PERF_EXIT, time, thread, parent, thread);
}

void an_perf_writer_sample(struct an_perf_writer *writer, uint64_t time,
                           struct an_perf_thread thread, uint64_t ip, uint64_t period,
                           const struct an_perf_branch *branches, size_t count)
{
    if (count > MOST_BRANCHES) { /* the newest are next to the ip */
        branches += count - MOST_BRANCHES;
        count = MOST_BRANCHES;
    }
    begin(writer, PERF_SAMPLE, PERF_MISC_USER);
    put64(writer, ip);
    put_thread(writer, thread);
    put64(writer, time);
    put64(writer, period);
    put64(writer, count);
    for (size_t i = count; i-- > 0;) {
        const uint64_t entry[BRANCH_SIZE / 8] = {branches[i].from, branches[i].to, 0};
        put(writer, entry, sizeof entry);
    }
    end(writer);
}

void an_perf_writer_record(struct an_perf_writer *writer, const void *record, size_t size)
{
    an_assert(size >= PERF_RECORD_HEAD && size <= PERF_RECORD_MOST);
    make_room(writer, size);
    put(writer, record, size);
}

void an_perf_writer_round(struct an_perf_writer *writer)
{
    begin(writer, PERF_FINISHED_ROUND, 0);
    end(writer);
    if (is_pipe(writer)) /* somebody may be waiting for it */
        flush(writer);
}

void an_perf_writer_build_id(struct an_perf_writer *writer, const char *path, struct an_bytes id)
{
    bool is_new = false;
    uint8_t field[MOST_BUILD_ID + 4] = {0};
    size_t size = id.size < MOST_BUILD_ID ? id.size : MOST_BUILD_ID;
    size_t length = strnlen(path, LONGEST_NAME);
    if (size == 0 || an_names_find(&writer->paths, path, length) != AN_NO_NAME)
        return;
    char *kept = an_arena_copy(&writer->arena, path, length);
    if (!kept || an_names_insert(&writer->paths, kept, length, &is_new) == AN_NO_NAME) {
        fail_memory(writer);
        return;
    }
    memcpy(field, id.data, size);
    field[MOST_BUILD_ID] = (uint8_t)size;
    begin(writer, PERF_HEADER_BUILD_ID, PERF_MISC_USER | PERF_MISC_BUILD_ID_SIZE);
    put32(writer, UINT32_MAX);
    put(writer, field, sizeof field);
    put_name(writer, kept);
    end(writer);
    if (is_pipe(writer))
        return;
    an_buffer_put(&writer->ids, writer->buffer + writer->record, writer->used - writer->record);
    writer->used = writer->record;
}

/* ---- what comes before the records ---- */

static void put_section(struct an_perf_writer *writer, uint64_t offset, uint64_t size)
{
    put64(writer, offset);
    put64(writer, size);
}

static void put_file_header(struct an_perf_writer *writer, uint64_t data_size, uint64_t bits)
{
    put64(writer, PERF_MAGIC);
    put64(writer, PERF_FILE_HEADER);
    put64(writer, ATTR_SIZE + SECTION_SIZE);
    put_section(writer, PERF_FILE_HEADER, ATTR_SIZE + SECTION_SIZE);
    put_section(writer, DATA_AT, data_size);
    put_section(writer, 0, 0);
    put64(writer, bits);
    for (int i = 1; i < PERF_FEATURES / 64; i++)
        put64(writer, 0);
}

static void put_file_start(struct an_perf_writer *writer)
{
    put_file_header(writer, 0, 0);
    put(writer, &writer->attr, ATTR_SIZE);
    put_section(writer, DATA_AT, 0);
}

/* Features could be told here, too, in records of their own, but create_llvm_prof refuses a pipe
 * that has some. The event has an id so that it can be named. */
static void put_pipe_start(struct an_perf_writer *writer)
{
    put64(writer, PERF_MAGIC);
    put64(writer, PERF_PIPE_HEADER);
    begin(writer, PERF_HEADER_ATTR, 0);
    put(writer, &writer->attr, ATTR_SIZE);
    put64(writer, EVENT_ID);
    end(writer);
    begin(writer, PERF_EVENT_UPDATE, 0);
    put64(writer, PERF_EVENT_UPDATE_NAME);
    put64(writer, EVENT_ID);
    put_name(writer, writer->name);
    end(writer);
}

static struct an_perf_writer *make(const struct perf_event_attr *attr, const char *name)
{
    struct an_perf_writer *writer = an_alloc_zero(1, sizeof *writer);
    if (!writer)
        return NULL;
    writer->attr = *attr;
    writer->attr.size = ATTR_SIZE;
    writer->output.fd = -1;
    writer->buffer = an_alloc(BUFFER_SIZE, 1);
    writer->name = an_arena_copy(&writer->arena, name, strlen(name));
    if (writer->buffer && writer->name)
        return writer;
    an_perf_writer_drop(writer);
    return NULL;
}

enum an_code an_perf_writer_open(const char *path, const struct perf_event_attr *attr,
                                 const char *name, struct an_perf_writer **out,
                                 struct an_error *error)
{
    const uint64_t ends = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
    const uint64_t more =
        PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
    an_assert(attr->sample_id_all && (attr->sample_type & (ends | more)) == ends);
    struct an_perf_writer *writer = make(attr, name);
    *out = NULL;
    if (!writer)
        return an_fail_memory(error);
    const char *kept = an_arena_copy(&writer->arena, path, strlen(path));
    enum an_code code =
        kept ? an_output_open(&writer->output, kept, false, error) : an_fail_memory(error);
    if (code != AN_OK) {
        an_perf_writer_drop(writer);
        return code;
    }
    if (is_pipe(writer))
        put_pipe_start(writer);
    else
        put_file_start(writer);
    *out = writer;
    return AN_OK;
}

/* ---- what comes behind them ---- */

static bool put_feature(struct an_perf_writer *writer, struct an_buffer *to,
                        enum perf_feature feature)
{
    return an_perf_feature_put(to, feature, &(struct an_perf_event){&writer->attr, writer->name});
}

/* Puts all features, build ids first, and where each is into a table. Returns their bits. */
static uint64_t put_features(struct an_perf_writer *writer, struct an_buffer *table,
                             struct an_buffer *all)
{
    uint64_t bits = 0, sizes[1 + FEATURES] = {writer->ids.size};
    size_t count = 0, at = 0;
    if (writer->ids.size) {
        an_buffer_put(all, writer->ids.data, writer->ids.size);
        bits |= UINT64_C(1) << PERF_FEATURE_BUILD_ID;
        count++;
    }
    for (size_t i = 0; i < FEATURES; i++) {
        size_t before = all->size;
        if (!put_feature(writer, all, features[i]))
            continue;
        sizes[count++] = all->size - before;
        bits |= UINT64_C(1) << features[i];
    }
    for (size_t i = 0; i < count; at += sizes[i++]) {
        const uint64_t section[] = {writer->written + count * SECTION_SIZE + at, sizes[i]};
        an_buffer_put(table, section, sizeof section);
    }
    return bits;
}

static void put_file_end(struct an_perf_writer *writer)
{
    struct an_buffer table = {0}, all = {0};
    flush(writer);
    uint64_t bits = put_features(writer, &table, &all);
    if (table.failed || all.failed || writer->ids.failed)
        fail_memory(writer);
    write_bytes(writer, table.data, table.size);
    write_bytes(writer, all.data, all.size);
    put_file_header(writer, writer->written - DATA_AT, bits);
    struct an_bytes header = {writer->buffer, writer->used};
    if (writer->error.code == AN_OK)
        an_output_write_at(&writer->output, 0, header, &writer->error);
    an_buffer_free(&table);
    an_buffer_free(&all);
}

bool an_perf_writer_failed(const struct an_perf_writer *writer)
{
    return writer->error.code != AN_OK;
}

enum an_code an_perf_writer_close(struct an_perf_writer *writer, struct an_error *error)
{
    /* Data of size 0 would mean a recording that was not finished. */
    an_perf_writer_round(writer);
    if (is_pipe(writer))
        flush(writer);
    else
        put_file_end(writer);
    enum an_code code = writer->error.code;
    if (code == AN_OK)
        code = an_output_commit(&writer->output, error);
    else
        *error = writer->error;
    an_perf_writer_drop(writer);
    return code;
}

enum an_code an_perf_writer_end(struct an_perf_writer *writer, uint64_t samples,
                                struct an_error *error)
{
    if (samples)
        return an_perf_writer_close(writer, error);
    an_perf_writer_drop(writer);
    an_fail(error, AN_EMPTY, "no branches were recorded: nothing written");
    return an_error_hint(error, "record for longer, or while the program is busy");
}

void an_perf_writer_drop(struct an_perf_writer *writer)
{
    if (!writer)
        return;
    if (writer->output.fd >= 0)
        an_output_abandon(&writer->output);
    free(writer->buffer);
    an_names_free(&writer->paths);
    an_buffer_free(&writer->ids);
    an_arena_free(&writer->arena);
    free(writer);
}
