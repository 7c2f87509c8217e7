/* Inflating compressed recordings; see inflate.h. */
#include "perf/inflate.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"
#include "perf/record.h"

enum an_code an_perf_inflate_open(struct perf_inflate *inflate, const struct perf_walk *walk,
                                  struct an_error *error)
{
    *inflate = (struct perf_inflate){.walk = walk, .at = walk->start};
    inflate->window.source = walk->source;
    inflate->stream = an_fault() ? NULL : ZSTD_createDStream();
    if (!inflate->stream)
        return an_fail_memory(error);
    ZSTD_initDStream(inflate->stream);
    return AN_OK;
}

void an_perf_inflate_close(struct perf_inflate *inflate)
{
    ZSTD_freeDStream(inflate->stream);
    an_source_window_free(&inflate->window);
    an_buffer_free(&inflate->carry);
    inflate->stream = NULL;
}

static enum an_code cut_here(struct perf_inflate *inflate, uint64_t at, struct an_error *error)
{
    inflate->at = inflate->walk->end;
    if (inflate->walk->allow_truncated) {
        inflate->cut = true;
        inflate->cut_at = at;
        return AN_OK;
    }
    an_fail_at(error, AN_TRUNCATED, at, "a truncated or damaged record");
    return an_error_hint(error, "what comes before can be read if truncated recordings are "
                                "allowed");
}

/* The record at inflate->at, whole, in the window. No bytes: the recording ends here. */
static enum an_code next_record(struct perf_inflate *inflate, struct perf_record *record,
                                struct an_error *error)
{
    const struct perf_walk *walk = inflate->walk;
    struct an_source_window *window = &inflate->window;
    *record = (struct perf_record){0};
    uint64_t left = walk->end - inflate->at;
    if (left == 0)
        return AN_OK;
    uint64_t in_window = inflate->at - window->offset;
    if (in_window > window->bytes.size || (window->bytes.size - in_window < PERF_RECORD_MOST &&
                                           window->bytes.size - in_window < left)) {
        size_t size = left < PERF_PIECE / 4 ? (size_t)left : PERF_PIECE / 4;
        enum an_code code = an_source_window_load(window, inflate->at, size, error);
        if (code != AN_OK)
            return code;
        in_window = 0;
    }
    size_t there = window->bytes.size - (size_t)in_window;
    if (there < PERF_RECORD_HEAD)
        return cut_here(inflate, inflate->at, error);
    struct perf_record found;
    an_perf_record_head(&found, window->bytes.data + in_window, inflate->at, walk->big);
    if (found.size < PERF_RECORD_HEAD || found.size > there)
        return cut_here(inflate, inflate->at, error);
    *record = found;
    return AN_OK;
}

static bool is_compressed(const struct perf_record *record)
{
    return record->type == PERF_COMPRESSED || record->type == PERF_COMPRESSED2;
}

/* Begins to inflate a COMPRESSED record. */
static enum an_code begin(struct perf_inflate *inflate, const struct perf_record *record,
                          struct an_error *error)
{
    size_t head = PERF_RECORD_HEAD;
    inflate->input_left = record->size - head;
    if (record->type == PERF_COMPRESSED2) {
        head += 8;
        uint64_t size = record->size < head
                            ? UINT64_MAX
                            : an_get64(record->bytes + PERF_RECORD_HEAD, inflate->walk->big);
        if (record->size < head || size > record->size - head)
            return an_fail_at(error, AN_MALFORMED, record->offset,
                              "a compressed record with more data than fits into it");
        inflate->input_left = (size_t)size;
    }
    inflate->input = record->bytes + head;
    inflate->now = record->offset;
    inflate->at = record->offset + record->size;
    inflate->more = true;
    inflate->met_compressed = true;
    return AN_OK;
}

static enum an_code zstd_failed(const struct perf_inflate *inflate, size_t result,
                                struct an_error *error)
{
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return an_fail_memory(error);
    return an_fail_at(error, AN_MALFORMED, inflate->now, "compressed records: zstd says: %s",
                      ZSTD_getErrorName(result));
}

