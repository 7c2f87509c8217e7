/* The verdict on indexed profiles, whose drawing is in indexed_read.c. */
#include "llvm/format.h"
#include "llvm/verdict_parts.h"

enum { OWN_VERSION = 12 }; /* of LLVM 19 */

struct indexed {
    struct an_bytes file;
    uint64_t version;
};

static uint64_t number_at(const struct indexed *indexed, size_t at)
{
    return an_get64(indexed->file.data + at, false);
}

/* How many records a function's data has; 0: LLVM finds none there. */
static size_t count_records(const struct indexed *indexed, struct an_bytes data)
{
    struct verdict verdict = {(char[AN_LLVM_VERDICT_SIZE]){""}, false};
    struct an_cursor cursor = an_cursor_at(data, 0, false);
    size_t records = 0;
    if (data.size % 8)
        return 0;
    while (an_cursor_left(&cursor)) {
        if (an_cursor_left(&cursor) <= 8)
            return 0;
        an_cursor_u64(&cursor);
        uint64_t counts = indexed->version == 1 ? data.size / 8 - 1 : an_cursor_u64(&cursor);
        if (cursor.short_read || counts > an_cursor_left(&cursor) / 8)
            return 0;
        an_cursor_take(&cursor, (size_t)counts * 8);
        if (indexed->version >= 11) {
            uint64_t bytes = an_cursor_u64(&cursor);
            if (cursor.short_read || bytes > an_cursor_left(&cursor) / 8)
                return 0;
            an_cursor_take(&cursor, (size_t)bytes * 8);
        }
        if (indexed->version > 2) {
            uint64_t size = an_verdict_values(
                (struct an_bytes){data.data + cursor.at, an_cursor_left(&cursor)}, false, &verdict);
            if (verdict.done)
                return 0;
            an_cursor_take(&cursor, (size_t)size);
        }
        records++;
    }
    return records;
}

static void judge_functions(const struct indexed *indexed, size_t at, uint64_t table,
                            struct verdict *verdict)
{
    struct an_cursor cursor = an_cursor_at(indexed->file, at, false);
    if (table > indexed->file.size || indexed->file.size - table < 16) {
        an_verdict_leave(verdict);
        return;
    }
    uint64_t functions = number_at(indexed, (size_t)table + 8), in_bucket = 0;
    for (uint64_t i = 0; i < functions; i++) {
        if (in_bucket == 0)
            in_bucket = an_cursor_u16(&cursor);
        an_cursor_u64(&cursor);
        uint64_t name = an_cursor_u64(&cursor), data = an_cursor_u64(&cursor);
        if (cursor.short_read || in_bucket == 0 || name > an_cursor_left(&cursor) ||
            data > an_cursor_left(&cursor) - name) {
            an_verdict_leave(verdict);
            return;
        }
        an_cursor_take(&cursor, (size_t)name);
        struct an_bytes bytes = {indexed->file.data + cursor.at, (size_t)data};
        if (count_records(indexed, bytes) == 0) {
            an_verdict_say(verdict, AN_VERDICT_MALFORMED ": profile data is empty");
            return;
        }
        an_cursor_take(&cursor, (size_t)data);
        in_bucket--;
    }
}

/* The offsets in the header, in their order; *ids gets the bytes of the binary ids. */
static void judge_offsets(const struct indexed *indexed, bool has_traces, struct an_bytes *ids,
                          struct verdict *verdict)
{
    size_t size = indexed->file.size;
    uint64_t at;
    if (indexed->version >= 9) {
        at = number_at(indexed, 48);
        if (at > size || size - at < 8) {
            an_verdict_leave(verdict);
            return;
        }
        uint64_t bytes = number_at(indexed, (size_t)at);
        if (bytes % 8)
            an_verdict_say(verdict, AN_VERDICT_BAD_HEADER);
        else if (bytes > size - at - 8)
            an_verdict_leave(verdict);
        if (verdict->done)
            return;
        *ids = (struct an_bytes){indexed->file.data + at + 8, (size_t)bytes};
    }
    if (!has_traces)
        return;
    at = number_at(indexed, 56);
    if (at > size || size - at < 16) {
        an_verdict_say(verdict, AN_VERDICT_TRUNCATED);
        return;
    }
    uint64_t traces = number_at(indexed, (size_t)at);
    at += 16;
    for (uint64_t i = 0; i < traces && !verdict->done; i++) {
        if (size - at < 16) {
            an_verdict_say(verdict, AN_VERDICT_TRUNCATED);
            return;
        }
        uint64_t functions = number_at(indexed, (size_t)at + 8);
        at += 16;
        if (functions > (size - at) / 8)
            an_verdict_say(verdict, AN_VERDICT_TRUNCATED);
        else
            at += 8 * functions;
    }
}

void an_verdict_on_indexed(struct an_bytes file, unsigned looks, struct verdict *verdict)
{
    struct indexed indexed = {.file = file};
    struct an_bytes ids = {0};
    if (file.size < 24) {
        an_verdict_say(verdict, AN_VERDICT_TRUNCATED);
        return;
    }
    uint64_t word = number_at(&indexed, 8);
    indexed.version = word & UINT32_MAX;
    if (indexed.version > OWN_VERSION && indexed.version <= INDEXED_NEWEST) {
        an_verdict_leave(verdict);
        return;
    }
    if (indexed.version > OWN_VERSION) {
        an_verdict_say(verdict, AN_VERDICT_UNSUPPORTED);
        return;
    }
    size_t at = indexed.version >= 12 ? 72
                : indexed.version >= 10
                    ? 64
                    : 40 + 8 * (size_t)(indexed.version >= 8) + 8 * (size_t)(indexed.version >= 9);
    int summaries = indexed.version < 4 ? 0 : word & VARIANT_CONTEXT_SENSITIVE ? 2 : 1;
    for (int i = 0; i < summaries; i++) {
        if (file.size < at || file.size - at < 16) {
            an_verdict_leave(verdict);
            return;
        }
        uint64_t fields = number_at(&indexed, at), entries = number_at(&indexed, at + 8);
        if (fields > (file.size - at) / 8 || entries > (file.size - at) / 24 ||
            16 + 8 * fields + 24 * entries > file.size - at) {
            an_verdict_leave(verdict);
            return;
        }
        at += (size_t)(16 + 8 * fields + 24 * entries);
    }
    if (file.size < at) {
        an_verdict_leave(verdict);
        return;
    }
    if (number_at(&indexed, 24)) {
        an_verdict_say(verdict, "unsupported instrumentation profile hash type");
        return;
    }
    judge_offsets(&indexed, indexed.version >= 10 && word & VARIANT_TEMPORAL, &ids, verdict);
    if (!verdict->done)
        judge_functions(&indexed, at, number_at(&indexed, 32), verdict);
    if (!verdict->done && looks & AN_LLVM_LOOKS_AT_IDS)
        an_verdict_ids(ids, false, verdict);
}
