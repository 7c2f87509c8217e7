/*
 * Writing indexed profiles, versions 5 to 14; the layout is drawn in indexed_read.c. Versions 10 to
 * 14 are byte for byte what llvm-profdata of LLVM 17 to 19, 22 and 23 writes; older ones have the
 * same content as theirs in another order.
 *
 * Names are inserted into the hash table (chained.h) in alphabetical order.
 */
#include <string.h>

#include "llvm/chained.h"
#include "llvm/format.h"
#include "llvm/indexed.h"
#include "llvm/names.h"
#include "llvm/order.h"
#include "llvm/summary.h"

enum { AROUND = 1 << 16 /* bytes, for what stands around the table, as a rule */ };

/* ---- one function ---- */

struct writer {
    const struct an_llvm_profile *profile;
    const struct an_llvm_write_options *options;
    const size_t *order; /* functions by name */
    unsigned version;
    unsigned release;     /* of the compiler that is to read it; 0: not known */
    unsigned value_kinds; /* how many this version knows */
    struct an_buffer *buffer;
    struct an_llvm_left_out *left_out;
    struct an_llvm_summary_builder *summary, *context_sensitive_summary;
};

static uint64_t record_size(const struct writer *writer, const struct record *record)
{
    uint64_t size = 16 + 8 * (uint64_t)record->count_number;
    if (writer->version >= INDEXED_PACKED) {
        uint64_t uniform = record->uniform ? an_llvm_uniform_bytes(record->count_number) : 0;
        size += 16 + ((uint64_t)record->bitmap_bytes + 7) / 8 * 8 + (uniform + 7) / 8 * 8;
    } else if (writer->version >= 11) {
        size += 8 + 8 * (uint64_t)record->bitmap_bytes;
    }
    return size + an_value_block_size(record->values, writer->value_kinds);
}

static void put_counts(struct an_buffer *buffer, const uint64_t *counts, size_t number)
{
    uint8_t *to = an_buffer_extend(buffer, 8 * number);
    if (to && !AN_HOST_BIG)
        memcpy(to, counts, 8 * number);
    for (size_t i = 0; to && AN_HOST_BIG && i < number; i++) {
        uint64_t swapped = __builtin_bswap64(counts[i]);
        memcpy(to + 8 * i, &swapped, 8);
    }
}

static void put_packed(struct an_buffer *buffer, const uint8_t *bytes, uint32_t size)
{
    an_buffer_le64(buffer, size);
    an_buffer_put(buffer, bytes, size);
    an_buffer_le(buffer, 0, -size & 7);
}

static void put_bits(struct writer *writer, const struct record *record)
{
    struct an_buffer *buffer = writer->buffer;
    if (writer->version >= INDEXED_PACKED) {
        put_packed(buffer, record->bitmap, record->bitmap_bytes);
        put_packed(buffer, record->uniform,
                   record->uniform ? an_llvm_uniform_bytes(record->count_number) : 0);
        return;
    }
    writer->left_out->uniform_functions += record->uniform != NULL;
    if (writer->version < 11) {
        writer->left_out->bitmap_functions += record->bitmap_bytes != 0;
        return;
    }
    an_buffer_le64(buffer, record->bitmap_bytes);
    for (uint32_t i = 0; i < record->bitmap_bytes; i++)
        an_buffer_le64(buffer, record->bitmap[i]);
}

static void put_record(struct writer *writer, const struct record *record)
{
    struct an_buffer *buffer = writer->buffer;
    struct an_llvm_record view = an_profile_view(writer->profile, record);
    struct an_llvm_summary_builder *summary = AN_LLVM_IS_CONTEXT_SENSITIVE(record->hash)
                                                  ? writer->context_sensitive_summary
                                                  : writer->summary;
    if (!an_llvm_summary_builder_add(summary, &view))
        buffer->failed = true;
    an_buffer_le64(buffer, record->hash);
    an_buffer_le64(buffer, record->count_number);
    put_counts(buffer, record->counts, record->count_number);
    put_bits(writer, record);
    an_value_block_write(buffer, record->values, writer->value_kinds);
    if (writer->value_kinds <= AN_LLVM_VTABLE && record->values)
        writer->left_out->vtable_sites += record->values->site_count[AN_LLVM_VTABLE];
}

static uint64_t records_size(const struct writer *writer, const struct function *function)
{
    uint64_t size = 0;
    for (const struct record *r = function->first; r; r = r->next)
        size += record_size(writer, r);
    return size;
}

enum { FUNCTION_HEAD = 3 * 8 };

