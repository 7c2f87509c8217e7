/* Writing the text format, byte for byte as llvm-profdata merge --text does. */
#include "llvm/text.h"

#include <string.h>

#include "llvm/order.h"

static const char *const kind_names[AN_LLVM_VALUE_KINDS] = {"IPVK_IndirectCallTarget",
                                                            "IPVK_MemOPSize", "IPVK_VTableTarget"};

static void put_string(struct an_buffer *buffer, const char *text)
{
    an_buffer_put(buffer, text, strlen(text));
}

static void write_kind(struct an_buffer *buffer, unsigned kind, const struct an_llvm_site *sites,
                       uint32_t number,
                       const char *(*symbol)(void *context, uint64_t hash, size_t *length),
                       void *context)
{
    an_buffer_print(buffer, "# ValueKind = %s:\n%u\n# NumValueSites:\n%u\n", kind_names[kind], kind,
                    number);
    for (uint32_t i = 0; i < number; i++) {
        an_buffer_decimal(buffer, sites[i].count, '\n');
        for (uint32_t v = 0; v < sites[i].count; v++) {
            const struct an_llvm_value *value = &sites[i].values[v];
            if (kind == AN_LLVM_MEMOP_SIZE) {
                an_buffer_decimal(buffer, value->value, ':');
            } else {
                size_t length = 0;
                const char *name = symbol(context, value->value, &length);
                if (!name) {
                    name = AN_TEXT_EXTERNAL;
                    length = strlen(name);
                }
                an_buffer_put(buffer, name, length);
                an_buffer_put(buffer, ":", 1);
            }
            an_buffer_decimal(buffer, value->count, '\n');
        }
    }
}

void an_text_write_record(struct an_buffer *buffer, const struct an_llvm_record *record,
                          const char *(*symbol)(void *context, uint64_t hash, size_t *length),
                          void *context)
{
    an_buffer_put(buffer, record->name, record->name_length);
    put_string(buffer, "\n# Func Hash:\n");
    an_buffer_decimal(buffer, record->hash, '\n');
    put_string(buffer, "# Num Counters:\n");
    an_buffer_decimal(buffer, record->count_number, '\n');
    put_string(buffer, "# Counter Values:\n");
    for (uint32_t i = 0; i < record->count_number; i++)
        an_buffer_decimal(buffer, record->counts[i], '\n');
    if (record->bitmap_bytes) {
        an_buffer_print(buffer, "# Num Bitmap Bytes:\n$%u\n# Bitmap Byte Values:\n",
                        record->bitmap_bytes);
        for (uint32_t i = 0; i < record->bitmap_bytes; i++)
            an_buffer_print(buffer, "0x%x\n", record->bitmap[i]);
        an_buffer_put(buffer, "\n", 1);
    }
    const struct an_llvm_values *values = record->values;
    unsigned kinds = 0;
    for (int kind = 0; values && kind < AN_LLVM_VALUE_KINDS; kind++)
        kinds += values->site_count[kind] != 0;
    if (kinds)
        an_buffer_print(buffer, "# Num Value Kinds:\n%u\n", kinds);
    for (unsigned kind = 0; kinds && kind < AN_LLVM_VALUE_KINDS; kind++)
        if (values->site_count[kind])
            write_kind(buffer, kind, values->sites[kind], values->site_count[kind], symbol,
                       context);
    an_buffer_put(buffer, "\n", 1);
}

struct name_source {
    const struct an_llvm_profile *profile;
    struct an_map vtables; /* name hash -> index + 1 */
    bool sparse;
};

/* Only functions that are written have names, as in LLVM's symbol table for the text. */
static const char *name_of(void *context, uint64_t hash, size_t *length)
{
    const struct name_source *source = context;
    const struct an_llvm_profile *profile = source->profile;
    const uint64_t *index = an_map_find(&profile->by_hash, hash);
    const struct an_name *name = NULL;
    if (index && *index && profile->functions.items[*index - 1].first &&
        an_function_is_written(&profile->functions.items[*index - 1], source->sparse))
        name = &profile->names.names[*index - 1];
    if (!name && (index = an_map_find(&source->vtables, hash)))
        name = &profile->vtable_names.names[*index - 1];
    if (!name || name->length == 0)
        return NULL;
    *length = name->length;
    return name->text;
}

