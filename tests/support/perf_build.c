/* Putting a perf.data together; see perf_build.h. */
#include "support/perf_build.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "support/test.h"

enum {
    ATTR_SIZE = 128,
    HEADER_SIZE = 104,
    HEAD = 8,
    USER = PERF_RECORD_MISC_USER,
    /* records and features of perf's own */
    HEADER_ATTR = 64,
    HEADER_BUILD_ID = 67,
    FINISHED_ROUND = 68,
    AUXTRACE = 71,
    HEADER_FEATURE = 80,
    COMPRESSED = 81,
    COMPRESSED2 = 83,
    FEATURE_BUILD_ID = 2,
    FEATURE_HOSTNAME = 3,
    FEATURE_EVENT_DESC = 12,
    FEATURE_COMPRESSED = 27,
    BRANCH_COUNTERS = 1 << 19,
};

void perf_put(const struct perf_builder *b, struct an_buffer *to, uint64_t value, size_t size)
{
    uint8_t *place = an_buffer_extend(to, size);
    for (size_t i = 0; place && i < size; i++)
        place[i] = (uint8_t)(value >> 8 * (b->big ? size - 1 - i : i));
}

static void put_padded(struct an_buffer *to, const char *text, size_t multiple)
{
    size_t length = strlen(text) + 1;
    static const char zeros[64];
    an_buffer_put(to, text, length);
    an_buffer_put(to, zeros, (multiple - length % multiple) % multiple);
}

/* Bit fields begin at the other end of a word on big-endian machines. */
static uint64_t bit_fields(const struct perf_builder *b, uint64_t value, const uint8_t *widths)
{
    uint64_t placed = 0;
    unsigned at = 0;
    if (!b->big)
        return value;
    for (; at < 64; at += *widths++)
        placed |= (value >> at & (UINT64_MAX >> (64 - *widths))) << (64 - at - *widths);
    return placed;
}

/* ---- events ---- */

unsigned perf_event(struct perf_builder *b, const struct perf_event_spec *event)
{
    if (b->event_count == PERF_BUILD_EVENTS)
        abort();
    b->events[b->event_count] = *event;
    return (unsigned)b->event_count++;
}

static uint64_t attr_flags(const struct perf_builder *b, const struct perf_event_spec *event)
{
    static const uint8_t bits[64] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1,
                                     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    enum { INHERIT = 1, MMAP = 8, COMM = 9, FREQUENCY = 10, TASK = 13, ID_ALL = 18, MMAP2 = 23 };
    uint64_t flags = 1u << INHERIT | 1u << MMAP | 1u << COMM | 1u << TASK | 1u << MMAP2;
    flags |= (uint64_t)event->frequency << FREQUENCY;
    flags |= (uint64_t)!event->no_sample_id_all << ID_ALL;
    return bit_fields(b, flags, bits);
}

static void put_attr(const struct perf_builder *b, struct an_buffer *to,
                     const struct perf_event_spec *event)
{
    size_t start = to->size;
    perf_put(b, to, event->type, 4);
    perf_put(b, to, ATTR_SIZE, 4);
    perf_put(b, to, event->config, 8);
    perf_put(b, to, event->period, 8);
    perf_put(b, to, event->sample_type, 8);
    perf_put(b, to, event->read_format, 8);
    perf_put(b, to, attr_flags(b, event), 8);
    perf_put(b, to, 0, 8);
    perf_put(b, to, 0, 8);
    perf_put(b, to, 0, 8);
    perf_put(b, to, event->branch_type, 8);
    while (!to->failed && to->size < start + ATTR_SIZE)
        perf_put(b, to, 0, 8);
}

/* ---- records ---- */

/* Begins a record, of which end_record() fills in the size. */
static size_t begin_record(struct perf_builder *b, uint32_t type, uint16_t misc)
{
    size_t start = b->records.size;
    perf_put(b, &b->records, type, 4);
    perf_put(b, &b->records, misc, 2);
    perf_put(b, &b->records, 0, 2);
    return start;
}

