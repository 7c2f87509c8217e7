/*
 * The indexed profile format, little-endian, made for a compiler that looks up one name:
 *
 *     +------------------------------------------------------------+
 *     | u64 magic | u64 version and variants | u64 unused          |
 *     | u64 hash type (0: MD5) | u64 offset of the bucket array    |
 *     | u64 offset of the memory profile     from version 8        |
 *     | u64 offset of the binary ids         from version 9        |
 *     | u64 offset of the temporal traces    from version 10       |
 *     | u64 offset of the vtable names       from version 12       |
 *     +------------------------------------------------------------+
 *     | summary, from version 4; a second one when context-sens.   |
 *     |   u64 fields | u64 cutoffs | u64 field... |                |
 *     |   { u64 cutoff | u64 least count | u64 blocks }...         |
 *     +------------------------------------------------------------+
 *     | items, bucket by bucket:                                   |
 *     |   u16 items in the bucket                                  |
 *     |   { u64 name hash | u64 name size | u64 data size |        |
 *     |     name | records }...                                    |
 *     +------------------------------------------------------------+
 *     | padding to 8 | u64 buckets | u64 items | u64 offset...     |
 *     +------------------------------------------------------------+
 *     | memory profile, binary ids, vtable names, traces           |
 *     +------------------------------------------------------------+
 *
 *     record:  u64 function hash
 *              u64 counters (from version 2), u64 counter...
 *              u64 bitmap bytes (from version 11), u64 for each;
 *                from version 14 these bytes, padding to 8
 *              u64 uniformity bytes (from version 14), these bytes, padding to 8
 *              value data (from version 3): see value_data.h
 *
 * From version 13 on, hashes of the front end lack their four highest bits, which are 0.
 *
 * Sources: InstrProf.h, InstrProfReader.cpp and OnDiskHashTable.h of LLVM 19; what LLVM 22 and 23
 * write.
 */
#include "llvm/format.h"
#include "llvm/indexed.h"

enum { ITEM_HEAD = 24, SUMMARY_HEAD = 16, SUMMARY_ENTRY = 24 };

bool an_indexed_recognise(struct an_bytes file)
{
    return file.size >= 8 && an_get64(file.data, false) == INDEXED_MAGIC;
}

static enum an_code cut_short(const struct indexed_image *image, const char *what,
                              struct an_error *error)
{
    return an_fail_at(error, AN_TRUNCATED, image->file.size, "file ends within its %s", what);
}

static enum an_code skip_summary(const struct indexed_image *image, struct an_cursor *cursor,
                                 struct an_error *error)
{
    uint64_t at = cursor->at;
    uint64_t fields = an_cursor_u64(cursor);
    uint64_t cutoffs = an_cursor_u64(cursor);
    if (cursor->short_read)
        return cut_short(image, "summary", error);
    uint64_t left = an_cursor_left(cursor);
    if (fields > left / 8 || cutoffs > (left - 8 * fields) / SUMMARY_ENTRY)
        return an_fail_at(error, left < (1u << 20) ? AN_TRUNCATED : AN_MALFORMED, at,
                          "summary of %llu fields and %llu cutoffs does not fit the file",
                          (unsigned long long)fields, (unsigned long long)cutoffs);
    an_cursor_take(cursor, (size_t)(8 * fields + SUMMARY_ENTRY * cutoffs));
    return AN_OK;
}

