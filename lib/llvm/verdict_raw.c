/* The verdict on raw profiles: version 10's header and records, whose drawing is in raw.c. */
#include <inttypes.h>

#include <anneal/llvm.h>

#include "llvm/format.h"
#include "llvm/verdict_parts.h"

enum { OWN_VERSION = 10 }; /* of LLVM 19 */

enum raw_field {
    RAW_MAGIC_WORD,
    RAW_VERSION_WORD,
    RAW_IDS,
    RAW_DATA,
    RAW_BEFORE_COUNTERS,
    RAW_COUNTERS,
    RAW_AFTER_COUNTERS,
    RAW_BITMAP,
    RAW_AFTER_BITMAP,
    RAW_NAMES,
    RAW_COUNTERS_DELTA,
    RAW_BITMAP_DELTA,
    RAW_NAMES_DELTA,
    RAW_VTABLES,
    RAW_VTABLE_NAMES,
    RAW_LAST_KIND,
    RAW_FIELDS,
};

struct raw {
    struct an_bytes file;
    bool big, wide; /* wide: of a 64-bit program */
    uint64_t magic, counter_size;
    uint64_t fields[RAW_FIELDS];
    size_t counters, values; /* where they begin */
    uint64_t large;          /* the first count that is none; 0: no such one */
};

static uint64_t record_size(const struct raw *raw)
{
    return raw->wide ? 64 : 48;
}

static uint64_t padding(uint64_t size)
{
    return (8 - size % 8) % 8;
}

/* The part of a file that begins there; what of it there is to see is in the structure. */
static void judge_raw_header(struct raw *raw, size_t at, struct verdict *verdict)
{
    uint64_t *fields = raw->fields;
    for (int i = 0; i < RAW_FIELDS; i++)
        fields[i] = an_get64(raw->file.data + at + 8 * i, raw->big);
    uint64_t version = fields[RAW_VERSION_WORD] & UINT32_MAX, left = raw->file.size - at;
    if (version != OWN_VERSION && version >= RAW_OLDEST && version <= RAW_NEWEST) {
        an_verdict_leave(verdict); /* not for anneal */
        return;
    }
    if (version != OWN_VERSION) {
        an_verdict_say(
            verdict,
            "raw profile version mismatch: Profile uses raw profile format version = %" PRIu64
            "; expected version = %d\nPLEASE update this tool to version in the raw profile, or "
            "regenerate raw profile with expected version.",
            version, OWN_VERSION);
        return;
    }
    size_t start = 8 * RAW_FIELDS;
    if (fields[RAW_IDS] % 8 || fields[RAW_IDS] > left - start) {
        an_verdict_say(verdict, AN_VERDICT_BAD_HEADER);
        return;
    }
    an_verdict_ids((struct an_bytes){raw->file.data + at + start, (size_t)fields[RAW_IDS]},
                   raw->big, verdict);
    if (verdict->done)
        return;
    raw->counter_size = fields[RAW_VERSION_WORD] & VARIANT_BYTE_COVERAGE ? 1 : 8;
    uint64_t vtable_size = raw->wide ? 24 : 16;
    /* Sizes that are added up as LLVM adds them; more than the file has is the end of it. */
    const uint64_t parts[] = {
        start,
        fields[RAW_IDS],
        fields[RAW_DATA] * record_size(raw),
        fields[RAW_BEFORE_COUNTERS],
        fields[RAW_COUNTERS] * raw->counter_size,
        fields[RAW_AFTER_COUNTERS],
        fields[RAW_BITMAP],
        fields[RAW_AFTER_BITMAP],
        fields[RAW_NAMES],
        padding(fields[RAW_NAMES]),
        fields[RAW_VTABLES] * vtable_size,
        padding(fields[RAW_VTABLES] * vtable_size),
        fields[RAW_VTABLE_NAMES],
        padding(fields[RAW_VTABLE_NAMES]),
    };
    if (fields[RAW_DATA] > UINT64_MAX / record_size(raw)) {
        an_verdict_leave(verdict);
        return;
    }
    uint64_t starts[sizeof parts / sizeof *parts + 1] = {0};
    bool fits = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        starts[i + 1] = starts[i] + parts[i];
        fits = fits && parts[i] <= left && starts[i + 1] <= left;
    }
    if (!fits) {
        an_verdict_say(verdict, AN_VERDICT_BAD_HEADER);
        return;
    }
    raw->counters = at + starts[4];
    raw->values = at + starts[14];
    const uint8_t *base = raw->file.data + at;
    an_verdict_names((struct an_bytes){base + starts[8], (size_t)fields[RAW_NAMES]}, verdict);
    if (!verdict->done)
        an_verdict_names((struct an_bytes){base + starts[12], (size_t)fields[RAW_VTABLE_NAMES]},
                         verdict);
}

/* Where counters or a bitmap lie, beside what the header says. */
static void judge_place(const char *what, int64_t offset, uint64_t size, struct verdict *verdict)
{
    if (offset < 0)
        an_verdict_say(verdict, AN_VERDICT_MALFORMED ": %s offset %" PRId64 " is negative", what,
                       offset);
    else if ((uint64_t)offset >= size)
        an_verdict_say(verdict,
                       AN_VERDICT_MALFORMED ": %s offset %" PRId64
                                            " is greater than the maximum %s offset %" PRId64,
                       what, offset, what, (int64_t)size - 1);
}

