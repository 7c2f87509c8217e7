/*
 * The raw profile format: the runtime's memory, dumped section by section behind a header, in the
 * target's byte order and pointer size. Versions and what each changed:
 *
 *      5   LLVM 11, 12    7   LLVM 13    8   LLVM 14..17    9   LLVM 18    10   LLVM 19..22
 *     11   LLVM 23
 *
 *     +------------------------------------------------------------------------------+
 *     | header, 64-bit words:        version  5  6  7,8  9  10  11                   |
 *     |   magic, version | variants           x  x  x    x  x   x                    |
 *     |   size of binary ids                     .  x    x  x   x (6: last word)     |
 *     |   number of data records              x  x  x    x  x   x                    |
 *     |   padding before the counters         x  x  x    x  x   x                    |
 *     |   number of counters                  x  x  x    x  x   x                    |
 *     |   padding after the counters          x  x  x    x  x   x                    |
 *     |   bytes of bitmap, padding after                 x  x   x                    |
 *     |   number of uniform counters, padding                   x                    |
 *     |   uniform counters delta                                x                    |
 *     |   bytes of names                      x  x  x    x  x   x                    |
 *     |   counters delta                      x  x  x    x  x   x                    |
 *     |   bitmap delta                                   x  x   x                    |
 *     |   names delta                         x  x  x    x  x   x                    |
 *     |   number of vtables, bytes of names                 x   x                    |
 *     |   last value kind                     x  x  x    x  x   x                    |
 *     +------------------------------------------------------------------------------+
 *     | binary ids: { u64 length, bytes, padding to 8 (8..) }...                     |
 *     | data records, padding | counters, padding | bitmap, padding                  |
 *     | uniform counters, padding (11..) | names, padding                            |
 *     | vtable records, padding | vtable names, padding                              |
 *     | value data: a block for every record that has value sites, in record order   |
 *     +------------------------------------------------------------------------------+
 *
 *     data record (P: pointer, 4 or 8 bytes; the whole is padded to 8):
 *       u64 name hash | u64 function hash | P counters | P uniform counters (11..) |
 *       P bitmap (9..) | P function | P values | u32 counters |
 *       u16 sites[2], or [3] from 10 | u16 lanes of a wave (11..) | u32 bitmap bytes (9..)
 *
 *     value data block:
 *       u32 size of the block | u32 kinds |
 *       kinds * { u32 kind | u32 sites | u8 values[sites], padding to 8 | {u64 value, u64 count}... }
 *
 * Up to version 7 a record's pointer to its counters is absolute and the delta is the address of
 * the first counter. From 8 on it is relative to the record itself and the delta is the distance
 * from the first record to the first counter. With temporal profiles the first eight bytes of a
 * function's counters are its timestamp; with single-byte coverage a counter is one byte, 0 when
 * covered. Code of AMD GPUs counts twice: a uniform counter for each counter says how often all
 * lanes of a wave came there together. Only whether these are nearly all is of interest later.
 *
 * Sources: InstrProfData.inc of LLVM 13 to 23, InstrProfReader.cpp, compiler-rt's
 * InstrProfilingWriter.c. Version 6 was a development snapshot between LLVM 12 and 13.
 */
#include "llvm/raw.h"

#include <string.h>

#include "llvm/format.h"
#include "llvm/value_data.h"

/* Functions have counters of their own; this much sharing is suffered, more would only cost time. */
enum { SHARED = 16 };

/* The header's words, in file order. */
enum word {
    MAGIC,
    VERSION,
    BINARY_IDS,
    DATA_NUMBER,
    PADDING_BEFORE_COUNTERS,
    COUNTER_NUMBER,
    PADDING_AFTER_COUNTERS,
    BITMAP_BYTES,
    PADDING_AFTER_BITMAP,
    UNIFORM_NUMBER,
    PADDING_AFTER_UNIFORM,
    UNIFORM_DELTA,
    NAMES_SIZE,
    COUNTERS_DELTA,
    BITMAP_DELTA,
    NAMES_DELTA,
    VTABLE_NUMBER,
    VTABLE_NAMES_SIZE,
    LAST_VALUE_KIND,
    WORDS,
};