static enum an_code read_header(struct indexed_image *image, struct an_cursor *cursor,
                                uint64_t offsets[5], struct an_error *error)
{
    an_cursor_u64(cursor); /* magic */
    uint64_t version_word = an_cursor_u64(cursor);
    an_cursor_u64(cursor); /* unused; up to version 3 the largest function count */
    uint64_t hash_type = an_cursor_u64(cursor);
    offsets[0] = an_cursor_u64(cursor);
    if (cursor->short_read)
        return cut_short(image, "header", error);
    image->version = VERSION_OF(version_word);
    image->variants = an_llvm_variants_of(version_word);
    if (image->version < 1 || image->version > INDEXED_NEWEST) {
        an_fail_at(error, AN_UNSUPPORTED, 8, "indexed profile version %u, expected 1 to %u",
                   image->version, INDEXED_NEWEST);
        return image->version > INDEXED_NEWEST
                   ? an_error_hint(error, "written by an LLVM later than 23")
                   : error->code;
    }
    enum an_code code = an_llvm_check_flags(version_word, 8, error);
    if (code == AN_OK && version_word & VARIANT_DEBUG_CORRELATE)
        code = an_fail_at(error, AN_UNSUPPORTED, 8, "indexed profile for debug-info correlation");
    if (code != AN_OK)
        return code;
    if (hash_type != 0)
        return an_fail_at(error, AN_UNSUPPORTED, 24, "hash type %llu, expected 0 (MD5)",
                          (unsigned long long)hash_type);
    static const unsigned since[] = {0, 8, 9, 10, 12};
    for (int i = 1; i < 5; i++)
        if (image->version >= since[i])
            offsets[i] = an_cursor_u64(cursor);
    return cursor->short_read ? cut_short(image, "header", error) : AN_OK;
}

static enum an_code open_table(struct indexed_image *image, uint64_t offset, struct an_error *error)
{
    struct an_cursor cursor = an_cursor_at(image->file, 0, false);
    if (offset <= image->file.size)
        cursor.at = (size_t)offset;
    if (offset > image->file.size || an_cursor_left(&cursor) < 16)
        return cut_short(image, "hash table", error);
    image->buckets = an_cursor_u64(&cursor);
    image->entries = an_cursor_u64(&cursor);
    if (image->buckets > an_cursor_left(&cursor) / 8)
        return cut_short(image, "hash table", error);
    image->table_end = offset;
    if (image->table_at > offset)
        return an_fail_at(error, AN_MALFORMED, 32, "the hash table begins inside the header");
    return AN_OK;
}

/* Checks all records, and counts them up. */
static enum an_code check_records(struct indexed_image *image, struct an_error *error)
{
    struct indexed_walk walk = an_indexed_walk(image);
    struct indexed_record record;
    bool more = true;
    for (;;) {
        enum an_code code = an_indexed_next(&walk, &record, &more, error);
        if (code != AN_OK || !more)
            return code;
        image->records++;
        for (uint64_t i = 0; i < record.count_number; i++) {
            uint64_t count = an_get64(record.counts + 8 * i, false);
            if (count > LARGEST_COUNT)
                continue; /* a mark, not a count */
            if (__builtin_add_overflow(image->total_count, count, &image->total_count))
                image->total_count = UINT64_MAX;
        }
    }
}

static enum an_code open_binary_ids(struct indexed_image *image, uint64_t offset,
                                    struct an_error *error)
{
    struct an_cursor cursor = an_cursor_at(image->file, 0, false);
    if (offset > image->file.size)
        return cut_short(image, "binary ids", error);
    cursor.at = (size_t)offset;
    uint64_t size = an_cursor_u64(&cursor);
    image->binary_ids_at = cursor.at;
    image->binary_ids_size = size;
    if (cursor.short_read || size > an_cursor_left(&cursor))
        return cut_short(image, "binary ids", error);
    struct an_bytes section = {image->file.data + cursor.at, (size_t)size};
    struct an_cursor ids = an_cursor_at(section, 0, false);
    while (an_cursor_left(&ids)) {
        uint64_t length, at = image->binary_ids_at + ids.at;
        if (!an_cursor_block(&ids, true, &length) || length == 0)
            return an_fail_at(error, AN_MALFORMED, at,
                              "binary id of %llu bytes does not fit its section",
                              (unsigned long long)length);
    }
    return AN_OK;
}

static enum an_code open_vtable_names(struct indexed_image *image, uint64_t offset,
                                      struct an_error *error)
{
    struct an_cursor cursor = an_cursor_at(image->file, 0, false);
    if (offset > image->file.size)
        return cut_short(image, "vtable names", error);
    cursor.at = (size_t)offset;
    image->vtable_names_size = an_cursor_u64(&cursor);
    image->vtable_names_at = cursor.at;
    if (cursor.short_read || image->vtable_names_size > an_cursor_left(&cursor))
        return cut_short(image, "vtable names", error);
    return AN_OK;
}

