/* Reading partial results; the format is told in partial.h. All of it is walked through twice: first to check it, then to merge
 * it, so that nothing was merged of what turns out to be no partial result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "llvm/format.h"
#include "llvm/lossless.h"
#include "llvm/partial.h"
#include "llvm/trace_draw.h"

struct reader {
    const struct merge_sink *sink;
    struct an_llvm_profile *profile; /* the sink's; NULL: only check */
    size_t inputs;                   /* of the account that are used */
    uint32_t offset;                 /* of the origins in the profile */
    struct an_cursor columns[PARTIAL_COLUMNS];
    unsigned variants, version;
    bool has_kind;
    uint64_t reservoir, trace_length, stream;
    struct an_cursor rest; /* behind the columns */
    bool no_memory;

    /* the current name and record */
    struct {
        AN_VECTOR(char);
    } name;
    struct {
        AN_VECTOR(uint64_t);
    } numbers; /* counters; the functions of a trace */
    struct {
        AN_VECTOR(struct an_llvm_site);
    } sites;
    struct {
        AN_VECTOR(struct an_llvm_value);
    } pairs;
};

static bool failed(struct reader *reader)
{
    reader->no_memory = true;
    return false;
}

/* A number that cannot be larger than what is left, as each of so many things takes a byte at least. */
static bool take_number(struct an_cursor *cursor, uint64_t *number)
{
    *number = an_cursor_uleb128(cursor);
    return !cursor->short_read && *number <= an_cursor_left(cursor);
}

/* ---- a record ---- */

static bool take_counts(struct reader *reader, uint64_t count)
{
    struct an_cursor *cursor = &reader->columns[PARTIAL_COUNTS];
    if (count == 0 || count > an_cursor_left(cursor) || count > UINT32_MAX)
        return false;
    if (!an_vector_reserve(&reader->numbers, (size_t)count))
        return failed(reader);
    for (uint64_t i = 0; i < count; i++)
        reader->numbers.items[i] = an_cursor_uleb128(cursor);
    return !cursor->short_read;
}

/* The sites of a kind: behind those of the kinds before it. Their values are found when all are known. */
static bool take_sites(struct reader *reader, uint32_t *number)
{
    struct an_cursor *cursor = &reader->columns[PARTIAL_VALUES];
    uint64_t sites, values;
    if (!take_number(cursor, &sites) || sites == 0 || sites > UINT32_MAX)
        return false;
    *number = (uint32_t)sites;
    for (uint64_t s = 0; s < sites; s++) {
        if (!take_number(cursor, &values) || values > UINT32_MAX)
            return false;
        struct an_llvm_site *site = an_vector_push(&reader->sites);
        if (!site)
            return failed(reader);
        *site = (struct an_llvm_site){NULL, (uint32_t)values, (uint32_t)values};
        for (uint64_t v = 0; v < values && !cursor->short_read; v++) {
            struct an_llvm_value *pair = an_vector_push(&reader->pairs);
            if (!pair)
                return failed(reader);
            pair->value = an_cursor_u64(cursor);
            pair->count = an_cursor_uleb128(cursor);
        }
    }
    return !cursor->short_read;
}

static bool take_values(struct reader *reader, unsigned kinds, struct an_llvm_values *values)
{
    struct an_llvm_value *pair;
    reader->sites.count = reader->pairs.count = 0;
    *values = (struct an_llvm_values){0};
    for (int kind = 0; kind < AN_LLVM_VALUE_KINDS; kind++)
        if ((kinds >> kind & 1) && !take_sites(reader, &values->site_count[kind]))
            return false;
    struct an_llvm_site *next = reader->sites.items;
    for (int kind = 0; kind < AN_LLVM_VALUE_KINDS; kind++) {
        values->sites[kind] = next;
        next = values->site_count[kind] ? next + values->site_count[kind] : next;
    }
    pair = reader->pairs.items;
    for (size_t s = 0; s < reader->sites.count; s++) {
        reader->sites.items[s].values = pair;
        pair = reader->sites.items[s].count ? pair + reader->sites.items[s].count : pair;
    }
    return true;
}