static void end_record(struct perf_builder *b, size_t start)
{
    size_t size = b->records.size - start;
    if (size > UINT16_MAX)
        abort();
    if (b->records.failed)
        return;
    b->records.data[start + 6] = (uint8_t)(b->big ? size >> 8 : size);
    b->records.data[start + 7] = (uint8_t)(b->big ? size : size >> 8);
}

/* What sample_id_all puts at the end of records that are no samples. */
static void put_end(struct perf_builder *b, unsigned index, uint32_t pid, uint32_t tid,
                    uint64_t time)
{
    const struct perf_event_spec *event = &b->events[index];
    struct an_buffer *to = &b->records;
    if (event->no_sample_id_all)
        return;
    if (event->sample_type & PERF_SAMPLE_TID) {
        perf_put(b, to, pid, 4);
        perf_put(b, to, tid, 4);
    }
    if (event->sample_type & PERF_SAMPLE_TIME)
        perf_put(b, to, time, 8);
    if (event->sample_type & PERF_SAMPLE_ID)
        perf_put(b, to, event->ids[0], 8);
    if (event->sample_type & PERF_SAMPLE_STREAM_ID)
        perf_put(b, to, event->ids[0], 8);
    if (event->sample_type & PERF_SAMPLE_CPU)
        perf_put(b, to, 0, 8);
    if (event->sample_type & PERF_SAMPLE_IDENTIFIER)
        perf_put(b, to, event->ids[0], 8);
}