static enum an_code open_traces(struct indexed_image *image, uint64_t offset,
                                struct an_error *error)
{
    struct an_cursor cursor = an_cursor_at(image->file, 0, false);
    if (offset > image->file.size)
        return cut_short(image, "temporal traces", error);
    cursor.at = (size_t)offset;
    image->trace_number = an_cursor_u64(&cursor);
    image->trace_stream_size = an_cursor_u64(&cursor);
    image->traces_at = cursor.at;
    for (uint64_t i = 0; i < image->trace_number && !cursor.short_read; i++) {
        an_cursor_u64(&cursor); /* weight */
        uint64_t functions = an_cursor_u64(&cursor);
        if (functions > an_cursor_left(&cursor) / 8)
            cursor.short_read = true;
        else
            an_cursor_take(&cursor, (size_t)functions * 8);
    }
    return cursor.short_read ? cut_short(image, "temporal traces", error) : AN_OK;
}

/* The memory profile has no size field: it ends where the next section begins. */
static enum an_code measure_memprof(struct indexed_image *image, const uint64_t offsets[5],
                                    struct an_error *error)
{
    uint64_t end = image->file.size;
    if (offsets[1] > end)
        return cut_short(image, "memory profile", error);
    for (int i = 2; i < 5; i++)
        if (offsets[i] > offsets[1] && offsets[i] < end)
            end = offsets[i];
    image->has_memprof = true;
    image->memprof_at = offsets[1];
    image->memprof_bytes = end - offsets[1];
    return AN_OK;
}

enum an_code an_indexed_open(struct indexed_image *image, struct an_bytes file,
                             struct an_error *error)
{
    *image = (struct indexed_image){.file = file};
    struct an_cursor cursor = an_cursor_at(file, 0, false);
    uint64_t offsets[5] = {0};
    enum an_code code = read_header(image, &cursor, offsets, error);
    if (code == AN_OK && image->version >= 4)
        code = skip_summary(image, &cursor, error);
    if (code == AN_OK && image->version >= 4 && image->variants & AN_LLVM_CONTEXT_SENSITIVE)
        code = skip_summary(image, &cursor, error);
    image->table_at = cursor.at;
    if (code == AN_OK)
        code = open_table(image, offsets[0], error);
    if (code == AN_OK)
        code = check_records(image, error);
    if (code == AN_OK && image->version >= 8 && image->variants & AN_LLVM_MEMPROF)
        code = measure_memprof(image, offsets, error);
    if (code == AN_OK && image->version >= 9)
        code = open_binary_ids(image, offsets[2], error);
    if (code == AN_OK && image->version >= 12)
        code = open_vtable_names(image, offsets[4], error);
    if (code == AN_OK && image->version >= 10 && image->variants & AN_LLVM_TEMPORAL)
        code = open_traces(image, offsets[3], error);
    return code;
}

struct indexed_walk an_indexed_walk(const struct indexed_image *image)
{
    return (struct indexed_walk){
        .image = image, .at = image->table_at, .entries_left = image->entries};
}

/* Steps to the next name. The items end where the bucket array begins. */
static enum an_code next_entry(struct indexed_walk *walk, struct an_error *error)
{
    struct an_bytes items = {walk->image->file.data, (size_t)walk->image->table_end};
    struct an_cursor cursor = an_cursor_at(items, (size_t)walk->at, false);
    while (walk->in_bucket == 0 && !cursor.short_read)
        walk->in_bucket = an_cursor_u16(&cursor);
    uint64_t at = cursor.at;
    walk->name_hash = an_cursor_u64(&cursor);
    uint64_t name_length = an_cursor_u64(&cursor);
    uint64_t data_size = an_cursor_u64(&cursor);
    if (cursor.short_read)
        return an_fail_at(error, AN_MALFORMED, at,
                          "the hash table ends before its %llu functions are found",
                          (unsigned long long)walk->image->entries);
    uint64_t left = an_cursor_left(&cursor);
    if (name_length > left || data_size > left - name_length || data_size % 8 || data_size == 0)
        return an_fail_at(error, AN_MALFORMED, at,
                          "function with a name of %llu and data of %llu bytes does not fit",
                          (unsigned long long)name_length, (unsigned long long)data_size);
    walk->name = (const char *)an_cursor_take(&cursor, (size_t)name_length);
    walk->name_length = (size_t)name_length;
    walk->data_at = cursor.at;
    walk->data_end = cursor.at + data_size;
    walk->at = walk->data_end;
    walk->in_bucket--;
    walk->entries_left--;
    return AN_OK;
}

