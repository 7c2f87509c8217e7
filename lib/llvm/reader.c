/*
 * One file, whatever its format, record by record. Opening checks the file to its last byte; the
 * walk afterwards only decodes.
 */
#include "llvm/reader.h"

#include <ctype.h>
#include <string.h>

#include "base/kind.h"
#include "partial/partial.h"
#include "llvm/format.h"
#include "llvm/memprof_raw.h"
#include "llvm/raw_trace.h"

static bool remember_binary_ids(struct an_llvm_reader *reader, struct an_bytes section, bool big,
                                bool padded)
{
    struct an_cursor cursor = an_cursor_at(section, 0, big);
    while (an_cursor_left(&cursor)) {
        uint64_t size;
        const uint8_t *bytes = an_cursor_block(&cursor, padded, &size);
        struct an_llvm_binary_id *place = an_vector_push(&reader->binary_ids);
        if (!place)
            return false;
        *place = (struct an_llvm_binary_id){bytes, (size_t)size};
    }
    return true;
}

/* ---- raw ---- */

/* The time stamps of all parts make one trace: the process ran once. */
static bool make_trace(struct an_llvm_reader *reader)
{
    size_t count = 0;
    struct trace_source *sources = an_alloc(reader->parts.count, sizeof *sources);
    bool done = sources;
    for (size_t p = 0; done && p < reader->parts.count; p++) {
        const struct raw_image *image = &reader->parts.items[p].image;
        if (!(image->variants & AN_LLVM_TEMPORAL))
            continue;
        sources[count] = (struct trace_source){an_raw_stamps(image), image};
        done = sources[count++].stamps;
    }
    if (done && an_raw_has_trace(sources, count)) {
        struct an_llvm_trace *trace = an_vector_push(&reader->traces);
        done = trace && an_raw_trace(sources, count, &reader->arena, trace);
        if (done)
            trace->weight = 1;
        reader->info.trace_stream_size = 1;
    }
    while (count)
        free(sources[--count].stamps);
    free(sources);
    return done;
}

static enum an_code open_raw_part(struct an_llvm_reader *reader, uint64_t at,
                                  struct an_error *error)
{
    struct raw_part *part = an_vector_push(&reader->parts);
    if (!part)
        return an_fail_memory(error);
    *part = (struct raw_part){0};
    struct raw_image *image = &part->image;
    enum an_code code = an_raw_open(image, reader->file, at, error);
    if (code == AN_OK)
        code = an_raw_check(image, &reader->info.total_count, error);
    if (code == AN_OK && !an_symbols_expect(&part->symbols, (size_t)image->data_number))
        code = an_fail_memory(error);
    if (code == AN_OK)
        code = an_symbols_read(&part->symbols,
                               (struct an_bytes){image->names.data, (size_t)image->names.size},
                               image->names.at, error);
    if (code == AN_OK)
        code = an_symbols_read(
            &part->symbols,
            (struct an_bytes){image->vtable_names.data, (size_t)image->vtable_names.size},
            image->vtable_names.at, error);
    struct an_bytes ids = {image->binary_ids.data, (size_t)image->binary_ids.size};
    if (code == AN_OK &&
        (!an_addresses_learn(&part->addresses, image) ||
         !remember_binary_ids(reader, ids, image->big, an_raw_pads_binary_ids(image->version))))
        code = an_fail_memory(error);
    return code;
}

static enum an_code open_raw(struct an_llvm_reader *reader, struct an_error *error)
{
    uint64_t at = 0;
    bool more = true;
    while (more) {
        enum an_code code = open_raw_part(reader, at, error);
        if (code == AN_OK)
            code = an_raw_check_kind(&reader->parts.items[0].image,
                                     &reader->parts.items[reader->parts.count - 1].image, error);
        if (code == AN_OK)
            code =
                an_raw_next(&reader->parts.items[reader->parts.count - 1].image, &at, &more, error);
        if (code != AN_OK)
            return code;
    }
    const struct raw_image *first = &reader->parts.items[0].image;
    reader->info.version = first->version;
    reader->info.big_endian = first->big;
    reader->info.wide = first->wide;
    reader->info.raw_profiles = reader->parts.count;
    for (size_t p = 0; p < reader->parts.count; p++) {
        const struct raw_part *part = &reader->parts.items[p];
        reader->info.variants |= part->image.variants;
        reader->info.functions += (size_t)part->image.data_number;
        for (uint64_t i = 0; i < part->image.data_number; i++) {
            struct raw_record record;
            an_raw_record(&part->image, i, &record);
            reader->info.unnamed += !an_symbols_find(&part->symbols, record.name_hash);
        }
    }
    reader->values_at = first->values_at;
    return make_trace(reader) ? AN_OK : an_fail_memory(error);
}