void perf_comm(struct perf_builder *b, const struct perf_task_spec *task)
{
    uint32_t tid = task->tid ? task->tid : task->pid;
    size_t start = begin_record(b, PERF_RECORD_COMM, task->exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
    perf_put(b, &b->records, task->pid, 4);
    perf_put(b, &b->records, tid, 4);
    put_padded(&b->records, task->name, 8);
    put_end(b, task->event, task->pid, tid, task->time);
    end_record(b, start);
}

static void fork_or_exit(struct perf_builder *b, uint32_t type, const struct perf_task_spec *task)
{
    uint32_t tid = task->tid ? task->tid : task->pid;
    uint32_t parent_tid = task->parent_tid ? task->parent_tid : task->parent_pid;
    size_t start = begin_record(b, type, 0);
    perf_put(b, &b->records, task->pid, 4);
    perf_put(b, &b->records, task->parent_pid, 4);
    perf_put(b, &b->records, tid, 4);
    perf_put(b, &b->records, parent_tid, 4);
    perf_put(b, &b->records, task->time, 8);
    put_end(b, task->event, task->pid, tid, task->time);
    end_record(b, start);
}

void perf_fork(struct perf_builder *b, const struct perf_task_spec *task)
{
    fork_or_exit(b, PERF_RECORD_FORK, task);
}

void perf_exit(struct perf_builder *b, const struct perf_task_spec *task)
{
    fork_or_exit(b, PERF_RECORD_EXIT, task);
}

static void put_place(struct perf_builder *b, const struct perf_mapping_spec *mapping)
{
    perf_put(b, &b->records, mapping->pid, 4);
    perf_put(b, &b->records, mapping->tid ? mapping->tid : mapping->pid, 4);
    perf_put(b, &b->records, mapping->start, 8);
    perf_put(b, &b->records, mapping->length, 8);
    perf_put(b, &b->records, mapping->file_offset, 8);
}

static void end_mapping(struct perf_builder *b, const struct perf_mapping_spec *mapping,
                        size_t start)
{
    put_padded(&b->records, mapping->filename, 8);
    put_end(b, mapping->event, mapping->pid, mapping->tid ? mapping->tid : mapping->pid,
            mapping->time);
    end_record(b, start);
}

void perf_mmap(struct perf_builder *b, const struct perf_mapping_spec *mapping)
{
    size_t start = begin_record(b, PERF_RECORD_MMAP, mapping->misc ? mapping->misc : USER);
    put_place(b, mapping);
    end_mapping(b, mapping, start);
}

void perf_mmap2(struct perf_builder *b, const struct perf_mapping_spec *mapping)
{
    uint16_t misc = mapping->misc ? mapping->misc : USER;
    if (mapping->build_id)
        misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
    size_t start = begin_record(b, PERF_RECORD_MMAP2, misc);
    put_place(b, mapping);
    if (mapping->build_id) {
        uint8_t field[24] = {(uint8_t)mapping->build_id_size};
        memcpy(field + 4, mapping->build_id, mapping->build_id_size);
        an_buffer_put(&b->records, field, sizeof field);
    } else {
        perf_put(b, &b->records, mapping->device_major, 4);
        perf_put(b, &b->records, mapping->device_minor, 4);
        perf_put(b, &b->records, mapping->inode, 8);
        perf_put(b, &b->records, mapping->inode_generation, 8);
    }
    perf_put(b, &b->records, mapping->protection ? mapping->protection : PROT_READ | PROT_EXEC, 4);
    perf_put(b, &b->records, mapping->flags ? mapping->flags : MAP_PRIVATE, 4);
    end_mapping(b, mapping, start);
}

static void put_read(struct perf_builder *b, const struct perf_event_spec *event,
                     const struct perf_sample_spec *sample)
{
    uint64_t format = event->read_format;
    bool group = format & PERF_FORMAT_GROUP;
    size_t times =
        !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
    if (group)
        perf_put(b, &b->records, sample->read_count, 8);
    for (size_t i = 0; group && i < times; i++)
        perf_put(b, &b->records, 1000 + i, 8);
    for (size_t i = 0; i < (group ? sample->read_count : 1); i++) {
        perf_put(b, &b->records, 77 + i, 8);
        for (size_t t = 0; !group && t < times; t++)
            perf_put(b, &b->records, 1000 + t, 8);
        if (format & PERF_FORMAT_ID)
            perf_put(b, &b->records, event->ids[0], 8);
        if (format & PERF_FORMAT_LOST)
            perf_put(b, &b->records, 0, 8);
    }
}

static void put_branches(struct perf_builder *b, uint64_t branch_type,
                         const struct perf_sample_spec *sample)
{
    static const uint8_t widths[] = {1, 1, 1, 1, 16, 4, 2, 4, 3, 31};
    perf_put(b, &b->records, sample->branch_count, 8);
    if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
        perf_put(b, &b->records, sample->hardware_index, 8);
    for (size_t i = 0; i < sample->branch_count; i++) {
        perf_put(b, &b->records, sample->branches[i].from, 8);
        perf_put(b, &b->records, sample->branches[i].to, 8);
        perf_put(b, &b->records, bit_fields(b, sample->branches[i].flags, widths), 8);
    }
    for (size_t i = 0; branch_type & BRANCH_COUNTERS && i < sample->branch_count; i++)
        perf_put(b, &b->records, i, 8);
}

static void put_fixed(struct perf_builder *b, const struct perf_event_spec *event,
                      const struct perf_sample_spec *sample)
{
    uint64_t id = sample->id ? sample->id : event->ids[0];
    const struct {
        uint64_t bit;
        uint64_t value;
    } words[] = {
        {PERF_SAMPLE_IDENTIFIER, id},
        {PERF_SAMPLE_IP, sample->ip},
        {PERF_SAMPLE_TID, 0},
        {PERF_SAMPLE_TIME, sample->time},
        {PERF_SAMPLE_ADDR, sample->addr},
        {PERF_SAMPLE_ID, id},
        {PERF_SAMPLE_STREAM_ID, sample->stream_id},
        {PERF_SAMPLE_CPU, sample->cpu},
        {PERF_SAMPLE_PERIOD, sample->period},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!(event->sample_type & words[i].bit))
            continue;
        if (words[i].bit == PERF_SAMPLE_TID || words[i].bit == PERF_SAMPLE_CPU) {
            bool tid = words[i].bit == PERF_SAMPLE_TID;
            perf_put(b, &b->records, tid ? sample->pid : sample->cpu, 4);
            perf_put(b, &b->records, tid ? sample->tid ? sample->tid : sample->pid : 0, 4);
        } else {
            perf_put(b, &b->records, words[i].value, 8);
        }
    }
}