/* So many bytes, and padding to 8. NULL: there are fewer. */
static const uint8_t *take_packed(struct an_cursor *cursor, uint64_t size)
{
    if (size > an_cursor_left(cursor))
        return NULL;
    const uint8_t *bytes = an_cursor_take(cursor, (size_t)size);
    an_cursor_take(cursor, (size_t)(-size & 7));
    return cursor->short_read ? NULL : bytes;
}

static enum an_code read_bitmap(const struct indexed_image *image, struct an_cursor *cursor,
                                uint64_t at, struct indexed_record *record, struct an_error *error)
{
    bool packed = image->version >= INDEXED_PACKED;
    uint64_t bytes = image->version >= 11 ? an_cursor_u64(cursor) : 0;
    record->bitmap_bytes = bytes;
    record->bitmap_step = packed ? 1 : 8;
    record->bitmap = NULL;
    if (!cursor->short_read && packed)
        record->bitmap = take_packed(cursor, bytes);
    else if (!cursor->short_read && bytes <= an_cursor_left(cursor) / 8)
        record->bitmap = an_cursor_take(cursor, (size_t)bytes * 8);
    if (!record->bitmap || bytes > UINT32_MAX)
        return an_fail_at(error, AN_MALFORMED, at, "bitmap of %llu bytes does not fit its function",
                          (unsigned long long)bytes);
    return AN_OK;
}

static enum an_code read_uniform(const struct indexed_image *image, struct an_cursor *cursor,
                                 uint64_t at, struct indexed_record *record, struct an_error *error)
{
    record->uniform = NULL;
    if (image->version < INDEXED_PACKED)
        return AN_OK;
    uint64_t bytes = an_cursor_u64(cursor);
    uint64_t expected = an_llvm_uniform_bytes((uint32_t)record->count_number);
    if (!cursor->short_read && bytes == 0)
        return AN_OK;
    if (!cursor->short_read && bytes == expected)
        record->uniform = take_packed(cursor, bytes);
    if (!record->uniform)
        return an_fail_at(error, AN_MALFORMED, at,
                          "%llu bytes of uniformity, expected %llu for %llu counters, or none",
                          (unsigned long long)bytes, (unsigned long long)expected,
                          (unsigned long long)record->count_number);
    return AN_OK;
}

enum an_code an_indexed_next(struct indexed_walk *walk, struct indexed_record *record, bool *more,
                             struct an_error *error)
{
    const struct indexed_image *image = walk->image;
    *more = false;
    if (walk->data_at == walk->data_end) {
        if (walk->entries_left == 0)
            return AN_OK;
        enum an_code code = next_entry(walk, error);
        if (code != AN_OK)
            return code;
    }
    struct an_bytes bytes = {image->file.data, (size_t)walk->data_end};
    struct an_cursor cursor = an_cursor_at(bytes, (size_t)walk->data_at, false);
    record->hash = an_cursor_u64(&cursor);
    record->count_number =
        image->version >= 2 ? an_cursor_u64(&cursor) : an_cursor_left(&cursor) / 8;
    if (cursor.short_read || record->count_number == 0 ||
        record->count_number > an_cursor_left(&cursor) / 8 || record->count_number > UINT32_MAX)
        return an_fail_at(error, AN_MALFORMED, walk->data_at,
                          "function with %llu counters does not fit its %llu bytes",
                          (unsigned long long)record->count_number,
                          (unsigned long long)(walk->data_end - walk->data_at));
    record->counts = an_cursor_take(&cursor, (size_t)record->count_number * 8);
    enum an_code code = read_bitmap(image, &cursor, walk->data_at, record, error);
    if (code == AN_OK)
        code = read_uniform(image, &cursor, walk->data_at, record, error);
    if (code != AN_OK)
        return code;
    record->has_values = image->version >= 3;
    walk->data_at = cursor.at;
    if (record->has_values) {
        code = an_value_block_read(&record->values, image->file, walk->data_at, walk->data_end,
                                   false, error);
        if (code != AN_OK)
            return code;
        walk->data_at += record->values.size;
    }
    *more = true;
    return AN_OK;
}