static bool put_function(struct writer *writer, size_t index)
{
    const struct function *function = &writer->profile->functions.items[index];
    const struct an_name *name = &writer->profile->names.names[index];
    struct record *few[FEW_RECORDS];
    struct record **records = an_function_records(function, few);
    if (!records)
        return false;
    bool done = an_order_as_densemap(records, function->records);
    an_buffer_le64(writer->buffer, function->name_hash);
    an_buffer_le64(writer->buffer, name->length);
    size_t size_at = writer->buffer->size;
    an_buffer_le64(writer->buffer, 0);
    an_buffer_put(writer->buffer, name->text, name->length);
    size_t records_at = writer->buffer->size;
    for (size_t i = 0; done && i < function->records; i++)
        put_record(writer, records[i]);
    an_buffer_patch_le64(writer->buffer, size_at, writer->buffer->size - records_at);
    an_function_records_free(records, few);
    return done;
}

/* ---- the table of all functions ---- */

#define NOT_WRITTEN UINT32_MAX

/* For each function its number among those that are written, in the order of names. NULL: no memory. */
static uint32_t *numbers_of(const struct writer *writer, size_t count)
{
    size_t functions = writer->profile->functions.count;
    uint32_t *numbers = an_alloc(functions, sizeof *numbers);
    for (size_t i = 0; numbers && i < functions; i++)
        numbers[i] = NOT_WRITTEN;
    for (size_t i = 0; numbers && i < count; i++)
        numbers[writer->order[i]] = (uint32_t)i;
    return numbers;
}

static void size_up(const struct writer *writer, const uint32_t *numbers, uint64_t *sizes)
{
    const struct an_llvm_profile *profile = writer->profile;
    for (size_t i = 0; i < profile->functions.count; i++)
        if (numbers[i] != NOT_WRITTEN)
            sizes[numbers[i]] = FUNCTION_HEAD + profile->names.names[i].length +
                                records_size(writer, &profile->functions.items[i]);
}

static void put_functions(struct writer *writer, const uint32_t *numbers, const uint64_t *places,
                          uint64_t end)
{
    struct an_buffer *buffer = writer->buffer;
    if (!an_buffer_reserve(buffer, end))
        return;
    for (size_t i = 0; i < writer->profile->functions.count && !buffer->failed; i++) {
        if (numbers[i] == NOT_WRITTEN)
            continue;
        buffer->size = places[numbers[i]];
        buffer->failed |= !put_function(writer, i);
    }
    buffer->size = end;
}

/*
 * In the file, functions are in the order of hashes, and in memory in that of the first profile. They are written in the order in
 * which they are in memory, each to its place: that is one step to somewhere else for each function; in the file's order
 * it was five, for what is known of a function is in five places, and took a fifth longer for the whole of a large merge.
 */
static uint64_t put_table(struct writer *writer, const struct chained *table)
{
    uint64_t at = 0;
    uint32_t *numbers = numbers_of(writer, table->count);
    uint64_t *places = an_alloc(table->count, sizeof *places);
    if (numbers && places) {
        size_up(writer, numbers, places);
        uint64_t end = an_chained_places(table, writer->buffer->size, places);
        an_buffer_expect(writer->buffer, end + 8 * table->buckets + AROUND);
        put_functions(writer, numbers, places, end);
    }
    writer->buffer->failed |= !numbers || !places;
    if (!writer->buffer->failed)
        at = an_chained_finish(table, writer->buffer, 0, places);
    free(numbers);
    free(places);
    return at;
}

/* ---- the parts around the table ---- */

enum { SUMMARY_FIELDS = 6, SUMMARY_SIZE = 8 * (2 + SUMMARY_FIELDS + 3 * SUMMARY_CUTOFFS) };

static enum an_code patch_summary(struct writer *writer, uint64_t at,
                                  struct an_llvm_summary_builder *builder, struct an_error *error)
{
    struct an_llvm_summary summary;
    enum an_code code = an_llvm_summary_builder_finish(builder, NULL, 0, &summary, error);
    if (code != AN_OK)
        return code;
    uint64_t words[SUMMARY_SIZE / 8] = {
        SUMMARY_FIELDS,
        SUMMARY_CUTOFFS,
        summary.functions,
        summary.blocks,
        summary.max_function_count,
        summary.max_count,
        summary.max_internal_count,
        summary.total_count,
    };
    for (size_t i = 0; i < SUMMARY_CUTOFFS; i++) {
        uint64_t *entry = words + 2 + SUMMARY_FIELDS + 3 * i;
        entry[0] = summary.entries[i].cutoff;
        entry[1] = summary.entries[i].min_count;
        entry[2] = summary.entries[i].blocks;
    }
    for (size_t i = 0; i < SUMMARY_SIZE / 8; i++)
        an_buffer_patch_le64(writer->buffer, (size_t)at + 8 * i, words[i]);
    an_llvm_summary_clear(&summary);
    return AN_OK;
}