void perf_sample(struct perf_builder *b, const struct perf_sample_spec *sample)
{
    const struct perf_event_spec *event = &b->events[sample->event];
    size_t start = begin_record(b, PERF_RECORD_SAMPLE, sample->misc ? sample->misc : USER);
    put_fixed(b, event, sample);
    if (event->sample_type & PERF_SAMPLE_READ)
        put_read(b, event, sample);
    if (event->sample_type & PERF_SAMPLE_CALLCHAIN) {
        perf_put(b, &b->records, sample->callchain_count, 8);
        for (size_t i = 0; i < sample->callchain_count; i++)
            perf_put(b, &b->records, sample->callchain[i], 8);
    }
    if (event->sample_type & PERF_SAMPLE_RAW) {
        perf_put(b, &b->records, sample->raw_size, 4);
        an_buffer_put(&b->records, sample->raw, sample->raw_size);
    }
    if (event->sample_type & PERF_SAMPLE_BRANCH_STACK)
        put_branches(b, event->branch_type, sample);
    /* those behind it that a test wants to be skipped, in their order */
    if (event->sample_type & PERF_SAMPLE_REGS_USER)
        perf_put(b, &b->records, PERF_SAMPLE_REGS_ABI_NONE, 8);
    if (event->sample_type & PERF_SAMPLE_STACK_USER)
        perf_put(b, &b->records, 0, 8);
    if (event->sample_type & PERF_SAMPLE_WEIGHT)
        perf_put(b, &b->records, 99, 8);
    if (event->sample_type & PERF_SAMPLE_DATA_SRC)
        perf_put(b, &b->records, 0, 8);
    end_record(b, start);
}

void perf_record(struct perf_builder *b, uint32_t type, uint16_t misc, const void *payload,
                 size_t size)
{
    size_t start = begin_record(b, type, misc);
    an_buffer_put(&b->records, payload, size);
    end_record(b, start);
}

void perf_finished_round(struct perf_builder *b)
{
    perf_record(b, FINISHED_ROUND, 0, NULL, 0);
}

void perf_auxtrace(struct perf_builder *b, uint64_t size)
{
    size_t start = begin_record(b, AUXTRACE, 0);
    perf_put(b, &b->records, size, 8);
    for (int i = 0; i < 4; i++)
        perf_put(b, &b->records, 0, 8);
    end_record(b, start);
    /* data that would be a record too, if one looked there */
    for (uint64_t i = 0; i < size; i += 8)
        perf_put(b, &b->records, 0x0008000000000009, 8);
}

void perf_lost(struct perf_builder *b, unsigned event, uint64_t count)
{
    size_t start = begin_record(b, PERF_RECORD_LOST, 0);
    perf_put(b, &b->records, b->events[event].ids[0], 8);
    perf_put(b, &b->records, count, 8);
    put_end(b, event, 0, 0, 0);
    end_record(b, start);
}

void perf_build_id(struct perf_builder *b, const uint8_t *bytes, size_t size, uint32_t pid,
                   uint16_t misc, const char *filename)
{
    uint8_t field[24] = {0};
    memcpy(field, bytes, size);
    if (size != 20) {
        field[20] = (uint8_t)size;
        misc |= 1 << 15;
    }
    size_t start = begin_record(b, HEADER_BUILD_ID, misc ? misc : USER);
    perf_put(b, &b->records, pid, 4);
    an_buffer_put(&b->records, field, sizeof field);
    put_padded(&b->records, filename, 64);
    end_record(b, start);
    if (b->pipe)
        return;
    an_buffer_put(&b->build_ids, b->records.data + start, b->records.size - start);
    b->records.size = start;
}

/* ---- features ---- */

static void put_string(const struct perf_builder *b, struct an_buffer *to, const char *text)
{
    perf_put(b, to, (strlen(text) + 64) / 64 * 64, 4);
    put_padded(to, text, 64);
}