static bool make_room(void **memory, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity)
        return true;
    free(*memory);
    *memory = an_alloc(2 * count, size);
    *capacity = *memory ? 2 * count : 0;
    return *memory != NULL;
}

static bool next_raw(struct an_llvm_reader *reader, struct an_llvm_record *record,
                     uint64_t *name_hash)
{
    while (reader->part < reader->parts.count &&
           reader->index == reader->parts.items[reader->part].image.data_number) {
        reader->part++;
        reader->index = 0;
        if (reader->part < reader->parts.count)
            reader->values_at = reader->parts.items[reader->part].image.values_at;
    }
    if (reader->part == reader->parts.count)
        return false;
    const struct raw_part *part = &reader->parts.items[reader->part];
    const struct raw_image *image = &part->image;
    struct raw_record raw;
    an_raw_record(image, reader->index++, &raw);
    uint32_t number = an_raw_count_number(image, &raw);
    if (!make_room((void **)&reader->counts, &reader->count_capacity, number, sizeof(uint64_t)) ||
        !make_room((void **)&reader->bitmap, &reader->bitmap_capacity, raw.bitmap_bytes, 1) ||
        !make_room((void **)&reader->uniform, &reader->uniform_capacity,
                   an_llvm_uniform_bytes(number), 1)) {
        reader->failed = true;
        return false;
    }
    an_raw_counts(image, &raw, reader->counts);
    if (image->uniform.size)
        an_raw_uniform(image, &raw, reader->uniform);
    if (raw.bitmap_bytes)
        memcpy(reader->bitmap, image->bitmap.data + raw.bitmap_offset, raw.bitmap_bytes);
    const struct an_name *name = an_symbols_find(&part->symbols, raw.name_hash);
    *record = (struct an_llvm_record){
        .name = name ? name->text : "",
        .name_length = name ? name->length : 0,
        .hash = raw.hash,
        .counts = reader->counts,
        .count_number = number,
        .bitmap = reader->bitmap,
        .bitmap_bytes = raw.bitmap_bytes,
        .uniform = image->uniform.size ? reader->uniform : NULL,
    };
    *name_hash = name ? raw.name_hash : 0;
    if (an_raw_has_values(&raw)) {
        struct value_block block;
        struct an_error never;
        if (an_value_block_read(&block, reader->file, reader->values_at, image->end, image->big,
                                &never) != AN_OK)
            return false; /* opening has checked it */
        reader->values_at += block.size;
        record->values = an_value_block_decode(&block, image->big, an_addresses_map,
                                               &part->addresses, &reader->values);
        reader->failed = !record->values;
    }
    return !reader->failed;
}

/* ---- indexed ---- */

/* The hashes at the cursor: where they stand in the file, if they can be read there, or a copy. NULL: no memory. */
static const uint64_t *take_hashes(struct an_llvm_reader *reader, struct an_cursor *cursor,
                                   size_t count)
{
    const uint8_t *here = an_cursor_take(cursor, 8 * count);
    if (here && !AN_HOST_BIG && (uintptr_t)here % _Alignof(uint64_t) == 0)
        return (const void *)here;
    uint64_t *copy = an_arena_alloc(&reader->arena, count, sizeof *copy);
    for (size_t i = 0; copy && here && i < count; i++)
        copy[i] = an_get64(here + 8 * i, false);
    return copy;
}

static bool make_indexed_traces(struct an_llvm_reader *reader)
{
    const struct indexed_image *image = &reader->indexed;
    struct an_cursor cursor = an_cursor_at(image->file, (size_t)image->traces_at, false);
    for (uint64_t i = 0; i < image->trace_number; i++) {
        struct an_llvm_trace *trace = an_vector_push(&reader->traces);
        if (!trace)
            return false;
        trace->weight = an_cursor_u64(&cursor);
        trace->function_count = (size_t)an_cursor_u64(&cursor);
        trace->functions = take_hashes(reader, &cursor, trace->function_count);
        if (!trace->functions)
            return false;
    }
    return true;
}

