/* Writing memory profiles, of any version; the layout is drawn in memprof_read.c. */
#include <string.h>

#include "llvm/chained.h"
#include "llvm/memprof.h"
#include "llvm/memprof_layout.h"

struct writer {
    const struct memprof *memprof;
    struct an_buffer *buffer;
    unsigned version;
    uint32_t schema;
    uint64_t origin;
    uint64_t *frame_ids;                 /* of all frames */
    uint64_t *stack_ids;                 /* by node (version 2) */
    const struct memprof_layout *layout; /* from version 3 on */
};

static uint64_t here(const struct writer *writer)
{
    return writer->origin + writer->buffer->size;
}

/* ---- stacks ---- */

static uint32_t frame_of(const struct writer *writer, uint32_t node)
{
    return writer->memprof->nodes.items[node].frame;
}

static void put_frame_ids(const struct writer *writer, uint32_t node)
{
    for (; node != MEMPROF_TOP; node = writer->memprof->nodes.items[node].parent)
        an_buffer_le64(writer->buffer, writer->frame_ids[frame_of(writer, node)]);
}

static uint64_t depth_of(const struct writer *writer, uint32_t node)
{
    return node == MEMPROF_TOP ? 0 : writer->memprof->nodes.items[node].depth;
}

/* A stack's number is a hash of those of its frames. */
static bool number_stacks(struct writer *writer)
{
    const struct memprof *memprof = writer->memprof;
    struct an_buffer scratch = {0};
    writer->stack_ids = an_alloc_zero(memprof->nodes.count + 1, sizeof *writer->stack_ids);
    for (size_t i = 0; writer->stack_ids && i < memprof->stacks.count; i++) {
        uint32_t node = memprof->stacks.items[i];
        writer->stack_ids[node] = an_memprof_stack_id(memprof, writer->frame_ids, node, &scratch);
    }
    bool done = writer->stack_ids && !scratch.failed;
    an_buffer_free(&scratch);
    return done;
}

static void put_stack(const struct writer *writer, uint32_t node)
{
    if (writer->version >= 3) {
        an_buffer_le(writer->buffer, writer->layout->stack_place[node], 4);
    } else if (writer->version == 2) {
        an_buffer_le64(writer->buffer, writer->stack_ids[node]);
    } else {
        an_buffer_le64(writer->buffer, depth_of(writer, node));
        put_frame_ids(writer, node);
    }
}

static uint64_t stack_size(const struct writer *writer, uint32_t node)
{
    if (writer->version >= 2)
        return writer->version >= 3 ? 4 : 8;
    return 8 + 8 * depth_of(writer, node);
}

/* ---- items of tables ---- */

static void put_head(const struct writer *writer, uint64_t key, uint64_t size, bool has_key_size)
{
    an_buffer_le64(writer->buffer, key); /* it is its own hash */
    if (has_key_size)
        an_buffer_le64(writer->buffer, 8);
    an_buffer_le64(writer->buffer, size);
    an_buffer_le64(writer->buffer, key);
}

static void put_frame(void *context, uint32_t frame)
{
    const struct writer *writer = context;
    put_head(writer, writer->frame_ids[frame], MEMPROF_FRAME, true);
    an_buffer_put(writer->buffer, writer->memprof->frames.names[frame].text, MEMPROF_FRAME);
}

static void put_stack_item(void *context, uint32_t index)
{
    const struct writer *writer = context;
    uint32_t node = writer->memprof->stacks.items[index];
    put_head(writer, writer->stack_ids[node], 8 * depth_of(writer, node), false);
    put_frame_ids(writer, node);
}

static uint64_t record_size(const struct writer *writer, const struct memprof_record *record)
{
    const struct memprof *memprof = writer->memprof;
    uint64_t size = 16, values = an_memprof_schema_size(writer->schema);
    uint32_t at = record->allocations.first;
    for (; at != MEMPROF_NONE; at = memprof->allocations.items[at].next)
        size += stack_size(writer, memprof->allocations.items[at].stack) + values;
    for (at = record->sites.first; at != MEMPROF_NONE; at = memprof->sites.items[at].next) {
        const struct memprof_site *site = &memprof->sites.items[at];
        size += stack_size(writer, site->stack);
        size += writer->version >= 4 ? 8 + 8 * site->callee_number : 0;
    }
    return size;
}