static void put_event_names(const struct perf_builder *b, struct an_buffer *to)
{
    perf_put(b, to, b->event_count, 4);
    perf_put(b, to, ATTR_SIZE, 4);
    for (size_t i = 0; i < b->event_count; i++) {
        const struct perf_event_spec *event = &b->events[i];
        put_attr(b, to, event);
        perf_put(b, to, event->id_count, 4);
        put_string(b, to, event->name ? event->name : "cycles");
        for (size_t k = 0; k < event->id_count; k++)
            perf_put(b, to, event->ids[k], 8);
    }
}

static void put_compression(const struct perf_builder *b, struct an_buffer *to)
{
    static const uint32_t numbers[] = {1, 1, 1, 2, 1 << 20}; /* version, zstd, level, ratio, size */
    for (size_t i = 0; i < 5; i++)
        perf_put(b, to, numbers[i], 4);
}

/* The content of a feature; false when the recording has none. */
static bool put_feature(const struct perf_builder *b, struct an_buffer *to, unsigned feature)
{
    if (feature == FEATURE_BUILD_ID && b->build_ids.size)
        an_buffer_put(to, b->build_ids.data, b->build_ids.size);
    else if (feature == FEATURE_HOSTNAME)
        put_string(b, to, "host");
    else if (feature == FEATURE_EVENT_DESC && !b->no_features)
        put_event_names(b, to);
    else if (feature == FEATURE_COMPRESSED && b->compress)
        put_compression(b, to);
    else
        return false;
    return true;
}

/* ---- compression ---- */

static void put_compressed(struct perf_builder *b, struct an_buffer *to, const void *bytes,
                           size_t size)
{
    static const uint8_t zeros[8];
    size_t head = HEAD + (b->compressed2 ? 8 : 0);
    size_t padding = b->compressed2 ? -size & 7 : 0;
    perf_put(b, to, b->compressed2 ? COMPRESSED2 : COMPRESSED, 4);
    perf_put(b, to, 0, 2);
    perf_put(b, to, head + size + padding, 2);
    if (b->compressed2)
        perf_put(b, to, size, 8);
    an_buffer_put(to, bytes, size);
    an_buffer_put(to, zeros, padding);
}

/* The records as one zstd stream, cut into COMPRESSED records without regard to where they end. */
static void compress_records(struct perf_builder *b)
{
    struct an_buffer compressed = {0};
    static uint8_t space[60000];
    ZSTD_CStream *stream = ZSTD_createCStream();
    ZSTD_initCStream(stream, 1);
    for (size_t at = 0; at < b->records.size; at += b->compress) {
        size_t left = b->records.size - at;
        ZSTD_inBuffer in = {b->records.data + at, left < b->compress ? left : b->compress, 0};
        size_t waits;
        do {
            ZSTD_outBuffer out = {space, sizeof space, 0};
            waits = ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush);
            if (ZSTD_isError(waits))
                abort();
            put_compressed(b, &compressed, space, out.pos);
        } while (waits);
        if (at / b->compress % 4 == 3) { /* perf has records between them */
            perf_put(b, &compressed, FINISHED_ROUND, 4);
            perf_put(b, &compressed, 0, 2);
            perf_put(b, &compressed, HEAD, 2);
        }
    }
    ZSTD_freeCStream(stream);
    an_buffer_free(&b->records);
    b->records = compressed;
}

/* ---- the whole ---- */

static void finish_pipe(struct perf_builder *b, struct an_buffer *file)
{
    struct an_buffer records = b->records;
    b->records = (struct an_buffer){0};
    perf_put(b, file, 0x32454c4946524550, 8);
    perf_put(b, file, 16, 8);
    for (size_t i = 0; i < b->event_count; i++) {
        size_t start = begin_record(b, HEADER_ATTR, 0);
        put_attr(b, &b->records, &b->events[i]);
        for (size_t k = 0; k < b->events[i].id_count; k++)
            perf_put(b, &b->records, b->events[i].ids[k], 8);
        end_record(b, start);
    }
    for (unsigned feature = FEATURE_HOSTNAME; feature < 256; feature++) {
        size_t start = begin_record(b, HEADER_FEATURE, 0);
        perf_put(b, &b->records, feature, 8);
        if (put_feature(b, &b->records, feature))
            end_record(b, start);
        else
            b->records.size = start;
    }
    an_buffer_put(file, b->records.data, b->records.size);
    an_buffer_put(file, records.data, records.size);
    an_buffer_free(&records);
}