/* The version that brought a word, where it is not the oldest one. */
static const uint8_t since[WORDS] = {
    [BINARY_IDS] = 7,      [BITMAP_BYTES] = 9,           [PADDING_AFTER_BITMAP] = 9,
    [BITMAP_DELTA] = 9,    [VTABLE_NUMBER] = 10,         [VTABLE_NAMES_SIZE] = 10,
    [UNIFORM_NUMBER] = 11, [PADDING_AFTER_UNIFORM] = 11, [UNIFORM_DELTA] = 11,
};

static void read_words(struct an_cursor *cursor, unsigned version, uint64_t words[WORDS])
{
    for (int word = 0; word < WORDS; word++)
        words[word] = version >= since[word] ? an_cursor_u64(cursor) : 0;
    if (version == 6) /* had the size of the binary ids at the end */
        words[BINARY_IDS] = an_cursor_u64(cursor);
}

struct raw_fields an_raw_fields(unsigned version, bool wide)
{
    uint8_t p = wide ? 8 : 4;
    struct raw_fields f = {.pointer = p, .counter_pointer = 16};
    uint8_t at = (uint8_t)(16 + p);
    if (version >= 11) {
        f.uniform_pointer = at;
        at += p;
    }
    if (version >= 9) {
        f.bitmap_pointer = at;
        at += p;
    }
    f.function_pointer = at;
    at += 2 * p; /* and the pointer to values, which only the running program needs */
    f.counter_number = at;
    f.sites = (uint8_t)(at + 4);
    f.kinds = version >= 10 ? 3 : 2;
    at = (uint8_t)(f.sites + 2 * f.kinds);
    if (version >= 11)
        at += 2; /* the lanes of a wave */
    if (version >= 9) {
        at = (uint8_t)((at + 3) / 4 * 4);
        f.bitmap_bytes = at;
        at += 4;
    }
    f.size = (uint8_t)((at + 7) / 8 * 8);
    return f;
}

static bool recognise(struct an_bytes file, uint64_t at, bool *big, bool *wide)
{
    if (at > file.size || file.size - at < 8)
        return false;
    for (int order = 0; order < 2; order++) {
        uint64_t magic = an_get64(file.data + at, order);
        if (magic == RAW_MAGIC_64 || magic == RAW_MAGIC_32) {
            *big = order;
            *wide = magic == RAW_MAGIC_64;
            return true;
        }
    }
    return false;
}

bool an_raw_recognise(struct an_bytes file)
{
    bool big, wide;
    return recognise(file, 0, &big, &wide);
}

/* Cuts the next `size` bytes off the file; false when it is not that long. */
static bool cut(struct an_cursor *cursor, uint64_t size, uint64_t padding,
                struct raw_section *section)
{
    section->at = cursor->at;
    section->size = size;
    section->data = size > SIZE_MAX ? NULL : an_cursor_take(cursor, (size_t)size);
    return section->data && padding <= SIZE_MAX && an_cursor_take(cursor, (size_t)padding);
}

static uint64_t padding_to_8(uint64_t size)
{
    return -size & 7;
}

static bool product(uint64_t number, uint64_t size, uint64_t *bytes)
{
    return !__builtin_mul_overflow(number, size, bytes);
}

static enum an_code check_binary_ids(const struct raw_image *image, struct an_error *error)
{
    struct an_bytes bytes = {image->binary_ids.data, (size_t)image->binary_ids.size};
    struct an_cursor cursor = an_cursor_at(bytes, 0, image->big);
    while (an_cursor_left(&cursor)) {
        uint64_t size, at = image->binary_ids.at + cursor.at;
        if (!an_cursor_block(&cursor, an_raw_pads_binary_ids(image->version), &size) || size == 0)
            return an_fail_at(error, AN_MALFORMED, at,
                              "binary id of %llu bytes does not fit its section",
                              (unsigned long long)size);
    }
    return AN_OK;
}