static void put_values(const struct writer *writer, const uint64_t *values)
{
    for (unsigned field = 1; field < MEMPROF_FIELDS; field++)
        if (writer->schema >> field & 1)
            an_buffer_le(writer->buffer, values[field], an_memprof_field_size(field));
}

static void put_record(void *context, uint32_t index)
{
    const struct writer *writer = context;
    const struct memprof *memprof = writer->memprof;
    const struct memprof_record *record = &memprof->records.items[index];
    struct an_buffer *buffer = writer->buffer;
    put_head(writer, record->function, record_size(writer, record), true);
    an_buffer_le64(buffer, record->allocations.number);
    uint32_t at = record->allocations.first;
    for (; at != MEMPROF_NONE; at = memprof->allocations.items[at].next) {
        put_stack(writer, memprof->allocations.items[at].stack);
        put_values(writer, memprof->allocations.items[at].values);
    }
    an_buffer_le64(buffer, record->sites.number);
    for (at = record->sites.first; at != MEMPROF_NONE; at = memprof->sites.items[at].next) {
        const struct memprof_site *site = &memprof->sites.items[at];
        put_stack(writer, site->stack);
        if (writer->version < 4)
            continue;
        an_buffer_le64(buffer, site->callee_number);
        for (uint64_t c = 0; c < site->callee_number; c++)
            an_buffer_le64(buffer, site->callees[c]);
    }
}

static uint64_t put_table(const struct writer *writer, const uint64_t *hashes, size_t count,
                          void (*put)(void *context, uint32_t item))
{
    struct chained table;
    uint64_t at = 0;
    if (an_chained_build(&table, hashes, count))
        at = an_chained_put(&table, writer->buffer, writer->origin, put, (void *)writer);
    else
        writer->buffer->failed = true;
    an_chained_free(&table);
    return at;
}

static uint64_t put_records(const struct writer *writer)
{
    size_t count = writer->memprof->records.count;
    uint64_t *hashes = an_alloc(count, sizeof *hashes), at = 0;
    for (size_t i = 0; hashes && i < count; i++)
        hashes[i] = writer->memprof->records.items[i].function;
    if (hashes)
        at = put_table(writer, hashes, count, put_record);
    else
        writer->buffer->failed = true;
    free(hashes);
    return at;
}

static uint64_t put_stack_table(const struct writer *writer)
{
    size_t count = writer->memprof->stacks.count;
    uint64_t *hashes = an_alloc(count, sizeof *hashes), at = 0;
    for (size_t i = 0; hashes && i < count; i++)
        hashes[i] = writer->stack_ids[writer->memprof->stacks.items[i]];
    if (hashes)
        at = put_table(writer, hashes, count, put_stack_item);
    else
        writer->buffer->failed = true;
    free(hashes);
    return at;
}

/* ---- the summary of version 4 ---- */

/* Allocations are cold by LLVM's usual limits: of long life (ms), and hardly accessed (hundredths). */
static bool is_cold(const uint64_t *values)
{
    float number = (float)values[MEMPROF_COUNT];
    if (number == 0)
        return false;
    return (float)values[MEMPROF_DENSITY] / number / 100 < 0.05f &&
           (float)values[MEMPROF_LIFETIME] / number >= 200 * 1000;
}

/* Of each call stack that allocates, the first allocation counts. What would be hot, LLVM only tells when it is asked to. */
bool an_memprof_sum_up(const struct memprof *memprof, uint64_t fields[MEMPROF_SUMMARY])
{
    enum { CONTEXTS, COLD, HOT, LARGEST_COLD, LARGEST_WARM, LARGEST_HOT };
    uint8_t *seen = an_alloc_zero(memprof->nodes.count + 1, 1);
    for (size_t r = 0; seen && r < memprof->records.count; r++) {
        uint32_t at = memprof->records.items[r].allocations.first;
        for (; at != MEMPROF_NONE; at = memprof->allocations.items[at].next) {
            const struct memprof_allocation *allocation = &memprof->allocations.items[at];
            if (seen[allocation->stack])
                continue;
            seen[allocation->stack] = true;
            bool cold = is_cold(allocation->values);
            uint64_t *largest = &fields[cold ? LARGEST_COLD : LARGEST_WARM];
            fields[CONTEXTS]++;
            fields[COLD] += cold;
            if (allocation->values[MEMPROF_SIZE] > *largest)
                *largest = allocation->values[MEMPROF_SIZE];
        }
    }
    bool done = seen;
    free(seen);
    return done;
}