/* A count that is too large is worth a warning, if nothing else is wrong. */
static void find_large(struct raw *raw, size_t offset, uint32_t counters)
{
    if (raw->counter_size != 8)
        return;
    bool has_time = raw->fields[RAW_VERSION_WORD] & VARIANT_TEMPORAL;
    for (uint32_t i = has_time; i < counters && !raw->large; i++) {
        uint64_t count = an_get64(raw->file.data + raw->counters + offset + 8 * i, raw->big);
        raw->large = count > LARGEST_RAW_COUNT ? count : 0;
    }
}

static void judge_raw_record(struct raw *raw, const uint8_t *data, uint64_t index,
                             struct verdict *verdict)
{
    size_t word = raw->wide ? 8 : 4;
    uint64_t skipped = index * record_size(raw);
    uint64_t places[2];
    for (int i = 0; i < 2; i++) {
        const uint8_t *at = data + 16 + i * word;
        places[i] = raw->wide ? an_get64(at, raw->big) : an_get32(at, raw->big);
    }
    const uint8_t *rest = data + 16 + 4 * word;
    uint32_t counters = an_get32(rest, raw->big), bitmap = an_get32(rest + 12, raw->big);
    if (counters == 0) {
        an_verdict_say(verdict, AN_VERDICT_MALFORMED ": number of counters is zero");
        return;
    }
    int64_t offset = (int64_t)(places[0] - (raw->fields[RAW_COUNTERS_DELTA] - skipped));
    uint64_t size = raw->fields[RAW_COUNTERS] * raw->counter_size;
    judge_place("counter", offset, size, verdict);
    if (verdict->done)
        return;
    uint64_t most = (size - (uint64_t)offset) / raw->counter_size;
    if (counters > most) {
        an_verdict_say(verdict,
                       AN_VERDICT_MALFORMED
                       ": number of counters %" PRIu32
                       " is greater than the maximum number of counters %" PRIu64,
                       counters, most);
        return;
    }
    find_large(raw, (size_t)offset, counters);
    if (bitmap) {
        offset = (int64_t)(places[1] - (raw->fields[RAW_BITMAP_DELTA] - skipped));
        judge_place("bitmap", offset, raw->fields[RAW_BITMAP], verdict);
        most = raw->fields[RAW_BITMAP] - (uint64_t)offset;
        if (!verdict->done && bitmap > most)
            an_verdict_say(verdict,
                           AN_VERDICT_MALFORMED
                           ": number of bitmap bytes %" PRIu32
                           " is greater than the maximum number of bitmap bytes %" PRIu64,
                           bitmap, most);
    }
    bool has_values = false;
    for (int k = 0; k < AN_LLVM_VALUE_KINDS; k++)
        has_values = has_values || an_get16(rest + 4 + 2 * k, raw->big);
    if (!verdict->done && has_values)
        raw->values += an_verdict_values(
            (struct an_bytes){raw->file.data + raw->values, raw->file.size - raw->values}, raw->big,
            verdict);
}

/* Whether another part begins behind this one: that it has room for its header was checked. */
static bool find_next(const struct raw *raw, size_t *at, struct verdict *verdict)
{
    struct an_bytes file = raw->file;
    while (*at < file.size && file.data[*at] == 0)
        ++*at;
    if (*at == file.size)
        return false;
    if (file.size - *at < 8 * RAW_FIELDS)
        an_verdict_say(verdict, AN_VERDICT_MALFORMED ": not enough space for another header");
    else if (*at % 8)
        an_verdict_say(verdict, AN_VERDICT_MALFORMED ": insufficient padding");
    else if (an_get64(file.data + *at, raw->big) != raw->magic)
        an_verdict_say(verdict, "invalid instrumentation profile data (bad magic)");
    return !verdict->done;
}

static void judge_parts(struct raw *raw, struct verdict *verdict)
{
    size_t at = 0;
    do {
        judge_raw_header(raw, at, verdict);
        if (verdict->done)
            return;
        const uint8_t *data = raw->file.data + at + 8 * RAW_FIELDS + raw->fields[RAW_IDS];
        for (uint64_t i = 0; !verdict->done && i < raw->fields[RAW_DATA]; i++)
            judge_raw_record(raw, data + i * record_size(raw), i, verdict);
        at = raw->values;
    } while (!verdict->done && find_next(raw, &at, verdict));
}

void an_verdict_on_raw(struct an_bytes file, unsigned looks, struct verdict *verdict)
{
    struct raw raw = {.file = file};
    if (file.size < 8 * RAW_FIELDS) {
        an_verdict_say(verdict, AN_VERDICT_BAD_HEADER);
        return;
    }
    raw.big =
        an_get64(file.data, true) == RAW_MAGIC_64 || an_get64(file.data, true) == RAW_MAGIC_32;
    raw.magic = an_get64(file.data, raw.big);
    raw.wide = raw.magic == RAW_MAGIC_64;
    judge_parts(&raw, verdict);
    if (!verdict->done && raw.large && looks & AN_LLVM_LOOKS_AT_COUNTS)
        an_verdict_say(verdict,
                       "excessively large counter value suggests corrupted profile data: %" PRIu64,
                       raw.large);
}