static int by_id(const void *a, const void *b)
{
    const struct an_llvm_binary_id *left = a, *right = b;
    size_t shorter = left->size < right->size ? left->size : right->size;
    int order = memcmp(left->bytes, right->bytes, shorter);
    return order ? order : (left->size > right->size) - (left->size < right->size);
}

static void put_binary_ids(struct writer *writer)
{
    const struct an_llvm_profile *profile = writer->profile;
    struct an_buffer *buffer = writer->buffer;
    size_t count = profile->binary_ids.count;
    struct an_llvm_binary_id *sorted = an_alloc(count, sizeof *sorted);
    if (!sorted) {
        buffer->failed = true;
        return;
    }
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = profile->binary_ids.items[i];
        size += 8 + (sorted[i].size + 7) / 8 * 8;
    }
    qsort(sorted, count, sizeof *sorted, by_id);
    an_buffer_le64(buffer, size);
    for (size_t i = 0; i < count; i++) {
        an_buffer_le64(buffer, sorted[i].size);
        an_buffer_put(buffer, sorted[i].bytes, sorted[i].size);
        an_buffer_le(buffer, 0, -sorted[i].size & 7);
    }
    free(sorted);
}

static enum an_code put_vtable_names(struct writer *writer, struct an_error *error)
{
    const struct an_names *names = &writer->profile->vtable_names;
    struct an_buffer *buffer = writer->buffer;
    size_t at = buffer->size;
    an_buffer_le64(buffer, 0);
    if (names->count) {
        struct an_name *ordered = an_alloc(names->count, sizeof *ordered);
        if (!ordered)
            return an_fail_memory(error);
        memcpy(ordered, names->names, names->count * sizeof *ordered);
        enum an_code code = an_order_as_stringset(ordered, names->count)
                                ? an_names_section_write(buffer, ordered, names->count, error)
                                : an_fail_memory(error);
        free(ordered);
        if (code != AN_OK)
            return code;
        uint64_t size = buffer->size - at - 8;
        an_buffer_patch_le64(buffer, at, size);
        an_buffer_le(buffer, 0, -size & 7);
    }
    return AN_OK;
}

static void put_traces(struct writer *writer)
{
    const struct an_llvm_profile *profile = writer->profile;
    size_t words = 2;
    for (size_t i = 0; i < profile->traces.count; i++)
        words += 2 + profile->traces.items[i].function_count;
    an_buffer_expect(writer->buffer, writer->buffer->size + 8 * words);
    an_buffer_le64(writer->buffer, profile->traces.count);
    an_buffer_le64(writer->buffer, profile->trace_stream_size);
    for (size_t i = 0; i < profile->traces.count; i++) {
        const struct an_llvm_trace *trace = &profile->traces.items[i];
        an_buffer_le64(writer->buffer, trace->weight);
        an_buffer_le64(writer->buffer, trace->function_count);
        put_counts(writer->buffer, trace->functions, trace->function_count);
    }
}

/*
 * The version of the memory profile. LLVM 19 reads 0 to 3, later releases 2 to 4; which fields allocations have in older ones,
 * is different in each. False: none is written.
 */
static bool memprof_version(const struct writer *writer, unsigned *version)
{
    const struct memprof *memprof = &writer->profile->memprof;
    const struct an_llvm_write_options *options = writer->options;
    bool is_said =
        options->has_memory_version && !(options->memory_version_of_raw && memprof->is_indexed);
    *version = is_said               ? options->memory_version
               : memprof->is_indexed ? memprof->version
                                     : MEMPROF_USUAL;
    bool is_later = writer->release ? writer->release > 19 : writer->version >= INDEXED_MASKED;
    if (is_later && *version < 2 && (writer->release || !is_said))
        *version = 2;
    if (writer->release && !is_later && *version > 3)
        *version = 3;
    return memprof->exists && writer->version >= INDEXED_VTABLES;
}

/* A version that has no traces, or memory profiles, cannot claim to have some. */
static unsigned written_variants(const struct writer *writer)
{
    unsigned variants = writer->profile->variants, ignored;
    if (writer->version < 10)
        variants &= ~(unsigned)AN_LLVM_TEMPORAL;
    return memprof_version(writer, &ignored) ? variants | AN_LLVM_MEMPROF
                                             : variants & ~(unsigned)AN_LLVM_MEMPROF;
}

