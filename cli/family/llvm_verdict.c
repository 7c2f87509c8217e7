/*
 * A profile that anneal refused is read once more here, in the order in which LLVM 19's tool looks at it, so that its
 * messages are that tool's to the letter. Nothing is kept of what is read. A check that LLVM's reader lacks is none
 * here: where it goes on beyond the bytes of the file, this one ends without a verdict.
 */
#include "llvm_verdict.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <zlib.h>

#include "base/file.h"
#include "cli/core/llvm_number.h"

#define MALFORMED "malformed instrumentation profile data"
#define TRUNCATED "truncated profile data"
#define BAD_HEADER "invalid instrumentation profile data (file header is corrupt)"
#define UNRECOGNIZED "unrecognized instrumentation profile encoding format"
#define UNSUPPORTED "unsupported instrumentation profile format version"

/* In the upper half of a version word. */
#define BYTE_COVERAGE (1ull << 60)
#define CONTEXT_SENSITIVE (1ull << 57)
#define TEMPORAL (1ull << 63)

/* Of a raw profile. */
#define LARGEST_COUNT (1ull << 56)

enum {
    RAW_VERSION = 10, /* of LLVM 19; anneal reads those between the next two */
    RAW_OLDEST = 5,
    RAW_NEWEST = 11,
    INDEXED_VERSION = 12, /* likewise */
    INDEXED_NEWEST = 14,
    VALUE_KINDS = 3,
    MOST_NAMES = 1 << 30, /* bytes of names, unpacked */
};

struct verdict {
    char *text;
    bool done; /* LLVM would stop here, whether there is a text or not */
};

static void say_it(struct verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say_it(struct verdict *verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict->text, LLVM_VERDICT_SIZE, format, arguments);
    va_end(arguments);
    verdict->done = true;
}

/* LLVM would read what is not in the file. */
static void leave(struct verdict *verdict)
{
    verdict->done = true;
}

/* ---- text ---- */

struct span {
    const char *at;
    size_t size;
};

/* Lines that are neither empty nor comments; a 0 ends them, as in LLVM's. */
struct lines {
    const char *next, *end;
    struct span line; /* of size 0 at the end */
    bool at_end;
};

static bool ends_line(const struct lines *lines, const char *at)
{
    return *at == '\n' || (*at == '\r' && at + 1 < lines->end && at[1] == '\n');
}

static void advance(struct lines *lines)
{
    const char *at = lines->next;
    bool skipped = true;
    while (skipped && at < lines->end) {
        if (*at == '#')
            while (at < lines->end && *at && !ends_line(lines, at))
                at++;
        skipped = at < lines->end && ends_line(lines, at);
        if (skipped)
            at += *at == '\r' ? 2 : 1;
    }
    const char *start = at;
    while (at < lines->end && *at && !ends_line(lines, at))
        at++;
    lines->line = (struct span){start, (size_t)(at - start)};
    lines->next = at;
    lines->at_end = at == start;
}

static struct span take_line(struct lines *lines)
{
    struct span line = lines->line;
    advance(lines);
    return line;
}

static bool number_in(struct span text, int base, uint64_t most, uint64_t *value)
{
    return llvm_number(text.at, text.size, base, most, value);
}

static bool is_word(struct span text, const char *word)
{
    return text.size == strlen(word) && strncasecmp(text.at, word, text.size) == 0;
}

static void judge_traces(struct lines *lines, struct verdict *verdict)
{
    uint64_t number, traces;
    for (int i = 0; i < 2; i++) {
        advance(lines);
        if (lines->at_end)
            say_it(verdict, "end of File");
        else if (!number_in(lines->line, 0, i ? UINT64_MAX : UINT32_MAX, i ? &number : &traces))
            say_it(verdict, MALFORMED);
        if (verdict->done)
            return;
    }
    for (uint64_t i = 0; i < 2 * traces; i++) {
        advance(lines);
        if (lines->at_end)
            say_it(verdict, "end of File");
        else if (i % 2 == 0 && !number_in(lines->line, 0, UINT64_MAX, &number))
            say_it(verdict, MALFORMED);
        if (verdict->done)
            return;
    }
}