static enum an_code open_indexed(struct an_llvm_reader *reader, struct an_error *error)
{
    struct indexed_image *image = &reader->indexed;
    enum an_code code = an_indexed_open(image, reader->file, error);
    if (code != AN_OK)
        return code;
    struct an_llvm_info *info = &reader->info;
    info->version = image->version;
    info->variants = image->variants;
    info->wide = true;
    info->hash_buckets = (size_t)image->buckets;
    info->memprof_bytes = image->memprof_bytes;
    info->trace_stream_size = image->trace_stream_size;
    info->functions = (size_t)image->records;
    info->total_count = image->total_count;
    struct an_bytes ids = {image->file.data + image->binary_ids_at, (size_t)image->binary_ids_size};
    if (image->has_memprof) {
        code = an_memprof_read(&reader->memprof, reader->file, image->memprof_at,
                               image->memprof_at + image->memprof_bytes, error);
        if (code != AN_OK)
            return code;
        info->memprof_version = reader->memprof.version;
        info->memprof_functions = reader->memprof.records.count;
        info->memprof_allocations = reader->memprof.allocations.count;
    }
    if (!make_indexed_traces(reader) || !remember_binary_ids(reader, ids, false, true))
        return an_fail_memory(error);
    reader->walk = an_indexed_walk(image);
    return AN_OK;
}

static bool next_indexed(struct an_llvm_reader *reader, struct an_llvm_record *record,
                         uint64_t *name_hash)
{
    struct indexed_record indexed;
    struct an_error never;
    bool more;
    if (an_indexed_next(&reader->walk, &indexed, &more, &never) != AN_OK || !more)
        return false;
    if (!make_room((void **)&reader->counts, &reader->count_capacity, (size_t)indexed.count_number,
                   sizeof(uint64_t)) ||
        !make_room((void **)&reader->bitmap, &reader->bitmap_capacity, (size_t)indexed.bitmap_bytes,
                   1) ||
        !make_room((void **)&reader->uniform, &reader->uniform_capacity,
                   an_llvm_uniform_bytes((uint32_t)indexed.count_number), 1)) {
        reader->failed = true;
        return false;
    }
    for (uint64_t i = 0; i < indexed.count_number; i++)
        reader->counts[i] = an_get64(indexed.counts + 8 * i, false);
    for (uint64_t i = 0; i < indexed.bitmap_bytes; i++)
        reader->bitmap[i] = indexed.bitmap[indexed.bitmap_step * i];
    if (indexed.uniform)
        memcpy(reader->uniform, indexed.uniform,
               an_llvm_uniform_bytes((uint32_t)indexed.count_number));
    *record = (struct an_llvm_record){
        .name = reader->walk.name,
        .name_length = reader->walk.name_length,
        .hash = indexed.hash,
        .counts = reader->counts,
        .count_number = (uint32_t)indexed.count_number,
        .bitmap = reader->bitmap,
        .bitmap_bytes = (uint32_t)indexed.bitmap_bytes,
        .uniform = indexed.uniform ? reader->uniform : NULL,
    };
    *name_hash = reader->walk.name_hash;
    if (indexed.has_values && indexed.values.kind_number) {
        record->values = an_value_block_decode(&indexed.values, false, NULL, NULL, &reader->values);
        reader->failed = !record->values;
    }
    return !reader->failed;
}

/* ---- text ---- */

static enum an_code open_text(struct an_llvm_reader *reader, struct an_error *error)
{
    enum an_code code = an_text_open(&reader->text, reader->file, error);
    if (code != AN_OK)
        return code;
    struct an_llvm_info *info = &reader->info;
    info->variants = reader->text.variants;
    info->functions = reader->text.records.count;
    info->trace_stream_size = reader->text.trace_stream_size;
    for (size_t i = 0; i < info->functions; i++) {
        const struct an_llvm_record *record = &reader->text.records.items[i];
        for (uint32_t c = 0; c < record->count_number; c++)
            if (record->counts[c] <= LARGEST_COUNT)
                info->total_count = an_saturating_add(info->total_count, record->counts[c]);
    }
    return AN_OK;
}

/* ---- any format ---- */

/* The next line that counts, without blanks around it, from *at on; empty at the end. */
static struct an_bytes next_line(struct an_bytes file, size_t *at)
{
    while (*at < file.size) {
        size_t start = *at, end = start;
        while (end < file.size && file.data[end] != '\n')
            end++;
        *at = end + 1;
        while (start < end && isspace(file.data[start]))
            start++;
        while (end > start && isspace(file.data[end - 1]))
            end--;
        if (end > start && file.data[start] != '#')
            return (struct an_bytes){file.data + start, end - start};
    }
    return (struct an_bytes){0};
}

/* A text profile begins with ":ir" and the like, or with a function's name, and its hash in the next line. */
static bool begins_like_text(struct an_bytes file)
{
    size_t at = 0;
    struct an_bytes first = next_line(file, &at), second = next_line(file, &at);
    if (first.size && first.data[0] == ':')
        return true;
    return second.size == 0 || isdigit(second.data[0]);
}