static enum an_code put_memprof(struct writer *writer, struct an_error *error)
{
    const struct memprof *memprof = &writer->profile->memprof;
    unsigned version;
    memprof_version(writer, &version);
    for (size_t i = 0; version < 4 && i < memprof->sites.count; i++)
        writer->left_out->memprof_callees += memprof->sites.items[i].callee_number != 0;
    writer->left_out->memprof_accesses = version < 4 && memprof->accesses.size;
    uint32_t schema = an_memprof_schema(memprof, version, writer->options->memory_in_full);
    return an_memprof_write(memprof, version, schema, 0, writer->buffer, error);
}

static enum an_code put_all(struct writer *writer, const struct chained *table,
                            struct an_error *error)
{
    struct an_buffer *buffer = writer->buffer;
    unsigned version = writer->version, variants = written_variants(writer);
    size_t header_at = buffer->size;
    an_buffer_le64(buffer, INDEXED_MAGIC);
    an_buffer_le64(buffer, an_llvm_version_word(version, variants));
    an_buffer_le64(buffer, 0); /* unused */
    an_buffer_le64(buffer, 0); /* MD5 */
    unsigned offset_words = version >= 12   ? 5
                            : version >= 10 ? 4
                            : version >= 9  ? 3
                            : version >= 8  ? 2
                                            : 1;
    size_t offsets_at = buffer->size;
    for (unsigned i = 0; i < offset_words; i++)
        an_buffer_le64(buffer, 0);
    size_t summary_at = buffer->size;
    bool context_sensitive = variants & AN_LLVM_CONTEXT_SENSITIVE;
    for (int i = 0; i < SUMMARY_SIZE / 8 * (context_sensitive ? 2 : 1); i++)
        an_buffer_le64(buffer, 0);

    uint64_t offsets[5] = {0};
    offsets[0] = put_table(writer, table);
    enum an_code code = AN_OK;
    if (variants & AN_LLVM_MEMPROF) {
        offsets[1] = buffer->size;
        code = put_memprof(writer, error);
    } else {
        writer->left_out->memprof_functions = writer->profile->memprof.records.count;
    }
    if (version >= 9) {
        offsets[2] = buffer->size;
        put_binary_ids(writer);
    } else {
        writer->left_out->binary_ids = writer->profile->binary_ids.count;
    }
    if (version >= 12 && code == AN_OK) {
        offsets[4] = buffer->size;
        code = put_vtable_names(writer, error);
    }
    if (variants & AN_LLVM_TEMPORAL) {
        offsets[3] = buffer->size;
        put_traces(writer);
    } else {
        writer->left_out->traces = writer->profile->traces.count;
    }
    if (code == AN_OK && buffer->failed)
        code = an_fail_memory(error);
    if (code == AN_OK)
        code = patch_summary(writer, summary_at, writer->summary, error);
    if (code == AN_OK && context_sensitive)
        code = patch_summary(writer, summary_at + SUMMARY_SIZE, writer->context_sensitive_summary,
                             error);
    for (unsigned i = 0; i < offset_words && code == AN_OK; i++)
        an_buffer_patch_le64(buffer, offsets_at + 8 * i, offsets[i] ? offsets[i] - header_at : 0);
    return code;
}

static uint64_t *hashes_of(const struct an_llvm_profile *profile, const size_t *order, size_t count)
{
    uint64_t *hashes = an_alloc(count, sizeof *hashes);
    for (size_t i = 0; hashes && i < count; i++)
        hashes[i] = profile->functions.items[order[i]].name_hash;
    return hashes;
}

enum an_code an_indexed_write(const struct an_llvm_profile *profile,
                              const struct an_llvm_write_options *options, unsigned version,
                              unsigned release, struct an_buffer *buffer,
                              struct an_llvm_left_out *left_out, struct an_error *error)
{
    struct writer writer = {
        .profile = profile,
        .options = options,
        .version = version,
        .release = release,
        .value_kinds = version >= INDEXED_VTABLES ? AN_LLVM_VALUE_KINDS : AN_LLVM_VTABLE,
        .buffer = buffer,
        .left_out = left_out,
        .summary = an_llvm_summary_builder_new(),
        .context_sensitive_summary = an_llvm_summary_builder_new(),
    };
    struct chained table = {0};
    size_t count = 0;
    size_t *order = an_order_by_name(profile, options->sparse, &count);
    uint64_t *hashes = order ? hashes_of(profile, order, count) : NULL;
    writer.order = order;
    enum an_code code;
    if (!hashes || !writer.summary || !writer.context_sensitive_summary ||
        !an_chained_build(&table, hashes, count))
        code = an_fail_memory(error);
    else
        code = put_all(&writer, &table, error);
    an_chained_free(&table);
    free(hashes);
    free(order);
    an_llvm_summary_builder_free(writer.summary);
    an_llvm_summary_builder_free(writer.context_sensitive_summary);
    return code;
}