static void judge_text_header(struct lines *lines, struct verdict *verdict)
{
    static const char *const words[] = {
        "ir", "fe", "csir", "entry_first", "not_entry_first", "single_byte_coverage"};
    while (!verdict->done && lines->line.size && lines->line.at[0] == ':') {
        struct span word = {lines->line.at + 1, lines->line.size - 1};
        bool known = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            known = known || is_word(word, words[i]);
        if (is_word(word, "temporal_prof_traces"))
            judge_traces(lines, verdict);
        else if (!known)
            say_it(verdict, BAD_HEADER);
        if (!verdict->done)
            advance(lines);
    }
}

/* A number of values; false when there is none, after the verdict. */
static bool take_number(struct lines *lines, struct verdict *verdict, uint64_t *number)
{
    if (lines->at_end)
        say_it(verdict, TRUNCATED);
    else if (!number_in(take_line(lines), 10, UINT32_MAX, number))
        say_it(verdict, MALFORMED);
    return !verdict->done;
}

static void judge_text_value(struct lines *lines, uint64_t kind, struct verdict *verdict)
{
    uint64_t number;
    if (lines->at_end) {
        say_it(verdict, TRUNCATED);
        return;
    }
    struct span line = lines->line, name = line, count = {line.at + line.size, 0};
    for (size_t i = line.size; i-- > 0;)
        if (line.at[i] == ':') {
            name.size = i;
            count = (struct span){line.at + i + 1, line.size - i - 1};
            break;
        }
    if (kind == 1 ? !number_in(name, 10, UINT64_MAX, &number) : name.size == 0)
        say_it(verdict, kind == 1 ? MALFORMED : MALFORMED ": symbol name is empty");
    else if (!number_in(count, 10, UINT64_MAX, &number))
        say_it(verdict, MALFORMED);
    else
        advance(lines);
}

static void judge_text_values(struct lines *lines, struct verdict *verdict)
{
    uint64_t kinds, kind, sites, values;
    if (lines->at_end || !number_in(lines->line, 10, UINT32_MAX, &kinds))
        return;
    if (kinds == 0 || kinds > VALUE_KINDS) {
        say_it(verdict, MALFORMED ": number of value kinds is invalid");
        return;
    }
    advance(lines);
    for (uint64_t k = 0; k < kinds; k++) {
        if (!take_number(lines, verdict, &kind))
            return;
        if (kind >= VALUE_KINDS) {
            say_it(verdict, MALFORMED ": value kind is invalid");
            return;
        }
        if (!take_number(lines, verdict, &sites))
            return;
        for (uint64_t s = 0; s < sites; s++) {
            if (!take_number(lines, verdict, &values))
                return;
            for (uint64_t v = 0; v < values && !verdict->done; v++)
                judge_text_value(lines, kind, verdict);
            if (verdict->done)
                return;
        }
    }
}

static void judge_bitmap(struct lines *lines, struct verdict *verdict)
{
    struct span text = take_line(lines);
    uint64_t bytes, byte;
    text = (struct span){text.at + 1, text.size - 1};
    while (text.size && strchr(" \t\v\f\r\n", text.at[0]))
        text = (struct span){text.at + 1, text.size - 1};
    while (text.size && strchr(" \t\v\f\r\n", text.at[text.size - 1]))
        text.size--;
    if (!number_in(text, 0, UINT64_MAX, &bytes)) {
        say_it(verdict, MALFORMED ": number of bitmap bytes is not a valid integer");
        return;
    }
    for (uint64_t i = 0; i < bytes; i++) {
        if (lines->at_end)
            say_it(verdict, TRUNCATED);
        else if (!number_in(take_line(lines), 0, UINT8_MAX, &byte))
            say_it(verdict, MALFORMED ": bitmap byte is not a valid integer");
        if (verdict->done)
            return;
    }
}