static bool take_record(struct reader *reader, size_t function, uint32_t rank)
{
    struct an_cursor *columns = reader->columns;
    struct an_llvm_record record = {.name = reader->name.items, .name_length = reader->name.count};
    uint64_t counters, bitmap;
    struct an_llvm_values values;
    record.hash = an_cursor_u64(&columns[PARTIAL_HASHES]);
    counters = an_cursor_uleb128(&columns[PARTIAL_SHAPES]);
    bitmap = an_cursor_uleb128(&columns[PARTIAL_SHAPES]);
    uint64_t input = an_cursor_uleb128(&columns[PARTIAL_ORIGINS]);
    unsigned kinds = an_cursor_u8(&columns[PARTIAL_KINDS]);
    if (columns[PARTIAL_HASHES].short_read || columns[PARTIAL_SHAPES].short_read ||
        columns[PARTIAL_ORIGINS].short_read || columns[PARTIAL_KINDS].short_read ||
        input >= reader->inputs || kinds > 127 || bitmap > UINT32_MAX ||
        bitmap > an_cursor_left(&columns[PARTIAL_BITMAPS]) || !take_counts(reader, counters) ||
        !take_values(reader, kinds & 7, &values))
        return false;
    record.counts = reader->numbers.items;
    record.count_number = (uint32_t)counters;
    record.bitmap_bytes = (uint32_t)bitmap;
    record.bitmap = (uint8_t *)an_cursor_take(&columns[PARTIAL_BITMAPS], (size_t)bitmap);
    record.values = kinds & 7 ? &values : NULL;
    if (kinds & 64) {
        record.uniform = (uint8_t *)an_cursor_take(&columns[PARTIAL_BITMAPS],
                                                   an_llvm_uniform_bytes(record.count_number));
        if (!record.uniform)
            return false;
    }
    if (!reader->profile)
        return true;
    uint8_t order[AN_LLVM_VALUE_KINDS];
    for (int kind = 0; kind < AN_LLVM_VALUE_KINDS; kind++)
        order[kind] = kinds >> (3 + kind) & 1 || !(kinds >> kind & 1) ? FIRST_ORDER : NO_ORDER;
    unsigned warnings =
        0; /* records of one shape have nothing to be warned of but an overflow, which is in the counts */
    struct record_origin origin = {reader->offset + (uint32_t)input, rank};
    return an_lossless_add(reader->profile, function, &record, order, origin, &warnings) ||
           failed(reader);
}

/* ---- functions ---- */

static bool take_name(struct reader *reader)
{
    struct an_cursor *cursor = &reader->columns[PARTIAL_NAMES];
    uint64_t shared = an_cursor_uleb128(cursor), own;
    if (!take_number(cursor, &own) || shared > reader->name.count)
        return false;
    const uint8_t *text = an_cursor_take(cursor, (size_t)own);
    if (!an_vector_reserve(&reader->name, (size_t)(shared + own + 1)))
        return failed(reader);
    if (own)
        memcpy(reader->name.items + shared, text, (size_t)own);
    reader->name.count = (size_t)(shared + own);
    return true;
}

static bool take_function(struct reader *reader)
{
    uint64_t records = an_cursor_uleb128(&reader->columns[PARTIAL_RECORDS]);
    size_t function = 0;
    if (reader->columns[PARTIAL_RECORDS].short_read || records == 0 || !take_name(reader) ||
        records > an_cursor_left(&reader->columns[PARTIAL_HASHES]) / 8)
        return false;
    if (reader->profile) {
        function = an_sink_function(reader->sink, reader->name.items, reader->name.count, 0, false);
        if (function == AN_NO_NAME)
            return failed(reader);
    }
    for (uint64_t r = 0; r < records; r++)
        if (!take_record(reader, function, (uint32_t)r))
            return false;
    return true;
}

/* ---- what belongs to the whole ---- */

static bool take_texts(struct reader *reader, bool (*add)(struct an_llvm_profile *profile,
                                                          const uint8_t *bytes, size_t size))
{
    uint64_t count, size;
    if (!take_number(&reader->rest, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!take_number(&reader->rest, &size))
            return false;
        const uint8_t *bytes = an_cursor_take(&reader->rest, (size_t)size);
        if (reader->profile && !add(reader->profile, bytes, (size_t)size))
            return failed(reader);
    }
    return true;
}

static bool take_trace(struct reader *reader)
{
    struct an_cursor *cursor = &reader->rest;
    uint64_t input = an_cursor_uleb128(cursor), index = an_cursor_uleb128(cursor);
    uint64_t bits = an_cursor_u64(cursor), count;
    struct an_llvm_trace trace = {.weight = an_cursor_uleb128(cursor)};
    double rate;
    memcpy(&rate, &bits, sizeof rate);
    if (!take_number(cursor, &count) || count > an_cursor_left(cursor) / 8 ||
        input >= reader->inputs || !isfinite(rate) || rate < 1)
        return false;
    if (!an_vector_reserve(&reader->numbers, (size_t)count + 1))
        return failed(reader);
    for (uint64_t i = 0; i < count; i++)
        reader->numbers.items[i] = an_cursor_u64(cursor);
    if (!reader->profile)
        return true;
    trace.functions = reader->numbers.items;
    trace.function_count = (size_t)count;
    size_t place =
        an_lossless_draw_trace(reader->profile, reader->offset + (uint32_t)input, index, rate);
    return place == AN_NO_PLACE || an_profile_take_trace(reader->profile, place, &trace) ||
           failed(reader);
}