static enum an_code unknown_version(unsigned version, uint64_t at, struct an_error *error)
{
    an_fail_at(error, AN_UNSUPPORTED, at + 8, "raw profile version %u, expected %u to %u", version,
               RAW_OLDEST, RAW_NEWEST);
    return an_error_hint(error, version > RAW_NEWEST ? "written by a compiler later than LLVM 23"
                                                     : "written by LLVM 10 or earlier");
}

enum an_code an_raw_open_bare(struct raw_image *image, struct an_bytes file, uint64_t at,
                              struct an_error *error)
{
    *image = (struct raw_image){.file = file, .at = at};
    if (!recognise(file, at, &image->big, &image->wide))
        return an_fail_at(error, AN_MALFORMED, at, "expected the start of a raw profile");
    struct an_cursor cursor = an_cursor_at(file, (size_t)at + 8, image->big);
    image->version_word = an_cursor_u64(&cursor);
    if (cursor.short_read)
        return an_fail_at(error, AN_TRUNCATED, file.size,
                          "file ends within the header of the "
                          "raw profile");
    image->version = VERSION_OF(image->version_word);
    image->variants = an_llvm_variants_of(image->version_word);
    if (image->version < RAW_OLDEST || image->version > RAW_NEWEST)
        return unknown_version(image->version, at, error);
    if (an_llvm_check_flags(image->version_word, at + 8, error) != AN_OK)
        return error->code;

    uint64_t words[WORDS];
    cursor = an_cursor_at(file, (size_t)at, image->big);
    read_words(&cursor, image->version, words);
    if (cursor.short_read)
        return an_fail_at(error, AN_TRUNCATED, file.size,
                          "file ends within the header of the "
                          "raw profile");
    image->header = (struct raw_section){file.data + at, cursor.at - at, at};
    image->fields = an_raw_fields(image->version, image->wide);
    image->data_number = words[DATA_NUMBER];
    image->vtable_number = words[VTABLE_NUMBER];
    image->counters_delta = words[COUNTERS_DELTA];
    image->bitmap_delta = words[BITMAP_DELTA];
    image->uniform_delta = words[UNIFORM_DELTA];

    uint64_t data_size, counters_size, uniform_size, vtables_size;
    if (words[LAST_VALUE_KIND] >= AN_LLVM_VALUE_KINDS ||
        !product(words[DATA_NUMBER], image->fields.size, &data_size) ||
        !product(words[COUNTER_NUMBER], an_raw_counter_size(image), &counters_size) ||
        !product(words[UNIFORM_NUMBER], 8, &uniform_size) ||
        !product(words[VTABLE_NUMBER], an_raw_vtable_size(image->wide), &vtables_size))
        return an_fail_at(error, AN_MALFORMED, at,
                          "impossible sizes in the header of the raw "
                          "profile");
    if (!cut(&cursor, words[BINARY_IDS], 0, &image->binary_ids) ||
        !cut(&cursor, data_size, words[PADDING_BEFORE_COUNTERS], &image->data) ||
        !cut(&cursor, counters_size, words[PADDING_AFTER_COUNTERS], &image->counters) ||
        !cut(&cursor, words[BITMAP_BYTES], words[PADDING_AFTER_BITMAP], &image->bitmap) ||
        !cut(&cursor, uniform_size, words[PADDING_AFTER_UNIFORM], &image->uniform) ||
        !cut(&cursor, words[NAMES_SIZE], padding_to_8(words[NAMES_SIZE]), &image->names) ||
        !cut(&cursor, vtables_size, padding_to_8(vtables_size), &image->vtables) ||
        !cut(&cursor, words[VTABLE_NAMES_SIZE], padding_to_8(words[VTABLE_NAMES_SIZE]),
             &image->vtable_names)) {
        an_fail_at(error, AN_TRUNCATED, file.size,
                   "file ends before the end of the sections of the header at byte %llu",
                   (unsigned long long)at);
        return an_error_hint(error, "the program died while writing it, or is still writing");
    }
    image->values_at = cursor.at;
    if (image->uniform.size && image->variants & (AN_LLVM_BYTE_COVERAGE | AN_LLVM_TEMPORAL))
        return an_fail_at(error, AN_UNSUPPORTED, at,
                          "uniform counters in a profile of single-byte coverage or of traces");
    return check_binary_ids(image, error);
}