static enum an_code no_known_kind(struct an_error *error)
{
    an_fail_at(error, AN_UNKNOWN, 0, "no profile of a known kind");
    return an_error_hint(error, "known are LLVM's raw, indexed and text profiles, BOLT's fdata, "
                                "and GCC's gcda");
}

/* Says what the file is instead, if it is something known. */
static enum an_code explain(struct an_bytes file, enum an_code code, struct an_error *error)
{
    const char *what = code == AN_NO_MEMORY ? NULL : an_kind_describe(file);
    const char *hint = an_kind_hint(file);
    if (!what && code == AN_MALFORMED && !begins_like_text(file))
        return no_known_kind(error);
    if (!what)
        return code;
    an_fail_at(error, AN_UNKNOWN, 0, "not an LLVM instrumentation profile but %s", what);
    return hint ? an_error_hint(error, "%s", hint) : AN_UNKNOWN;
}

static enum an_code open_any(struct an_llvm_reader *reader, struct an_error *error)
{
    if (reader->file.size == 0)
        return an_fail(error, AN_EMPTY, "empty file");
    if (an_indexed_recognise(reader->file)) {
        reader->info.format = AN_LLVM_INDEXED;
        return open_indexed(reader, error);
    }
    if (an_raw_recognise(reader->file)) {
        reader->info.format = AN_LLVM_RAW;
        return open_raw(reader, error);
    }
    if (an_text_recognise(reader->file)) {
        reader->info.format = AN_LLVM_TEXT;
        enum an_code code = open_text(reader, error);
        return code == AN_OK ? code : explain(reader->file, code, error);
    }
    return explain(reader->file, no_known_kind(error), error);
}

bool an_llvm_recognise(const void *bytes, size_t size)
{
    const struct an_bytes file = {bytes, size};
    unsigned family;
    return an_indexed_recognise(file) || an_raw_recognise(file) || an_memprof_raw_recognise(file) ||
           (an_partial_recognise(bytes, size, &family) && family == AN_PARTIAL_LLVM);
}

enum an_code an_llvm_reader_open(struct an_llvm_reader **result, const void *bytes, size_t size,
                                 struct an_error *error)
{
    struct an_llvm_reader *reader = an_alloc_zero(1, sizeof *reader);
    if (!reader)
        return an_fail_memory(error);
    reader->file = (struct an_bytes){bytes, size};
    enum an_code code = open_any(reader, error);
    if (code != AN_OK) {
        an_llvm_reader_close(reader);
        return code;
    }
    reader->info.binary_ids = reader->binary_ids.items;
    reader->info.binary_id_count = reader->binary_ids.count;
    bool is_text = reader->info.format == AN_LLVM_TEXT;
    reader->info.traces = is_text ? reader->text.traces.items : reader->traces.items;
    reader->info.trace_count = is_text ? reader->text.traces.count : reader->traces.count;
    *result = reader;
    return AN_OK;
}

void an_llvm_reader_close(struct an_llvm_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; i < reader->parts.count; i++) {
        an_symbols_free(&reader->parts.items[i].symbols);
        an_addresses_free(&reader->parts.items[i].addresses);
    }
    an_vector_free(&reader->parts);
    an_text_close(&reader->text);
    an_vector_free(&reader->binary_ids);
    an_vector_free(&reader->traces);
    an_value_scratch_free(&reader->values);
    an_symbols_free(&reader->symbols);
    an_arena_free(&reader->arena);
    an_memprof_free(&reader->memprof);
    free(reader->counts);
    free(reader->bitmap);
    free(reader->uniform);
    free(reader);
}

const struct an_llvm_info *an_llvm_reader_info(const struct an_llvm_reader *reader)
{
    return &reader->info;
}

bool an_reader_next(struct an_llvm_reader *reader, struct an_llvm_record *record,
                    uint64_t *name_hash)
{
    *name_hash = 0;
    switch (reader->info.format) {
    case AN_LLVM_RAW:
        return next_raw(reader, record, name_hash);
    case AN_LLVM_INDEXED:
        return next_indexed(reader, record, name_hash);
    case AN_LLVM_RAW_MEMORY: /* is of addresses, not of functions */
    case AN_LLVM_TEXT:
        break;
    }
    if (reader->index == reader->text.records.count)
        return false;
    *record = reader->text.records.items[reader->index++];
    return true;
}