static bool learn_vtables(struct name_source *source)
{
    const struct an_names *names = &source->profile->vtable_names;
    for (size_t i = 0; i < names->count; i++) {
        bool is_new;
        uint64_t *slot =
            an_map_insert(&source->vtables,
                          an_llvm_name_hash(names->names[i].text, names->names[i].length), &is_new);
        if (!slot)
            return false;
        *slot = i + 1;
    }
    return true;
}

static void write_traces(struct an_buffer *buffer, const struct name_source *source)
{
    const struct an_llvm_profile *profile = source->profile;
    an_buffer_print(buffer,
                    ":temporal_prof_traces\n# Num Temporal Profile Traces:\n%zu\n"
                    "# Temporal Profile Trace Stream Size:\n%llu\n",
                    profile->traces.count, (unsigned long long)profile->trace_stream_size);
    for (size_t i = 0; i < profile->traces.count; i++) {
        const struct an_llvm_trace *trace = &profile->traces.items[i];
        an_buffer_print(buffer, "# Weight:\n%llu\n", (unsigned long long)trace->weight);
        for (size_t f = 0; f < trace->function_count; f++) {
            size_t length = 0;
            const char *name = name_of((void *)source, trace->functions[f], &length);
            an_buffer_put(buffer, name, name ? length : 0);
            an_buffer_put(buffer, ",", 1);
        }
        an_buffer_put(buffer, "\n", 1);
    }
    an_buffer_put(buffer, "\n", 1);
}

static int by_hash(const void *a, const void *b)
{
    uint64_t left = (*(const struct record *const *)a)->hash;
    uint64_t right = (*(const struct record *const *)b)->hash;
    return (left > right) - (left < right);
}

static bool write_function(struct an_buffer *buffer, struct name_source *source,
                           const struct function *function)
{
    struct record *few[FEW_RECORDS];
    struct record **records = an_function_records(function, few);
    if (!records)
        return false;
    qsort(records, function->records, sizeof(struct record *), by_hash);
    for (size_t i = 0; i < function->records; i++) {
        struct an_llvm_record view = an_profile_view(source->profile, records[i]);
        an_text_write_record(buffer, &view, name_of, source);
    }
    an_function_records_free(records, few);
    return true;
}

enum an_code an_text_write(const struct an_llvm_profile *profile, bool sparse,
                           struct an_buffer *buffer, struct an_error *error)
{
    struct name_source source = {.profile = profile, .sparse = sparse};
    size_t count;
    size_t *order = an_order_by_name(profile, sparse, &count);
    if (!order || !learn_vtables(&source))
        buffer->failed = true;
    if (profile->variants & AN_LLVM_CONTEXT_SENSITIVE)
        put_string(buffer, "# CSIR level Instrumentation Flag\n:csir\n");
    else if (profile->variants & AN_LLVM_IR)
        put_string(buffer, "# IR level Instrumentation Flag\n:ir\n");
    if (profile->variants & AN_LLVM_ENTRY_FIRST)
        put_string(buffer, "# Always instrument the function entry block\n:entry_first\n");
    if (profile->variants & AN_LLVM_LOOP_ENTRIES)
        put_string(buffer, "# Always instrument the loop entry blocks\n:instrument_loop_entries\n");
    if (profile->variants & AN_LLVM_BYTE_COVERAGE)
        put_string(buffer, "# Instrument block coverage\n:single_byte_coverage\n");
    if (profile->variants & AN_LLVM_TEMPORAL && !buffer->failed)
        write_traces(buffer, &source);
    for (size_t i = 0; i < count && !buffer->failed; i++)
        if (!write_function(buffer, &source, &profile->functions.items[order[i]]))
            buffer->failed = true;
    free(order);
    an_map_free(&source.vtables);
    return buffer->failed ? an_fail_memory(error) : AN_OK;
}