bool an_raw_lacks_data(const struct raw_image *image)
{
    /* Where some modules of a program have data and others have none, the counters of these would be lost. */
    return image->counters.size && (image->version_word & VARIANT_DEBUG_CORRELATE ||
                                    (image->data_number == 0 && image->names.size == 0));
}

enum an_code an_raw_open(struct raw_image *image, struct an_bytes file, uint64_t at,
                         struct an_error *error)
{
    enum an_code code = an_raw_open_bare(image, file, at, error);
    if (code != AN_OK || !an_raw_lacks_data(image))
        return code;
    an_fail_at(error, AN_UNSUPPORTED, at,
               "raw profile without function data (built with -profile-correlate)");
    return an_error_hint(error, "merge it with --binary-file or --debug-info");
}

void an_raw_patch_header(uint8_t *header, const struct raw_image *image, uint64_t functions,
                         uint64_t names)
{
    for (int word = 0; word < WORDS; word++) {
        if (image->version < since[word])
            continue;
        uint64_t value = an_get64(header, image->big);
        if (word == VERSION)
            value &= ~VARIANT_DEBUG_CORRELATE;
        else if (word == DATA_NUMBER)
            value = functions;
        else if (word == NAMES_SIZE)
            value = names;
        else if (word == COUNTERS_DELTA || word == UNIFORM_DELTA || word == BITMAP_DELTA)
            value = 0;
        if (image->big != AN_HOST_BIG)
            value = __builtin_bswap64(value);
        memcpy(header, &value, sizeof value);
        header += sizeof value;
    }
}

enum an_code an_raw_check_kind(const struct raw_image *first, const struct raw_image *image,
                               struct an_error *error)
{
    if (!((first->variants ^ image->variants) & AN_LLVM_KINDS))
        return AN_OK;
    an_fail_at(error, AN_UNSUPPORTED, image->at,
               "raw profile of another kind of instrumentation than the one before it");
    return an_error_hint(error, "build the program and its libraries with the same options");
}

static uint64_t read_pointer(const struct raw_image *image, const uint8_t *from)
{
    return image->wide ? an_get64(from, image->big) : an_get32(from, image->big);
}

/* Where a pointer of record i points to in its section; arithmetic in the target's pointer size. */
static uint64_t section_offset(const struct raw_image *image, uint64_t pointer, uint64_t delta,
                               uint64_t i)
{
    uint64_t offset = pointer - delta;
    if (image->version >= 8)
        offset += i * image->fields.size;
    return image->wide ? offset : (uint32_t)offset;
}

void an_raw_record(const struct raw_image *image, uint64_t i, struct raw_record *record)
{
    const struct raw_fields *f = &image->fields;
    const uint8_t *from = image->data.data + i * f->size;
    record->name_hash = an_get64(from, image->big);
    record->hash = an_get64(from + 8, image->big);
    record->counter_offset = section_offset(image, read_pointer(image, from + f->counter_pointer),
                                            image->counters_delta, i);
    record->function_address = read_pointer(image, from + f->function_pointer);
    record->slots = an_get32(from + f->counter_number, image->big);
    record->sites[2] = 0;
    for (unsigned kind = 0; kind < f->kinds; kind++)
        record->sites[kind] = an_get16(from + f->sites + 2 * kind, image->big);
    record->uniform_offset = 0;
    if (image->uniform.size)
        record->uniform_offset = section_offset(
            image, read_pointer(image, from + f->uniform_pointer), image->uniform_delta, i);
    record->bitmap_bytes = 0;
    record->bitmap_offset = 0;
    if (f->bitmap_bytes) {
        record->bitmap_bytes = an_get32(from + f->bitmap_bytes, image->big);
        if (record->bitmap_bytes)
            record->bitmap_offset = section_offset(
                image, read_pointer(image, from + f->bitmap_pointer), image->bitmap_delta, i);
    }
}

