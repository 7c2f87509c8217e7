/* Writing partial results; the format is told in partial.h. */
#include <stdlib.h>
#include <string.h>

#include "partial/numbers.h"
#include "llvm/lossless.h"
#include "llvm/order.h"
#include "llvm/partial.h"

struct writer {
    const struct an_llvm_profile *profile;
    uint32_t *inputs; /* of each origin */
    struct an_buffer columns[PARTIAL_COLUMNS];
};

/* ---- origins ---- */

/* What each origin is called in the file. NULL when memory runs out. */
static uint32_t *number_inputs(const struct an_llvm_profile *profile,
                               const struct an_ledger *ledger)
{
    struct an_input_numbers inputs;
    size_t count = profile->lossless.origins.count;
    uint32_t *numbers = an_alloc(count, sizeof *numbers);
    if (!numbers || !an_input_numbers_make(&inputs, ledger)) {
        free(numbers);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        numbers[i] = (uint32_t)an_input_number(&inputs, &profile->lossless.origins.items[i]);
    an_input_numbers_free(&inputs);
    return numbers;
}

/* ---- functions ---- */

static void put_name(struct an_buffer *buffer, const struct an_name *before,
                     const struct an_name *name)
{
    size_t shared = 0;
    while (before && shared < before->length && shared < name->length &&
           before->text[shared] == name->text[shared])
        shared++;
    an_buffer_uleb128(buffer, shared);
    an_buffer_uleb128(buffer, name->length - shared);
    an_buffer_put(buffer, name->text + shared, name->length - shared);
}

static void put_values(struct writer *writer, const struct record *record)
{
    struct an_buffer *buffer = &writer->columns[PARTIAL_VALUES];
    unsigned kinds = 0;
    for (int kind = 0; record->values && kind < AN_LLVM_VALUE_KINDS; kind++) {
        uint32_t sites = record->values->site_count[kind];
        if (!sites)
            continue;
        kinds |= 1u << kind;
        if (record->order[kind] == FIRST_ORDER)
            kinds |= 8u << kind;
        an_buffer_uleb128(buffer, sites);
        for (uint32_t s = 0; s < sites; s++) {
            const struct an_llvm_site *site = &record->values->sites[kind][s];
            an_buffer_uleb128(buffer, site->count);
            for (uint32_t v = 0; v < site->count; v++) {
                an_buffer_le64(buffer, site->values[v].value);
                an_buffer_uleb128(buffer, site->values[v].count);
            }
        }
    }
    if (record->uniform)
        kinds |= 64;
    an_buffer_le(&writer->columns[PARTIAL_KINDS], kinds, 1);
}

static void put_record(struct writer *writer, const struct record *record)
{
    struct an_buffer *columns = writer->columns;
    an_buffer_le64(&columns[PARTIAL_HASHES], record->hash);
    an_buffer_uleb128(&columns[PARTIAL_SHAPES], record->count_number);
    an_buffer_uleb128(&columns[PARTIAL_SHAPES], record->bitmap_bytes);
    an_buffer_uleb128(&columns[PARTIAL_ORIGINS], writer->inputs[record->origin]);
    for (uint32_t i = 0; i < record->count_number; i++)
        an_buffer_uleb128(&columns[PARTIAL_COUNTS], record->counts[i]);
    an_buffer_put(&columns[PARTIAL_BITMAPS], record->bitmap, record->bitmap_bytes);
    put_values(writer, record);
    if (record->uniform)
        an_buffer_put(&columns[PARTIAL_BITMAPS], record->uniform,
                      an_llvm_uniform_bytes(record->count_number));
}

static bool put_functions(struct writer *writer, struct an_buffer *buffer)
{
    const struct an_llvm_profile *profile = writer->profile;
    size_t count;
    size_t *order = an_order_by_name(profile, false, &count);
    const struct an_name *before = NULL;
    if (!order)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct function *function = &profile->functions.items[order[i]];
        const struct an_name *name = &profile->names.names[order[i]];
        put_name(&writer->columns[PARTIAL_NAMES], before, name);
        an_buffer_uleb128(&writer->columns[PARTIAL_RECORDS], function->records);
        for (const struct record *r = function->first; r; r = r->next)
            put_record(writer, r);
        before = name;
    }
    free(order);
    an_buffer_uleb128(buffer, count);
    an_buffer_uleb128(buffer, profile->records);
    for (size_t i = 0; i < PARTIAL_COLUMNS; i++) {
        an_buffer_uleb128(buffer, writer->columns[i].size);
        an_buffer_put(buffer, writer->columns[i].data, writer->columns[i].size);
        buffer->failed = buffer->failed || writer->columns[i].failed;
    }
    return true;
}