/* More than any recording comes to: a few bytes could stand for any amount of work. */
static enum an_code check_growth(const struct perf_inflate *inflate, struct an_error *error)
{
    enum { TIMES = 4096, FREE = 16 << 20 };
    if (inflate->made <= FREE || (inflate->made - FREE) / TIMES <= inflate->taken)
        return AN_OK;
    return an_fail_at(error, AN_MALFORMED, inflate->now,
                      "%llu bytes of compressed records stand for more than %llu",
                      (unsigned long long)inflate->taken, (unsigned long long)inflate->made);
}

/* Inflates until the buffer is full or the input is used up. */
static enum an_code inflate_some(struct perf_inflate *inflate, struct perf_inflated *filled,
                                 struct an_error *error)
{
    ZSTD_inBuffer in = {inflate->input, inflate->input_left, 0};
    ZSTD_outBuffer out = {filled->buffer, filled->capacity, inflate->carry.size};
    size_t carried = inflate->carry.size;
    if (inflate->carry.size)
        memcpy(filled->buffer, inflate->carry.data, inflate->carry.size);
    inflate->carry.size = 0;
    while (inflate->more && out.pos < out.size) {
        size_t before = out.pos;
        size_t result = ZSTD_decompressStream(inflate->stream, &out, &in);
        if (ZSTD_isError(result))
            return zstd_failed(inflate, result, error);
        inflate->more = in.pos < in.size || (out.pos == out.size && out.pos > before);
    }
    inflate->input += in.pos;
    inflate->input_left -= in.pos;
    filled->size = out.pos;
    filled->offset = inflate->now;
    filled->from_file = false;
    inflate->taken += in.pos;
    inflate->made += out.pos - carried;
    return check_growth(inflate, error);
}

/* Keeps what is no whole record for the next time. */
static enum an_code keep_rest(struct perf_inflate *inflate, struct perf_inflated *filled,
                              struct an_error *error)
{
    size_t at = 0;
    bool big = inflate->walk->big;
    while (filled->size - at >= PERF_RECORD_HEAD) {
        struct perf_record record;
        an_perf_record_head(&record, filled->buffer + at, 0, big);
        if (record.size < PERF_RECORD_HEAD || record.type == PERF_AUXTRACE ||
            record.type == PERF_HEADER_TRACING_DATA || is_compressed(&record))
            return an_fail_at(error, AN_MALFORMED, inflate->now,
                              "a record of type %u and size %u in compressed data", record.type,
                              record.size);
        if (record.size > filled->size - at)
            break;
        at += record.size;
    }
    an_buffer_put(&inflate->carry, filled->buffer + at, filled->size - at);
    filled->size = at;
    return inflate->carry.failed ? an_fail_memory(error) : AN_OK;
}

/* Copies records that stand in the file as they are, up to the next that does not. */
static enum an_code copy_plain(struct perf_inflate *inflate, struct perf_inflated *filled,
                               struct perf_record *record, struct an_error *error)
{
    const struct perf_walk *walk = inflate->walk;
    enum an_code code = AN_OK;
    uint64_t tail = 0;
    filled->offset = record->offset;
    filled->from_file = true;
    while (code == AN_OK && record->bytes && tail == 0 && !is_compressed(record) &&
           record->size <= filled->capacity - filled->size) {
        tail = an_perf_record_tail(record, walk->big);
        if (tail > walk->end - record->offset - record->size)
            return cut_here(inflate, record->offset, error);
        memcpy(filled->buffer + filled->size, record->bytes, record->size);
        filled->size += record->size;
        inflate->at = record->offset + record->size + tail;
        if (tail == 0)
            code = next_record(inflate, record, error);
    }
    return code;
}

enum an_code an_perf_inflate_fill(struct perf_inflate *inflate, struct perf_inflated *filled,
                                  struct an_error *error)
{
    enum an_code code = AN_OK;
    filled->size = 0;
    while (code == AN_OK && filled->size == 0) {
        if (inflate->more) {
            code = inflate_some(inflate, filled, error);
            if (code == AN_OK)
                code = keep_rest(inflate, filled, error);
            continue;
        }
        struct perf_record record;
        code = next_record(inflate, &record, error);
        if (code != AN_OK || !record.bytes)
            break;
        code = is_compressed(&record) ? begin(inflate, &record, error)
                                      : copy_plain(inflate, filled, &record, error);
    }
    if (code == AN_OK && filled->size == 0 && inflate->carry.size && !inflate->cut)
        code = cut_here(inflate, inflate->now, error);
    return code;
}