uint32_t an_raw_count_number(const struct raw_image *image, const struct raw_record *record)
{
    if (image->variants & AN_LLVM_TEMPORAL)
        return record->slots - 8 / an_raw_counter_size(image);
    return record->slots;
}

uint64_t an_raw_counts(const struct raw_image *image, const struct raw_record *record,
                       uint64_t *counts)
{
    const uint8_t *from = image->counters.data + record->counter_offset;
    uint64_t timestamp = 0;
    if (image->variants & AN_LLVM_TEMPORAL) {
        timestamp = an_get64(from, image->big);
        if (timestamp == UINT64_MAX) /* what coverage bytes are initialised with */
            timestamp = 0;
        from += 8;
    }
    uint32_t number = an_raw_count_number(image, record);
    if (image->variants & AN_LLVM_BYTE_COVERAGE)
        for (uint32_t i = 0; i < number; i++)
            counts[i] = from[i] == 0;
    else
        for (uint32_t i = 0; i < number; i++)
            counts[i] = an_get64(from + 8 * (size_t)i, image->big);
    return timestamp;
}

/*
 * The rule of LLVM 23: a counter is uniform unless more than a tenth of its count was not. Bits behind the last counter are
 * set, too.
 */
void an_raw_uniform(const struct raw_image *image, const struct raw_record *record, uint8_t *bits)
{
    const uint8_t *counts = image->counters.data + record->counter_offset;
    const uint8_t *uniform = image->uniform.data + record->uniform_offset;
    memset(bits, 0xff, an_llvm_uniform_bytes(record->slots));
    for (uint32_t i = 0; i < record->slots; i++) {
        uint64_t count = an_get64(counts + 8 * (size_t)i, image->big);
        uint64_t together = an_get64(uniform + 8 * (size_t)i, image->big);
        if ((unsigned __int128)together * 10 < (unsigned __int128)count * 9)
            bits[i / 8] &= (uint8_t)~(1u << i % 8);
    }
}

uint64_t an_raw_vtable_size(bool wide)
{
    return wide ? 24 : 16;
}

void an_raw_vtable(const struct raw_image *image, uint64_t i, struct raw_vtable *vtable)
{
    const uint8_t *from = image->vtables.data + i * an_raw_vtable_size(image->wide);
    vtable->name_hash = an_get64(from, image->big);
    vtable->address = read_pointer(image, from + 8);
    vtable->size = an_get32(from + (image->wide ? 16 : 12), image->big);
}