/* ---- the whole ---- */

static int by_text(const void *a, const void *b)
{
    const struct an_name *left = a, *right = b;
    size_t shorter = left->length < right->length ? left->length : right->length;
    int order = shorter ? memcmp(left->text, right->text, shorter) : 0;
    return order ? order : (left->length > right->length) - (left->length < right->length);
}

/* The texts of a set, ascending. False when memory runs out. */
static bool put_set(struct an_buffer *buffer, const struct an_names *names)
{
    struct an_name *sorted = an_alloc(names->count, sizeof *sorted);
    if (!sorted)
        return false;
    if (names->count)
        memcpy(sorted, names->names, names->count * sizeof *sorted);
    qsort(sorted, names->count, sizeof *sorted, by_text);
    an_buffer_uleb128(buffer, names->count);
    for (size_t i = 0; i < names->count; i++) {
        an_buffer_uleb128(buffer, sorted[i].length);
        an_buffer_put(buffer, sorted[i].text, sorted[i].length);
    }
    free(sorted);
    return true;
}

static void put_traces(const struct writer *writer, struct an_buffer *buffer)
{
    const struct an_llvm_profile *profile = writer->profile;
    an_buffer_uleb128(buffer, profile->traces.count);
    for (size_t i = 0; i < profile->traces.count; i++) {
        const struct an_llvm_trace *trace = &profile->traces.items[i];
        const struct trace_mark *mark = &profile->lossless.marks.items[i];
        uint64_t rate;
        memcpy(&rate, &mark->rate, sizeof rate);
        an_buffer_uleb128(buffer, writer->inputs[mark->input]);
        an_buffer_uleb128(buffer, mark->index);
        an_buffer_le64(buffer, rate);
        an_buffer_uleb128(buffer, trace->weight);
        an_buffer_uleb128(buffer, trace->function_count);
        for (size_t f = 0; f < trace->function_count; f++)
            an_buffer_le64(buffer, trace->functions[f]);
    }
}

enum an_code an_llvm_partial_write(struct an_llvm_profile *profile, const struct an_ledger *ledger,
                                   struct an_buffer *buffer, struct an_error *error)
{
    struct writer writer = {.profile = profile};
    if (!an_lossless_arrange(profile))
        return an_fail_memory(error);
    writer.inputs = number_inputs(profile, ledger);
    unsigned kind = profile->has_kind || !ledger->used ? profile->variants : PARTIAL_KINDLESS;
    an_buffer_uleb128(buffer, kind | profile->version << PARTIAL_VERSION_SHIFT);
    an_buffer_uleb128(buffer, profile->trace_reservoir);
    an_buffer_uleb128(buffer, profile->trace_length);
    an_buffer_uleb128(buffer, profile->trace_stream_size);
    bool done = writer.inputs && put_functions(&writer, buffer) &&
                put_set(buffer, &profile->known_ids) && put_set(buffer, &profile->vtable_names);
    if (done)
        put_traces(&writer, buffer);
    for (size_t i = 0; i < PARTIAL_COLUMNS; i++)
        an_buffer_free(&writer.columns[i]);
    free(writer.inputs);
    return done && !buffer->failed ? AN_OK : an_fail_memory(error);
}
