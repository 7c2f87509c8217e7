/*
 * Decoding what happens to processes; behind the 8 bytes of head:
 *
 *     MMAP         u32 pid, tid; u64 start, length, offset; file name, to its 0, padded
 *     MMAP2        u32 pid, tid; u64 start, length, offset;
 *                  u32 major, minor, u64 inode, generation
 *                    or, with a bit in misc, u8 size, 3 bytes of padding, 20 bytes of build id
 *                  u32 protection, flags; file name, to its 0, padded
 *     COMM         u32 pid, tid; name, to its 0, padded
 *     FORK, EXIT   u32 pid, parent's pid, tid, parent's tid; u64 time
 *
 * and, if the event was recorded so, the time and more at the end (attr.h).
 */
#include "perf/sample.h"

#include <string.h>
#include <sys/mman.h>

#include "perf/format.h"

/* A text that ends with a 0 inside of the record. */
static const char *take_name(struct an_cursor *cursor)
{
    const uint8_t *name = cursor->bytes.data + cursor->at;
    const uint8_t *end = memchr(name, 0, an_cursor_left(cursor));
    if (!end)
        cursor->short_read = true;
    return end ? (const char *)name : NULL;
}

static void take_pid(struct an_cursor *cursor, struct an_task_event *event)
{
    event->pid = an_cursor_u32(cursor);
    event->tid = an_cursor_u32(cursor);
}

static void take_place(struct an_cursor *cursor, struct an_task_event *event)
{
    event->kind = AN_TASK_MMAP;
    take_pid(cursor, event);
    event->start = an_cursor_u64(cursor);
    event->length = an_cursor_u64(cursor);
    event->file_offset = an_cursor_u64(cursor);
}

static void take_mmap(struct an_cursor *cursor, uint16_t misc, struct an_task_event *event)
{
    take_place(cursor, event);
    event->executable = !(misc & PERF_MISC_MMAP_DATA);
    event->name = take_name(cursor);
}

static void take_build_id(struct an_cursor *cursor, struct an_task_event *event)
{
    uint8_t size = an_cursor_u8(cursor);
    an_cursor_take(cursor, 3);
    const uint8_t *bytes = an_cursor_take(cursor, AN_BUILD_ID_MOST);
    if (!bytes)
        return;
    memcpy(event->build_id, bytes, AN_BUILD_ID_MOST);
    event->build_id_size = size < AN_BUILD_ID_MOST ? size : AN_BUILD_ID_MOST;
}

static void take_mmap2(struct an_cursor *cursor, uint16_t misc, struct an_task_event *event)
{
    take_place(cursor, event);
    if (misc & PERF_MISC_MMAP_BUILD_ID) {
        take_build_id(cursor, event);
    } else {
        event->has_file = true;
        event->device_major = an_cursor_u32(cursor);
        event->device_minor = an_cursor_u32(cursor);
        event->inode = an_cursor_u64(cursor);
        event->inode_generation = an_cursor_u64(cursor);
    }
    event->has_protection = true;
    event->protection = an_cursor_u32(cursor);
    event->flags = an_cursor_u32(cursor);
    event->executable = event->protection & PROT_EXEC;
    event->name = take_name(cursor);
}

static void take_comm(struct an_cursor *cursor, uint16_t misc, struct an_task_event *event)
{
    event->kind = AN_TASK_COMM;
    event->exec = misc & PERF_MISC_COMM_EXEC;
    take_pid(cursor, event);
    event->name = take_name(cursor);
}

static void take_fork(struct an_cursor *cursor, enum an_task_kind kind, struct an_task_event *event)
{
    event->kind = kind;
    event->pid = an_cursor_u32(cursor);
    event->parent_pid = an_cursor_u32(cursor);
    event->tid = an_cursor_u32(cursor);
    event->parent_tid = an_cursor_u32(cursor);
    event->time = an_cursor_u64(cursor);
    event->has_time = true;
}

static bool take_payload(const struct perf_record *record, struct an_cursor *cursor,
                         struct an_task_event *event)
{
    switch (record->type) {
    case PERF_MMAP:
        take_mmap(cursor, record->misc, event);
        return true;
    case PERF_MMAP2:
        take_mmap2(cursor, record->misc, event);
        return true;
    case PERF_COMM:
        take_comm(cursor, record->misc, event);
        return true;
    case PERF_FORK:
        take_fork(cursor, AN_TASK_FORK, event);
        return true;
    case PERF_EXIT:
        take_fork(cursor, AN_TASK_EXIT, event);
        return true;
    default:
        return false;
    }
}

enum an_code an_perf_task_read(const struct perf_recording *recording,
                               const struct perf_record *record, struct an_task_event *event,
                               bool *is_task, struct an_error *error)
{
    *event = (struct an_task_event){.misc_cpumode = record->misc & PERF_MISC_CPUMODE};
    struct an_cursor cursor = an_cursor_at((struct an_bytes){record->bytes, record->size},
                                           PERF_RECORD_HEAD, recording->big);
    *is_task = take_payload(record, &cursor, event);
    if (!*is_task)
        return AN_OK;
    if (cursor.short_read)
        return an_fail_at(error, AN_MALFORMED, record->offset,
                          "a record of type %u is too short: %u bytes", record->type, record->size);
    const struct perf_layout *layout =
        an_perf_layout_of(recording, record->bytes, record->size, true);
    if (layout && layout->end_time && cursor.at + layout->end_size <= record->size) {
        event->time = an_get64(record->bytes + record->size - layout->end_time, recording->big);
        event->has_time = true;
    }
    return AN_OK;
}