static bool add_vtable_name(struct an_llvm_profile *profile, const uint8_t *bytes, size_t size)
{
    return an_profile_add_vtable_name(profile, (const char *)bytes, size);
}

/* ---- the whole ---- */

/* Walks through all of it. False when it makes no sense, or memory runs out. */
static bool walk(struct reader *reader, struct an_bytes content)
{
    struct an_cursor cursor = an_cursor_at(content, 0, false);
    uint64_t size, traces;
    uint64_t kind = an_cursor_uleb128(&cursor);
    reader->has_kind = !(kind & PARTIAL_KINDLESS);
    reader->variants = (unsigned)(kind & (PARTIAL_KINDLESS - 1));
    reader->version = (unsigned)(kind >> PARTIAL_VERSION_SHIFT);
    reader->reservoir = an_cursor_uleb128(&cursor);
    reader->trace_length = an_cursor_uleb128(&cursor);
    reader->stream = an_cursor_uleb128(&cursor);
    uint64_t functions = an_cursor_uleb128(&cursor);
    uint64_t records = an_cursor_uleb128(&cursor);
    if (cursor.short_read || kind >> 24 || reader->variants & ~AN_LLVM_VARIANTS ||
        (!reader->has_kind && (reader->variants || functions)) ||
        (reader->version && reader->version < AN_LLVM_DEFAULT_VERSION) || functions > records ||
        records > content.size / 8)
        return false;
    for (size_t i = 0; i < PARTIAL_COLUMNS; i++) {
        if (!take_number(&cursor, &size))
            return false;
        struct an_bytes column = {an_cursor_take(&cursor, (size_t)size), (size_t)size};
        reader->columns[i] = an_cursor_at(column, 0, false);
    }
    reader->rest = cursor;
    reader->name.count = 0;
    if (reader->profile) {
        an_lossless_limit_traces(reader->profile, reader->reservoir, reader->trace_length);
        if (!an_profile_expect(reader->profile, (size_t)functions))
            return failed(reader);
    }
    for (uint64_t f = 0; f < functions; f++)
        if (!take_function(reader))
            return false;
    for (size_t i = 0; i < PARTIAL_COLUMNS; i++)
        if (an_cursor_left(&reader->columns[i]))
            return false;
    if (!take_texts(reader, an_profile_add_binary_id) || !take_texts(reader, add_vtable_name) ||
        !take_number(&reader->rest, &traces))
        return false;
    for (uint64_t i = 0; i < traces; i++)
        if (!take_trace(reader))
            return false;
    return an_cursor_left(&reader->rest) == 0;
}

static bool add_origins(struct reader *reader, struct an_llvm_profile *profile,
                        const struct an_ledger *ledger)
{
    reader->offset = (uint32_t)profile->lossless.origins.count;
    for (size_t i = 0; i < ledger->count; i++)
        if (ledger->entries[i].status == AN_INPUT_USED &&
            !an_lossless_add_origins(&profile->lossless, &ledger->entries[i].digest, 1))
            return failed(reader);
    return true;
}

enum an_code an_llvm_partial_merge(const struct merge_sink *sink, struct an_bytes content,
                                   const struct an_ledger *ledger, size_t at, unsigned *variants,
                                   struct an_error *error)
{
    struct reader reader = {.sink = sink};
    struct an_llvm_profile *profile = sink->profile;
    enum an_code code = AN_OK;
    for (size_t i = 0; i < ledger->count; i++)
        reader.inputs += ledger->entries[i].status == AN_INPUT_USED;
    bool done = walk(&reader, content);
    *variants = reader.variants;
    if (done && reader.inputs && reader.has_kind && !an_profile_merge_kind(profile, *variants))
        code = an_fail(error, AN_MISMATCH, "other kind of instrumentation");
    if (done && code == AN_OK && add_origins(&reader, profile, ledger)) {
        reader.profile = profile;
        done = walk(&reader, content);
        an_profile_note_version(profile, reader.version);
        profile->trace_stream_size = an_saturating_add(profile->trace_stream_size, reader.stream);
    }
    if (reader.no_memory || profile->lossless.failed)
        code = an_fail_memory(error);
    else if (!done && code == AN_OK)
        code = an_fail_at(error, AN_MALFORMED, at, "partial result whose content makes no sense");
    an_vector_free(&reader.name);
    an_vector_free(&reader.numbers);
    an_vector_free(&reader.sites);
    an_vector_free(&reader.pairs);
    return code;
}