static void judge_text_record(struct lines *lines, struct verdict *verdict)
{
    uint64_t number, counts;
    advance(lines); /* the name */
    if (lines->at_end) {
        say_it(verdict, TRUNCATED);
    } else if (!number_in(take_line(lines), 0, UINT64_MAX, &number)) {
        say_it(verdict, MALFORMED ": function hash is not a valid integer");
    } else if (lines->at_end) {
        say_it(verdict, TRUNCATED);
    } else if (!number_in(take_line(lines), 10, UINT64_MAX, &counts)) {
        say_it(verdict, MALFORMED ": number of counters is not a valid integer");
    } else if (counts == 0) {
        say_it(verdict, MALFORMED ": number of counters is zero");
    }
    for (uint64_t i = 0; !verdict->done && i < counts; i++)
        if (lines->at_end)
            say_it(verdict, TRUNCATED);
        else if (!number_in(take_line(lines), 10, UINT64_MAX, &number))
            say_it(verdict, MALFORMED ": count is invalid");
    if (!verdict->done && lines->line.size && lines->line.at[0] == '$')
        judge_bitmap(lines, verdict);
    if (!verdict->done)
        judge_text_values(lines, verdict);
}

static void judge_text(struct an_bytes file, struct verdict *verdict)
{
    struct lines lines = {.next = (const char *)file.data,
                          .end = (const char *)file.data + file.size};
    advance(&lines);
    judge_text_header(&lines, verdict);
    while (!verdict->done && !lines.at_end)
        judge_text_record(&lines, verdict);
}

static bool is_text(struct an_bytes file)
{
    for (size_t i = 0; i < file.size && i < 8; i++)
        if (!(file.data[i] >= 32 && file.data[i] < 127) &&
            !(file.data[i] >= '\t' && file.data[i] <= '\r'))
            return false;
    return true;
}

/* ---- what several formats have ---- */

static void judge_ids(struct an_bytes ids, bool big, struct verdict *verdict)
{
    size_t at = 0;
    while (at < ids.size) {
        if (ids.size - at < 8) {
            say_it(verdict, MALFORMED ": not enough data to read binary id length");
            return;
        }
        uint64_t length = an_get64(ids.data + at, big);
        at += 8;
        uint64_t padded = (length + 7) / 8 * 8;
        if (length == 0)
            say_it(verdict, MALFORMED ": binary id length is 0");
        else if (padded > ids.size - at || padded < length)
            say_it(verdict, MALFORMED ": not enough data to read binary id data");
        if (verdict->done)
            return;
        at += padded;
    }
}

/* Names are split at each byte 1; one without a letter is refused. */
static void judge_name_list(const uint8_t *names, size_t size, struct verdict *verdict)
{
    size_t start = 0;
    for (size_t i = 0; i <= size && !verdict->done; i++)
        if (i == size || names[i] == 1) {
            if (i == start)
                say_it(verdict, MALFORMED ": symbol name is empty");
            start = i + 1;
        }
}

