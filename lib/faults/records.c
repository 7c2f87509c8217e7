/* Decoding the kernel's records; see records.h. */
#include "faults/records.h"

#include <sys/mman.h>
#include <time.h>

#include "base/bytes.h"
#include "perf/format.h"

enum { MISC_AT = 4, TRAILER = 24, TIME_AT_END = 16 };

struct perf_event_attr an_fault_attr(bool is_major, bool with_kernel)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(struct perf_event_attr),
        .config = is_major ? PERF_COUNT_SW_PAGE_FAULTS_MAJ : PERF_COUNT_SW_PAGE_FAULTS_MIN,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR,
        .disabled = 1,
        .enable_on_exec = 1,
        .inherit = 1,
        .sample_id_all = 1,
        .exclude_kernel = !with_kernel,
        .exclude_hv = 1,
        .mmap = is_major,
        .mmap2 = is_major,
        .mmap_data = is_major, /* what is put in the place of text is no text */
        .comm = is_major,
        .comm_exec = is_major,
        .task = is_major,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
}

static bool is_major(const struct an_fault_decoder *decoder, uint64_t id)
{
    for (size_t i = 0; i < decoder->major_count; i++)
        if (decoder->major_ids[i] == id)
            return true;
    return false;
}

static void take_fault(const struct an_fault_decoder *decoder, struct an_cursor *cursor,
                       struct an_fault_event *event)
{
    event->kind = is_major(decoder, an_cursor_u64(cursor)) ? AN_FAULT_MAJOR : AN_FAULT_MINOR;
    an_cursor_u64(cursor);
    event->pid = an_cursor_u32(cursor);
    an_cursor_u32(cursor);
    event->time = an_cursor_u64(cursor);
    event->address = an_cursor_u64(cursor);
}

static void take_fork(struct an_cursor *cursor, struct an_fault_event *event)
{
    event->kind = AN_FAULT_FORK;
    event->pid = an_cursor_u32(cursor);
    event->parent = an_cursor_u32(cursor);
}

struct mapped {
    struct an_file_identity identity;
    uint32_t protection;
};

static void take_mapping(struct an_cursor *cursor, struct an_fault_event *event,
                         struct mapped *mapped)
{
    event->kind = AN_FAULT_MAP;
    event->pid = an_cursor_u32(cursor);
    an_cursor_u32(cursor);
    event->address = an_cursor_u64(cursor);
    event->length = an_cursor_u64(cursor);
    event->offset = an_cursor_u64(cursor);
    mapped->identity.device_major = an_cursor_u32(cursor);
    mapped->identity.device_minor = an_cursor_u32(cursor);
    mapped->identity.inode = an_cursor_u64(cursor);
    an_cursor_u64(cursor);
    mapped->protection = an_cursor_u32(cursor);
}

static int32_t watched_file(const struct an_fault_decoder *decoder, const struct mapped *mapped)
{
    const struct an_file_identity *it = &mapped->identity;
    for (size_t i = 0; (mapped->protection & PROT_EXEC) && i < decoder->file_count; i++) {
        const struct an_file_identity *file = &decoder->files[i];
        if (file->inode == it->inode && file->device_major == it->device_major &&
            file->device_minor == it->device_minor)
            return (int32_t)i;
    }
    return AN_NOT_WATCHED;
}

static struct an_cursor payload(const uint8_t *record, size_t size)
{
    return an_cursor_at((struct an_bytes){record, size}, PERF_RECORD_HEAD, AN_HOST_BIG);
}

bool an_fault_decode(struct an_fault_decoder *decoder, const uint8_t *record, size_t size,
                     struct an_fault_event *event)
{
    struct an_cursor cursor = payload(record, size);
    struct mapped mapped = {0};
    *event = (struct an_fault_event){.file = AN_NOT_WATCHED};
    if (size >= PERF_RECORD_HEAD + TRAILER)
        event->time = an_load64(record + size - TIME_AT_END);
    switch (an_load32(record)) {
    case PERF_SAMPLE:
        take_fault(decoder, &cursor, event);
        return !cursor.short_read;
    case PERF_MMAP2:
        take_mapping(&cursor, event, &mapped);
        event->file = watched_file(decoder, &mapped);
        return !cursor.short_read;
    case PERF_COMM:
        event->kind = AN_FAULT_EXEC;
        event->pid = an_cursor_u32(&cursor);
        return an_load16(record + MISC_AT) & PERF_MISC_COMM_EXEC;
    case PERF_FORK:
        take_fork(&cursor, event);
        return !cursor.short_read;
    case PERF_LOST:
        an_cursor_u64(&cursor);
        decoder->lost += an_cursor_u64(&cursor);
        return false;
    case PERF_LOST_SAMPLES:
        decoder->lost += an_cursor_u64(&cursor);
        return false;
    default:
        return false;
    }
}

bool an_fault_file(const uint8_t *record, size_t size, struct an_file_identity *identity)
{
    struct an_cursor cursor = payload(record, size);
    struct an_fault_event event;
    struct mapped mapped = {0};
    if (an_load32(record) != PERF_MMAP2)
        return false;
    take_mapping(&cursor, &event, &mapped);
    *identity = mapped.identity;
    return !cursor.short_read && identity->inode;
}