static enum an_code check_record(const struct raw_image *image, const struct raw_record *record,
                                 uint64_t i, uint64_t *total, struct an_error *error)
{
    uint64_t at = image->data.at + i * image->fields.size;
    uint64_t slots = (uint64_t)record->slots * an_raw_counter_size(image);
    bool temporal = image->variants & AN_LLVM_TEMPORAL;
    if (slots <= (temporal ? 8 : 0))
        return an_fail_at(error, AN_MALFORMED, at, "function %llu has no counters",
                          (unsigned long long)i);
    if (record->counter_offset > image->counters.size ||
        slots > image->counters.size - record->counter_offset)
        return an_fail_at(error, AN_MALFORMED, at,
                          "counters of function %llu are outside the counters section",
                          (unsigned long long)i);
    if (record->bitmap_bytes && (record->bitmap_offset > image->bitmap.size ||
                                 record->bitmap_bytes > image->bitmap.size - record->bitmap_offset))
        return an_fail_at(error, AN_MALFORMED, at,
                          "bitmap of function %llu is outside the bitmap section",
                          (unsigned long long)i);
    if (image->uniform.size && (record->uniform_offset > image->uniform.size ||
                                slots > image->uniform.size - record->uniform_offset))
        return an_fail_at(error, AN_MALFORMED, at,
                          "uniform counters of function %llu are outside their section",
                          (unsigned long long)i);
    const uint8_t *from = image->counters.data + record->counter_offset + (temporal ? 8 : 0);
    uint32_t number = an_raw_count_number(image, record);
    for (uint32_t c = 0; c < number; c++) {
        uint64_t count = image->variants & AN_LLVM_BYTE_COVERAGE
                             ? from[c] == 0
                             : an_get64(from + 8 * (size_t)c, image->big);
        if (count > LARGEST_RAW_COUNT) {
            an_fail_at(error, AN_MALFORMED, (uint64_t)(from - image->file.data) + 8 * (uint64_t)c,
                       "counter %u of function %llu is %llu, more than any run can count", c,
                       (unsigned long long)i, (unsigned long long)count);
            return an_error_hint(error, "the file is damaged; collect this run again");
        }
        if (__builtin_add_overflow(*total, count, total))
            *total = UINT64_MAX;
    }
    return AN_OK;
}

/* The block's sites must be those that the record announces: that is how the runtime writes it. */
enum an_code an_raw_read_values(const struct raw_image *image,
                                const uint16_t sites[AN_LLVM_VALUE_KINDS], uint64_t *at,
                                struct value_block *block, struct an_error *error)
{
    enum an_code code =
        an_value_block_read(block, image->file, *at, image->file.size, image->big, error);
    if (code == AN_TRUNCATED)
        an_error_hint(error, "the program died while writing it, or wrote it in continuous mode "
                             "(%%c), which has no value data");
    if (code != AN_OK)
        return code;
    uint32_t found[AN_LLVM_VALUE_KINDS] = {0};
    for (unsigned k = 0; k < block->kind_number; k++)
        found[block->kinds[k].kind] = block->kinds[k].sites;
    for (unsigned kind = 0; kind < AN_LLVM_VALUE_KINDS; kind++)
        if (found[kind] != sites[kind])
            return an_fail_at(error, AN_MALFORMED, *at,
                              "value data with %u sites of kind %u, but its function has %u",
                              found[kind], kind, sites[kind]);
    *at += block->size;
    return AN_OK;
}

enum an_code an_raw_check(struct raw_image *image, uint64_t *total, struct an_error *error)
{
    uint64_t at = image->values_at;
    uint64_t counters = 0, bitmaps = 0;
    for (uint64_t i = 0; i < image->data_number; i++) {
        struct raw_record record;
        an_raw_record(image, i, &record);
        enum an_code code = check_record(image, &record, i, total, error);
        counters += (uint64_t)record.slots * an_raw_counter_size(image);
        bitmaps += record.bitmap_bytes;
        if (code == AN_OK &&
            (counters / SHARED > image->counters.size || bitmaps / SHARED > image->bitmap.size))
            return an_fail_at(error, AN_MALFORMED, image->data.at + i * image->fields.size,
                              "functions claim far more counters than the file has");
        struct value_block block;
        if (code == AN_OK && an_raw_has_values(&record))
            code = an_raw_read_values(image, record.sites, &at, &block, error);
        if (code != AN_OK)
            return code;
    }
    image->end = at;
    return AN_OK;
}

enum an_code an_raw_next(const struct raw_image *image, uint64_t *at, bool *more,
                         struct an_error *error)
{
    uint64_t next = image->end;
    const struct an_bytes file = image->file;
    while (next < file.size && file.data[next] == 0)
        next++;
    *more = next < file.size;
    *at = next;
    bool big, wide;
    if (!*more)
        return AN_OK;
    if (!recognise(file, next, &big, &wide) || big != image->big || wide != image->wide)
        return an_fail_at(error, AN_MALFORMED, next,
                          "expected the end of the file or another raw profile");
    return AN_OK;
}