static void put_section(const struct perf_builder *b, struct an_buffer *to, uint64_t offset,
                        uint64_t size)
{
    perf_put(b, to, offset, 8);
    perf_put(b, to, size, 8);
}

static void put_features(struct perf_builder *b, struct an_buffer *file)
{
    struct an_buffer all = {0}, table = {0};
    size_t count = 0;
    for (unsigned feature = 0; feature < 256; feature++) {
        struct an_buffer probe = {0};
        count += put_feature(b, &probe, feature);
        an_buffer_free(&probe);
    }
    for (unsigned feature = 0; feature < 256; feature++) {
        size_t start = all.size;
        if (put_feature(b, &all, feature))
            put_section(b, &table, file->size + 16 * count + start, all.size - start);
    }
    an_buffer_put(file, table.data, table.size);
    an_buffer_put(file, all.data, all.size);
    an_buffer_free(&table);
    an_buffer_free(&all);
}

static void put_header(struct perf_builder *b, struct an_buffer *file, uint64_t attrs,
                       uint64_t data)
{
    uint64_t features = 0;
    perf_put(b, file, 0x32454c4946524550, 8);
    perf_put(b, file, HEADER_SIZE, 8);
    perf_put(b, file, ATTR_SIZE + 16, 8);
    put_section(b, file, attrs, b->event_count * (ATTR_SIZE + 16));
    put_section(b, file, data, b->unfinished ? 0 : b->records.size);
    put_section(b, file, 0, 0);
    for (unsigned feature = 0; feature < 64; feature++) {
        struct an_buffer probe = {0};
        features |= (uint64_t)put_feature(b, &probe, feature) << feature;
        an_buffer_free(&probe);
    }
    perf_put(b, file, features, 8);
    for (int i = 0; i < 3; i++)
        perf_put(b, file, 0, 8);
}

static void finish_file(struct perf_builder *b, struct an_buffer *file)
{
    struct an_buffer ids = {0}, attrs = {0};
    for (size_t i = 0; i < b->event_count; i++) {
        put_attr(b, &attrs, &b->events[i]);
        put_section(b, &attrs, HEADER_SIZE + ids.size, 8 * b->events[i].id_count);
        for (size_t k = 0; k < b->events[i].id_count; k++)
            perf_put(b, &ids, b->events[i].ids[k], 8);
    }
    put_header(b, file, HEADER_SIZE + ids.size, HEADER_SIZE + ids.size + attrs.size);
    an_buffer_put(file, ids.data, ids.size);
    an_buffer_put(file, attrs.data, attrs.size);
    an_buffer_put(file, b->records.data, b->records.size);
    if (!b->unfinished)
        put_features(b, file);
    an_buffer_free(&ids);
    an_buffer_free(&attrs);
}

void perf_finish(struct perf_builder *b, struct an_buffer *file)
{
    *file = (struct an_buffer){0};
    if (b->compress)
        compress_records(b);
    if (b->pipe)
        finish_pipe(b, file);
    else
        finish_file(b, file);
}

void perf_builder_free(struct perf_builder *b)
{
    an_buffer_free(&b->records);
    an_buffer_free(&b->build_ids);
}

int perf_file(struct perf_builder *b)
{
    struct an_buffer bytes = {0};
    perf_finish(b, &bytes);
    int fd = memfd_create("recording", MFD_CLOEXEC);
    assert_true(fd >= 0 && !bytes.failed);
    assert_int_equal(write(fd, bytes.data, bytes.size), (ssize_t)bytes.size);
    an_buffer_free(&bytes);
    perf_builder_free(b);
    return fd;
}