static void put_summary(const struct writer *writer)
{
    const struct memprof *memprof = writer->memprof;
    uint64_t fields[MEMPROF_SUMMARY] = {0};
    if (memprof->has_summary)
        memcpy(fields, memprof->summary, sizeof fields);
    else if (!an_memprof_sum_up(memprof, fields))
        writer->buffer->failed = true;
    an_buffer_le(writer->buffer, MEMPROF_SUMMARY, 4);
    for (int i = 0; i < MEMPROF_SUMMARY; i++)
        an_buffer_le64(writer->buffer, fields[i]);
}

/* ---- the whole ---- */

static void put_schema(const struct writer *writer)
{
    uint32_t schema = writer->schema;
    an_buffer_le64(writer->buffer, (uint64_t)__builtin_popcount(schema));
    for (unsigned field = 1; field < MEMPROF_FIELDS; field++)
        if (schema >> field & 1)
            an_buffer_le64(writer->buffer, field);
}

static void put_by_tables(struct writer *writer, size_t offsets_at)
{
    uint64_t offsets[5];
    offsets[0] = put_records(writer);
    offsets[1] = here(writer);
    offsets[2] = put_table(writer, writer->frame_ids, writer->memprof->frames.count, put_frame);
    offsets[3] = here(writer);
    if (writer->version == 2)
        offsets[4] = put_stack_table(writer);
    for (size_t i = 0; i < (writer->version == 2 ? 5 : 3) && !writer->buffer->failed; i++)
        an_buffer_patch_le64(writer->buffer, offsets_at + 8 * i, offsets[i]);
}

static void put_by_arrays(struct writer *writer, size_t offsets_at)
{
    const struct memprof *memprof = writer->memprof;
    const struct memprof_layout *layout = writer->layout;
    uint64_t offsets[4];
    for (size_t i = 0; i < memprof->frames.count; i++)
        an_buffer_put(writer->buffer, memprof->frames.names[layout->frames[i]].text, MEMPROF_FRAME);
    offsets[0] = here(writer);
    for (size_t i = 0; i < layout->word_number; i++)
        an_buffer_le(writer->buffer, layout->words[i], 4);
    offsets[1] = here(writer);
    offsets[2] = put_records(writer);
    offsets[3] = memprof->accesses.size ? here(writer) : 0;
    if (writer->version >= 4)
        an_buffer_put(writer->buffer, memprof->accesses.data, memprof->accesses.size);
    for (size_t i = 0; i < (writer->version >= 4 ? 4 : 3) && !writer->buffer->failed; i++)
        an_buffer_patch_le64(writer->buffer, offsets_at + 8 * i, offsets[i]);
}

static void put_all(struct writer *writer)
{
    static const unsigned offsets[] = {3, 3, 5, 3, 4};
    struct an_buffer *buffer = writer->buffer;
    if (writer->version)
        an_buffer_le64(buffer, writer->version);
    size_t offsets_at = buffer->size;
    for (unsigned i = 0; i < offsets[writer->version]; i++)
        an_buffer_le64(buffer, 0);
    if (writer->version >= 4)
        put_summary(writer);
    put_schema(writer);
    if (writer->version >= 3)
        put_by_arrays(writer, offsets_at);
    else
        put_by_tables(writer, offsets_at);
}

enum an_code an_memprof_write(const struct memprof *memprof, unsigned version, uint32_t schema,
                              uint64_t origin, struct an_buffer *buffer, struct an_error *error)
{
    struct memprof_layout layout = {0};
    struct writer writer = {.memprof = memprof,
                            .buffer = buffer,
                            .version = version,
                            .schema = schema,
                            .origin = origin,
                            .layout = &layout};
    bool done;
    if (version >= 3) {
        done = an_memprof_lay_out(memprof, &layout);
    } else {
        writer.frame_ids = an_alloc(memprof->frames.count, sizeof *writer.frame_ids);
        for (size_t i = 0; writer.frame_ids && i < memprof->frames.count; i++)
            writer.frame_ids[i] = an_memprof_frame_id(
                (const uint8_t *)memprof->frames.names[i].text, memprof->has_new_ids);
        done = writer.frame_ids && (version < 2 || number_stacks(&writer));
    }
    if (done)
        put_all(&writer);
    an_memprof_layout_free(&layout);
    free(writer.frame_ids);
    free(writer.stack_ids);
    return done && !buffer->failed ? AN_OK : an_fail_memory(error);
}
