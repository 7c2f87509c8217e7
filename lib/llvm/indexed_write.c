/*
 * Writing indexed profiles, versions 5 to 14; the layout is drawn in indexed_read.c. Versions 10 to
 * 14 are byte for byte what llvm-profdata of LLVM 17 to 19, 22 and 23 writes; older ones have the
 * same content as theirs in another order.
 *
 * The order of the items follows from how LLVM's OnDiskChainedHashTableGenerator grows: names are
 * inserted in alphabetical order at the head of their bucket's chain, doubling a table of at first
 * 64 buckets turns chains around, and in the end the table is shrunk to fit. It is replayed here.
 */
#include <string.h>

#include "llvm/format.h"
#include "llvm/indexed.h"
#include "llvm/names.h"
#include "llvm/order.h"
#include "llvm/summary.h"

enum {
    FIRST_BUCKETS = 64,
    AROUND = 1 << 16, /* bytes, for what stands around the table, as a rule */
};
#define END UINT32_MAX

/* ---- the order of items ---- */

struct table {
    uint32_t *heads; /* per bucket, an item or END */
    uint32_t *next;  /* per item */
    uint64_t *hashes;
    size_t buckets;
};

static void chain(struct table *table, uint32_t item)
{
    size_t bucket = table->hashes[item] & (table->buckets - 1);
    table->next[item] = table->heads[bucket];
    table->heads[bucket] = item;
}

static bool resize(struct table *table, size_t buckets)
{
    uint32_t *old = table->heads;
    size_t old_buckets = table->buckets;
    uint32_t *heads = an_alloc(buckets, sizeof *heads);
    if (!heads)
        return false;
    memset(heads, 0xff, buckets * sizeof *heads);
    table->heads = heads;
    table->buckets = buckets;
    for (size_t b = 0; old && b < old_buckets; b++)
        for (uint32_t item = old[b], following; item != END; item = following) {
            following = table->next[item];
            chain(table, item);
        }
    free(old);
    return true;
}

/* A power of two for an occupancy of 3/8 to 3/4; one bucket for up to two items. */
static size_t final_buckets(size_t items)
{
    size_t buckets = 1;
    if (items > 2)
        while (buckets < items * 4 / 3 + 1)
            buckets *= 2;
    return buckets;
}

static bool build(struct table *table, const struct an_llvm_profile *profile, const size_t *order,
                  size_t count)
{
    table->next = an_alloc(count, sizeof *table->next);
    table->hashes = an_alloc(count, sizeof *table->hashes);
    if (!table->next || !table->hashes || count >= END || !resize(table, FIRST_BUCKETS))
        return false;
    for (size_t i = 0; i < count; i++) {
        table->hashes[i] = profile->functions.items[order[i]].name_hash;
        if (4 * (i + 1) >= 3 * table->buckets && !resize(table, 2 * table->buckets))
            return false;
        chain(table, (uint32_t)i);
    }
    size_t wanted = final_buckets(count);
    return wanted == table->buckets || resize(table, wanted);
}

static void table_free(struct table *table)
{
    free(table->heads);
    free(table->next);
    free(table->hashes);
}

/* ---- one function ---- */