bool an_llvm_reader_next(struct an_llvm_reader *reader, struct an_llvm_record *record)
{
    uint64_t name_hash;
    return an_reader_next(reader, record, &name_hash);
}

bool an_llvm_reader_failed(const struct an_llvm_reader *reader)
{
    return reader->failed;
}

static bool make_indexed_symbols(struct an_llvm_reader *reader)
{
    const struct indexed_image *image = &reader->indexed;
    struct indexed_walk walk = an_indexed_walk(image);
    struct indexed_record record;
    struct an_error never;
    bool more;
    if (!an_symbols_expect(&reader->symbols, (size_t)image->entries))
        return false;
    while (an_indexed_next(&walk, &record, &more, &never) == AN_OK && more)
        if (walk.name_length && !an_symbols_add(&reader->symbols, walk.name, walk.name_length))
            return false;
    struct an_bytes vtables = {image->file.data + image->vtable_names_at,
                               (size_t)image->vtable_names_size};
    return an_symbols_read(&reader->symbols, vtables, image->vtable_names_at, &never) !=
           AN_NO_MEMORY;
}

/* The name of a hash, and its place among all names of the file. NULL: there is none. */
static const struct an_name *find_symbol(struct an_llvm_reader *reader, uint64_t hash,
                                         size_t *place)
{
    const struct an_symbols *symbols = NULL;
    const struct an_name *name = NULL;
    size_t before = 0;
    if (reader->info.format == AN_LLVM_INDEXED && !reader->symbols_made) {
        reader->symbols_made = true;
        reader->failed |= !make_indexed_symbols(reader);
    }
    if (reader->info.format == AN_LLVM_INDEXED)
        symbols = &reader->symbols;
    else if (reader->info.format == AN_LLVM_TEXT)
        symbols = &reader->text.symbols;
    if (symbols)
        name = an_symbols_find(symbols, hash);
    for (size_t p = 0; !name && p < reader->parts.count; p++) {
        before += symbols ? symbols->names.count : 0;
        symbols = &reader->parts.items[p].symbols;
        name = an_symbols_find(symbols, hash);
    }
    if (name)
        *place = before + (size_t)(name - symbols->names.items);
    return name;
}

const char *an_llvm_reader_symbol(struct an_llvm_reader *reader, uint64_t hash, size_t *length)
{
    size_t place;
    const struct an_name *name = find_symbol(reader, hash, &place);
    if (!name || !name->length)
        return NULL;
    *length = name->length;
    return name->text;
}

size_t an_llvm_reader_symbol_place(struct an_llvm_reader *reader, uint64_t hash)
{
    size_t place;
    const struct an_name *name = find_symbol(reader, hash, &place);
    return name && name->length ? place : SIZE_MAX;
}

static const char *text_symbol(void *reader, uint64_t hash, size_t *length)
{
    return an_llvm_reader_symbol(reader, hash, length);
}

char *an_llvm_reader_text(struct an_llvm_reader *reader, const struct an_llvm_record *record,
                          size_t *size)
{
    struct an_buffer buffer = {0};
    an_text_write_record(&buffer, record, text_symbol, reader);
    *size = buffer.size;
    if (!buffer.failed)
        return (char *)buffer.data;
    an_buffer_free(&buffer);
    return NULL;
}

bool an_reader_vtable_names(struct an_llvm_reader *reader,
                            bool (*visit)(void *context, const char *name, size_t length),
                            void *context)
{
    bool done = true;
    for (size_t i = 0; done && i < reader->text.vtable_names.count; i++)
        done = visit(context, reader->text.vtable_names.items[i].text,
                     reader->text.vtable_names.items[i].length);
    struct an_symbols symbols = {0};
    struct an_error error;
    enum an_code code = AN_OK;
    for (size_t p = 0; code == AN_OK && p < reader->parts.count; p++) {
        const struct raw_section *section = &reader->parts.items[p].image.vtable_names;
        code = an_symbols_read(&symbols, (struct an_bytes){section->data, (size_t)section->size},
                               section->at, &error);
    }
    if (code == AN_OK && reader->info.format == AN_LLVM_INDEXED) {
        const struct indexed_image *image = &reader->indexed;
        struct an_bytes section = {image->file.data + image->vtable_names_at,
                                   (size_t)image->vtable_names_size};
        code = an_symbols_read(&symbols, section, image->vtable_names_at, &error);
    }
    for (size_t i = 0; done && i < symbols.names.count; i++)
        done = visit(context, symbols.names.items[i].text, symbols.names.items[i].length);
    an_symbols_free(&symbols);
    return done && code != AN_NO_MEMORY;
}