static bool take_size(struct an_bytes bytes, size_t *at, uint64_t *size)
{
    *size = 0;
    for (unsigned shift = 0; *at < bytes.size && shift < 64; shift += 7) {
        uint8_t byte = bytes.data[(*at)++];
        *size |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

static void judge_packed(const uint8_t *packed, size_t packed_size, uint64_t size,
                         struct verdict *verdict)
{
    uLongf got = (uLongf)size;
    uint8_t *names = size <= MOST_NAMES ? malloc((size_t)size + 1) : NULL;
    if (!names)
        leave(verdict);
    else if (uncompress(names, &got, packed, (uLong)packed_size) != Z_OK)
        say_it(verdict, "failed to uncompress data (zlib)");
    else
        judge_name_list(names, got, verdict);
    free(names);
}

static void judge_names(struct an_bytes names, struct verdict *verdict)
{
    size_t at = 0;
    while (!verdict->done && at < names.size) {
        uint64_t size, packed;
        if (!take_size(names, &at, &size) || !take_size(names, &at, &packed) ||
            (packed ? packed : size) > names.size - at) {
            leave(verdict);
            return;
        }
        if (packed)
            judge_packed(names.data + at, (size_t)packed, size, verdict);
        else
            judge_name_list(names.data + at, (size_t)size, verdict);
        at += (size_t)(packed ? packed : size);
        while (at < names.size && names.data[at] == 0)
            at++;
    }
}

/* The values of one function; how many bytes they take. */
static uint64_t judge_values(struct an_bytes bytes, bool big, struct verdict *verdict)
{
    if (bytes.size < 8) {
        say_it(verdict, TRUNCATED);
        return 0;
    }
    uint32_t size = an_get32(bytes.data, big), kinds = an_get32(bytes.data + 4, big);
    if (size > bytes.size)
        say_it(verdict, "too much profile data");
    else if (size < 8)
        leave(verdict);
    else if (kinds > VALUE_KINDS)
        say_it(verdict, MALFORMED ": number of value profile kinds is invalid");
    else if (size % 8)
        say_it(verdict, MALFORMED ": total size is not multiples of quardword");
    uint64_t at = 8;
    for (uint32_t k = 0; !verdict->done && k < kinds; k++) {
        if (at + 8 > size) {
            leave(verdict);
            return 0;
        }
        uint32_t kind = an_get32(bytes.data + at, big);
        uint64_t sites = an_get32(bytes.data + at + 4, big), values = 0;
        if (kind >= VALUE_KINDS) {
            say_it(verdict, MALFORMED ": value kind is invalid");
        } else if (at + 8 + sites > size) {
            leave(verdict);
        } else {
            for (uint64_t i = 0; i < sites; i++)
                values += bytes.data[at + 8 + i];
            at += (8 + sites + 7) / 8 * 8 + 16 * values;
            if (at > size)
                say_it(verdict, MALFORMED ": value profile address is greater than total size");
        }
    }
    return size;
}

/* ---- raw profiles ---- */

enum raw_field {
    RAW_MAGIC,
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
    if (version != RAW_VERSION && version >= RAW_OLDEST && version <= RAW_NEWEST) {
        leave(verdict); /* not for anneal */
        return;
    }
    if (version != RAW_VERSION) {
        say_it(verdict,
               "raw profile version mismatch: Profile uses raw profile format version = %" PRIu64
               "; expected version = %d\nPLEASE update this tool to version in the raw profile, or "
               "regenerate raw profile with expected version.",
               version, RAW_VERSION);
        return;
    }
    size_t start = 8 * RAW_FIELDS;
    if (fields[RAW_IDS] % 8 || fields[RAW_IDS] > left - start) {
        say_it(verdict, BAD_HEADER);
        return;
    }
    judge_ids((struct an_bytes){raw->file.data + at + start, (size_t)fields[RAW_IDS]}, raw->big,
              verdict);
    if (verdict->done)
        return;
    raw->counter_size = fields[RAW_VERSION_WORD] & BYTE_COVERAGE ? 1 : 8;
    uint64_t vtable_size = raw->wide ? 24 : 16;
    /* Sizes that are added up as LLVM adds them; more than the file has is the end of it. */
    const uint64_t parts[] = {
        start,
        fields[RAW_IDS],
        fields[RAW_DATA] * (raw->wide ? 64 : 48),
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
    uint64_t starts[sizeof parts / sizeof *parts + 1] = {0};
    bool fits = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        starts[i + 1] = starts[i] + parts[i];
        fits = fits && parts[i] <= left && starts[i + 1] <= left;
    }
    if (!fits) {
        say_it(verdict, BAD_HEADER);
        return;
    }
    raw->counters = at + starts[4];
    raw->values = at + starts[14];
    const uint8_t *base = raw->file.data + at;
    judge_names((struct an_bytes){base + starts[8], (size_t)fields[RAW_NAMES]}, verdict);
    if (!verdict->done)
        judge_names((struct an_bytes){base + starts[12], (size_t)fields[RAW_VTABLE_NAMES]},
                    verdict);
}

/* Where counters or a bitmap lie, beside what the header says. */
static void judge_place(const char *what, int64_t offset, uint64_t size, struct verdict *verdict)
{
    if (offset < 0)
        say_it(verdict, MALFORMED ": %s offset %" PRId64 " is negative", what, offset);
    else if ((uint64_t)offset >= size)
        say_it(verdict,
               MALFORMED ": %s offset %" PRId64 " is greater than the maximum %s offset %" PRId64,
               what, offset, what, (int64_t)size - 1);
}

/* A count that is too large is worth a warning, if nothing else is wrong. */
static void find_large(struct raw *raw, size_t offset, uint32_t counters)
{
    if (raw->counter_size != 8)
        return;
    bool has_time = raw->fields[RAW_VERSION_WORD] & TEMPORAL;
    for (uint32_t i = has_time; i < counters && !raw->large; i++) {
        uint64_t count = an_get64(raw->file.data + raw->counters + offset + 8 * i, raw->big);
        raw->large = count > LARGEST_COUNT ? count : 0;
    }
}

static void judge_raw_record(struct raw *raw, const uint8_t *data, uint64_t index,
                             struct verdict *verdict)
{
    size_t word = raw->wide ? 8 : 4;
    uint64_t skipped = index * (raw->wide ? 64 : 48);
    uint64_t places[2];
    for (int i = 0; i < 2; i++) {
        const uint8_t *at = data + 16 + i * word;
        places[i] = raw->wide ? an_get64(at, raw->big) : an_get32(at, raw->big);
    }
    const uint8_t *rest = data + 16 + 4 * word;
    uint32_t counters = an_get32(rest, raw->big), bitmap = an_get32(rest + 12, raw->big);
    if (counters == 0) {
        say_it(verdict, MALFORMED ": number of counters is zero");
        return;
    }
    int64_t offset = (int64_t)(places[0] - (raw->fields[RAW_COUNTERS_DELTA] - skipped));
    uint64_t size = raw->fields[RAW_COUNTERS] * raw->counter_size;
    judge_place("counter", offset, size, verdict);
    if (verdict->done)
        return;
    uint64_t most = (size - (uint64_t)offset) / raw->counter_size;
    if (counters > most) {
        say_it(verdict,
               MALFORMED ": number of counters %" PRIu32
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
            say_it(verdict,
                   MALFORMED ": number of bitmap bytes %" PRIu32
                             " is greater than the maximum number of bitmap bytes %" PRIu64,
                   bitmap, most);
    }
    bool has_values = false;
    for (int k = 0; k < VALUE_KINDS; k++)
        has_values = has_values || an_get16(rest + 4 + 2 * k, raw->big);
    if (!verdict->done && has_values)
        raw->values += judge_values(
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
        say_it(verdict, MALFORMED ": not enough space for another header");
    else if (*at % 8)
        say_it(verdict, MALFORMED ": insufficient padding");
    else if (an_get64(file.data + *at, raw->big) != raw->magic)
        say_it(verdict, "invalid instrumentation profile data (bad magic)");
    return !verdict->done;
}

static void judge_raw(struct raw *raw, unsigned looks, struct verdict *verdict)
{
    size_t at = 0;
    if (raw->file.size < 8 * RAW_FIELDS) {
        say_it(verdict, BAD_HEADER);
        return;
    }
    do {
        judge_raw_header(raw, at, verdict);
        const uint8_t *data = raw->file.data + at + 8 * RAW_FIELDS + raw->fields[RAW_IDS];
        for (uint64_t i = 0; !verdict->done && i < raw->fields[RAW_DATA]; i++)
            judge_raw_record(raw, data + i * (raw->wide ? 64 : 48), i, verdict);
        at = raw->values;
    } while (!verdict->done && find_next(raw, &at, verdict));
    if (!verdict->done && raw->large && looks & LLVM_LOOKS_AT_COUNTS)
        say_it(verdict, "excessively large counter value suggests corrupted profile data: %" PRIu64,
               raw->large);
}

static bool is_raw(struct an_bytes file, struct raw *raw)
{
    static const uint64_t magics[] = {0xff6c70726f665281, 0xff6c70726f667281}; /* 32, 64 bits */
    for (int i = 0; file.size >= 8 && i < 4; i++)
        if (an_get64(file.data, i % 2) == magics[i / 2]) {
            *raw = (struct raw){.file = file, .big = i % 2, .wide = i / 2, .magic = magics[i / 2]};
            return true;
        }
    return false;
}

/* ---- indexed profiles ---- */

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
    struct verdict verdict = {(char[LLVM_VERDICT_SIZE]){""}, false};
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
        if (indexed->version > 10) {
            uint64_t bytes = an_cursor_u64(&cursor);
            if (cursor.short_read || bytes > an_cursor_left(&cursor) / 8)
                return 0;
            an_cursor_take(&cursor, (size_t)bytes * 8);
        }
        if (indexed->version > 2) {
            uint64_t size = judge_values(
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
        leave(verdict);
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
            leave(verdict);
            return;
        }
        an_cursor_take(&cursor, (size_t)name);
        struct an_bytes bytes = {indexed->file.data + cursor.at, (size_t)data};
        if (count_records(indexed, bytes) == 0) {
            say_it(verdict, MALFORMED ": profile data is empty");
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
            leave(verdict);
            return;
        }
        uint64_t bytes = number_at(indexed, (size_t)at);
        if (bytes % 8)
            say_it(verdict, BAD_HEADER);
        else if (bytes > size - at - 8)
            leave(verdict);
        if (verdict->done)
            return;
        *ids = (struct an_bytes){indexed->file.data + at + 8, (size_t)bytes};
    }
    if (!has_traces)
        return;
    at = number_at(indexed, 56);
    if (at > size || size - at < 16) {
        say_it(verdict, TRUNCATED);
        return;
    }
    uint64_t traces = number_at(indexed, (size_t)at);
    at += 16;
    for (uint64_t i = 0; i < traces && !verdict->done; i++) {
        if (size - at < 16) {
            say_it(verdict, TRUNCATED);
            return;
        }
        uint64_t functions = number_at(indexed, (size_t)at + 8);
        at += 16;
        if (functions > (size - at) / 8)
            say_it(verdict, TRUNCATED);
        else
            at += 8 * functions;
    }
}

static void judge_indexed(struct an_bytes file, unsigned looks, struct verdict *verdict)
{
    struct indexed indexed = {.file = file};
    struct an_bytes ids = {0};
    if (file.size < 24) {
        say_it(verdict, TRUNCATED);
        return;
    }
    uint64_t word = number_at(&indexed, 8);
    indexed.version = word & UINT32_MAX;
    if (indexed.version > INDEXED_VERSION && indexed.version <= INDEXED_NEWEST) {
        leave(verdict);
        return;
    }
    if (indexed.version > INDEXED_VERSION) {
        say_it(verdict, UNSUPPORTED);
        return;
    }
    size_t at = indexed.version >= 12 ? 72
                : indexed.version >= 10
                    ? 64
                    : 40 + 8 * (size_t)(indexed.version >= 8) + 8 * (size_t)(indexed.version >= 9);
    int summaries = indexed.version < 4 ? 0 : word & CONTEXT_SENSITIVE ? 2 : 1;
    for (int i = 0; i < summaries; i++) {
        if (file.size < at || file.size - at < 16) {
            leave(verdict);
            return;
        }
        uint64_t fields = number_at(&indexed, at), entries = number_at(&indexed, at + 8);
        if (fields > (file.size - at) / 8 || entries > (file.size - at) / 24 ||
            16 + 8 * fields + 24 * entries > file.size - at) {
            leave(verdict);
            return;
        }
        at += (size_t)(16 + 8 * fields + 24 * entries);
    }
    if (file.size < at) {
        leave(verdict);
        return;
    }
    if (number_at(&indexed, 24)) {
        say_it(verdict, "unsupported instrumentation profile hash type");
        return;
    }
    judge_offsets(&indexed, indexed.version >= 10 && word & TEMPORAL, &ids, verdict);
    if (!verdict->done)
        judge_functions(&indexed, at, number_at(&indexed, 32), verdict);
    if (!verdict->done && looks & LLVM_LOOKS_AT_IDS)
        judge_ids(ids, false, verdict);
}

/* ---- the whole ---- */

/* False when nothing is wrong that LLVM would see. */
static bool judge(struct an_bytes file, unsigned looks, char *text)
{
    struct verdict verdict = {text, false};
    struct raw raw;
    *text = '\0';
    if (file.size == 0)
        say_it(&verdict, "empty raw profile file");
    else if (file.size >= 8 && memcmp(file.data, "\377lprofi\201", 8) == 0)
        judge_indexed(file, looks, &verdict);
    else if (is_raw(file, &raw))
        judge_raw(&raw, looks, &verdict);
    else if (is_text(file))
        judge_text(file, &verdict);
    else
        say_it(&verdict, UNRECOGNIZED);
    return *text;
}

/* LLVM's word for what anneal found. */
static const char *word_for(enum an_code code)
{
    switch (code) {
    case AN_TRUNCATED:
        return TRUNCATED;
    case AN_UNKNOWN:
        return UNRECOGNIZED;
    case AN_UNSUPPORTED:
        return UNSUPPORTED;
    case AN_EMPTY:
        return "empty raw profile file";
    case AN_NO_MEMORY:
        return "Cannot allocate memory";
    default:
        return MALFORMED;
    }
}

/* The system's words for what it refused, without what anneal was about to do. */
static const char *system_words(const struct an_error *error)
{
    const char *words = strstr(error->what, ": ");
    return words ? words + 2 : error->what;
}

static void own_words(const struct an_error *error, char *text)
{
    char what[LLVM_VERDICT_SIZE / 2];
    struct an_error own = *error;
    own.file[0] = '\0';
    const char *word = word_for(error->code);
    if (error->code == AN_SYSTEM)
        snprintf(text, LLVM_VERDICT_SIZE, "%s", system_words(error));
    else if (error->code == AN_MISMATCH)
        snprintf(text, LLVM_VERDICT_SIZE, "%s", error->what);
    else if (error->code == AN_UNKNOWN || error->code == AN_EMPTY || error->code == AN_NO_MEMORY)
        snprintf(text, LLVM_VERDICT_SIZE, "%s", word);
    else
        snprintf(text, LLVM_VERDICT_SIZE, "%s: %s", word, an_error_format(&own, what, sizeof what));
}

/* Kinds that LLVM, too, does not mix; anneal keeps more of them apart. */
bool llvm_verdict_is_mixed(const struct an_error *error)
{
    return error->code == AN_MISMATCH &&
           (strstr(error->what, "instr-generate") || strstr(error->what, "function entries"));
}

char *llvm_verdict(const char *path, unsigned looks, const struct an_error *error,
                   char text[LLVM_VERDICT_SIZE])
{
    struct an_file file = {0};
    struct an_error again;
    struct stat info;
    bool judged = false;
    if (llvm_verdict_is_mixed(error)) {
        snprintf(text, LLVM_VERDICT_SIZE,
                 "Merge IR generated profile with Clang generated profile.");
        return text;
    }
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        snprintf(text, LLVM_VERDICT_SIZE, "%s", strerror(EISDIR));
        return text;
    }
    bool is_own = error->code == AN_SYSTEM || error->code == AN_MISMATCH;
    if (!is_own && stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
        an_file_load(&file, path, &again) == AN_OK)
        judged = judge(file.bytes, looks, text);
    if (!judged)
        own_words(error, text);
    an_file_close(&file);
    return text;
}

void llvm_tell(const char *whence, const char *verdict)
{
    fflush(stdout);
    fprintf(stderr, "error: %s%s%s\n%s", whence, *whence ? ": " : "", verdict,
            strcmp(verdict, UNRECOGNIZED) == 0
                ? "note: Perhaps you forgot to use the --sample or --memory option?\n"
                : "");
}