struct writer {
    const struct an_llvm_profile *profile;
    unsigned version;
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

static bool put_function(struct writer *writer, size_t index)
{
    const struct function *function = &writer->profile->functions.items[index];
    const struct an_name *name = &writer->profile->names.names[index];
    struct record *few[FEW_RECORDS];
    struct record **records = an_function_records(function, few);
    if (!records)
        return false;
    uint64_t size = 0;
    for (size_t i = 0; i < function->records; i++)
        size += record_size(writer, records[i]);
    bool done = an_order_as_densemap(records, function->records);
    an_buffer_le64(writer->buffer, function->name_hash);
    an_buffer_le64(writer->buffer, name->length);
    an_buffer_le64(writer->buffer, size);
    an_buffer_put(writer->buffer, name->text, name->length);
    for (size_t i = 0; done && i < function->records; i++)
        put_record(writer, records[i]);
    an_function_records_free(records, few);
    return done;
}

/* About how many bytes the table takes, values aside. */
static size_t table_size(const struct writer *writer, const struct table *table)
{
    const struct an_llvm_profile *profile = writer->profile;
    size_t size = (size_t)8 * table->buckets;
    for (size_t i = 0; i < profile->functions.count; i++) {
        size += 26 + profile->names.names[i].length;
        for (const struct record *r = profile->functions.items[i].first; r; r = r->next)
            size += 32 + 8 * (size_t)(r->count_number + r->bitmap_bytes);
    }
    return size;
}

/* Returns the offset of the bucket array. */
static uint64_t put_table(struct writer *writer, const struct table *table, const size_t *order,
                          size_t count)
{
    struct an_buffer *buffer = writer->buffer;
    uint64_t *offsets = an_alloc_zero(table->buckets, sizeof *offsets);
    if (!offsets)
        buffer->failed = true;
    an_buffer_expect(buffer, buffer->size + table_size(writer, table) + AROUND);
    for (size_t b = 0; b < table->buckets && !buffer->failed; b++) {
        unsigned items = 0;
        for (uint32_t item = table->heads[b]; item != END; item = table->next[item])
            items++;
        if (items == 0)
            continue;
        offsets[b] = buffer->size;
        an_buffer_le(buffer, items, 2);
        for (uint32_t item = table->heads[b]; item != END; item = table->next[item])
            if (!put_function(writer, order[item]))
                buffer->failed = true;
    }
    while (buffer->size % 8 && !buffer->failed)
        an_buffer_le(buffer, 0, 1);
    uint64_t at = buffer->size;
    an_buffer_le64(buffer, table->buckets);
    an_buffer_le64(buffer, count);
    for (size_t b = 0; b < table->buckets && !buffer->failed; b++)
        an_buffer_le64(buffer, offsets[b]);
    free(offsets);
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

/* Memory profiles are never written; a version that has no traces cannot claim to have some. */
static unsigned written_variants(const struct writer *writer)
{
    unsigned variants = writer->profile->variants & ~(unsigned)AN_LLVM_MEMPROF;
    if (writer->version < 10)
        variants &= ~(unsigned)AN_LLVM_TEMPORAL;
    return variants;
}

static enum an_code put_all(struct writer *writer, const struct table *table, const size_t *order,
                            size_t count, struct an_error *error)
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
    offsets[0] = put_table(writer, table, order, count);
    if (version >= 9) {
        offsets[2] = buffer->size;
        put_binary_ids(writer);
    } else {
        writer->left_out->binary_ids = writer->profile->binary_ids.count;
    }
    enum an_code code = AN_OK;
    if (version >= 12) {
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

enum an_code an_indexed_write(const struct an_llvm_profile *profile, unsigned version, bool sparse,
                              struct an_buffer *buffer, struct an_llvm_left_out *left_out,
                              struct an_error *error)
{
    struct writer writer = {
        .profile = profile,
        .version = version,
        .value_kinds = version >= INDEXED_VTABLES ? AN_LLVM_VALUE_KINDS : AN_LLVM_VTABLE,
        .buffer = buffer,
        .left_out = left_out,
        .summary = an_llvm_summary_builder_new(),
        .context_sensitive_summary = an_llvm_summary_builder_new(),
    };
    struct table table = {0};
    size_t count = 0;
    size_t *order = an_order_by_name(profile, sparse, &count);
    enum an_code code;
    if (!order || !writer.summary || !writer.context_sensitive_summary ||
        !build(&table, profile, order, count))
        code = an_fail_memory(error);
    else
        code = put_all(&writer, &table, order, count, error);
    table_free(&table);
    free(order);
    an_llvm_summary_builder_free(writer.summary);
    an_llvm_summary_builder_free(writer.context_sensitive_summary);
    return code;
}
