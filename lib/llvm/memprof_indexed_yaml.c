/*
 * Memory profiles of indexed profiles in the words of llvm-profdata show --memory: for each function, in the file's order, what it
 * allocates, and which call sites of it lead to that; and how data was accessed.
 */
#include <stdio.h>

#include "base/yaml_layout.h"
#include "llvm/chained.h"
#include "llvm/indexed.h"
#include "llvm/memprof_accesses.h"
#include "llvm/memprof_words.h"
#include "llvm/memprof_yaml.h"

/* Files have what call stacks have in common once, and the text has it each time: a small file could ask for any size. */
#define MOST_TEXT ((uint64_t)1 << 32)

struct printer {
    const struct memprof *memprof;
    struct yaml_layout layout;
};

static bool goes_on(const struct printer *printer)
{
    return !printer->layout.buffer->failed && printer->layout.buffer->size <= MOST_TEXT;
}

static void put_hash(struct yaml_layout *layout, uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)hash);
    an_yaml_put(layout, text);
}

static void put_frames(struct printer *printer, uint32_t node)
{
    const struct memprof *memprof = printer->memprof;
    struct yaml_layout *layout = &printer->layout;
    for (; node != MEMPROF_TOP && goes_on(printer); node = memprof->nodes.items[node].parent) {
        const uint8_t *frame =
            (const uint8_t *)memprof->frames.names[memprof->nodes.items[node].frame].text;
        an_yaml_put_dash(layout, 12);
        an_yaml_begin_map(layout);
        an_yaml_put_map_key(layout, "Function");
        put_hash(layout, an_get64(frame, false));
        an_yaml_put_map_key(layout, "LineOffset");
        an_yaml_put_number(layout, an_get32(frame + 8, false));
        an_yaml_put_map_key(layout, "Column");
        an_yaml_put_number(layout, an_get32(frame + 12, false));
        an_yaml_put_map_key(layout, "IsInlineFrame");
        an_yaml_put(layout, frame[16] ? "true" : "false");
        an_yaml_end_map(layout);
    }
}

static void put_allocations(struct printer *printer, uint32_t at)
{
    struct yaml_layout *layout = &printer->layout;
    if (at != MEMPROF_NONE)
        an_yaml_put_group(layout, 4, false, "AllocSites");
    while (at != MEMPROF_NONE && goes_on(printer)) {
        const struct memprof_allocation *allocation = &printer->memprof->allocations.items[at];
        an_yaml_put_group(layout, 8, true, "Callstack");
        put_frames(printer, allocation->stack);
        an_yaml_put_group(layout, 8, false, "MemInfoBlock");
        for (unsigned field = 1; field < MEMPROF_FIELDS; field++)
            if (printer->memprof->schema >> field & 1) {
                an_yaml_put_key(layout, 10, false, an_memprof_field_name(field));
                an_yaml_put_number(layout, allocation->values[field]);
            }
        at = allocation->next;
    }
}

static void put_sites(struct printer *printer, uint32_t at)
{
    struct yaml_layout *layout = &printer->layout;
    if (at != MEMPROF_NONE)
        an_yaml_put_group(layout, 4, false, "CallSites");
    while (at != MEMPROF_NONE && goes_on(printer)) {
        const struct memprof_site *site = &printer->memprof->sites.items[at];
        an_yaml_put_group(layout, 8, true, "Frames");
        put_frames(printer, site->stack);
        if (site->callee_number) {
            an_yaml_put_key(layout, 8, false, "CalleeGuids");
            an_yaml_begin_list(layout);
            for (uint64_t i = 0; i < site->callee_number; i++) {
                an_yaml_next_item(layout);
                put_hash(layout, site->callees[i]);
            }
            an_yaml_end_list(layout);
        }
        at = site->next;
    }
}

static void put_record(struct printer *printer, const struct memprof_record *record)
{
    an_yaml_put_key(&printer->layout, 4, true, "GUID");
    put_hash(&printer->layout, record->function);
    put_allocations(printer, record->allocations.first);
    put_sites(printer, record->sites.first);
}

/* In the order of the file, whose table they were inserted into. */
static bool put_records(struct printer *printer)
{
    const struct memprof *memprof = printer->memprof;
    size_t count = memprof->records.count;
    struct chained table = {0};
    uint64_t *functions = an_alloc(count, sizeof *functions);
    for (size_t i = 0; functions && i < count; i++)
        functions[i] = memprof->records.items[i].function;
    bool done = functions && an_chained_build(&table, functions, count);
    if (done && count)
        an_yaml_put_group(&printer->layout, 0, false, "HeapProfileRecords");
    for (size_t b = 0; done && b < table.buckets; b++)
        for (uint32_t i = table.heads[b]; i != CHAINED_END && goes_on(printer); i = table.next[i])
            put_record(printer, &memprof->records.items[i]);
    an_chained_free(&table);
    free(functions);
    return done;
}

/* ---- the whole ---- */

static enum an_code print(const struct memprof *memprof, struct an_buffer *text,
                          struct an_error *error)
{
    struct printer printer = {memprof, {.buffer = text, .widest = 80}};
    struct memprof_accesses accesses;
    bool has_accesses =
        memprof->accesses.size && an_memprof_accesses_open(&accesses, memprof->accesses);
    enum an_code code = AN_OK;
    an_memprof_put_summary(memprof, has_accesses ? &accesses : NULL, text);
    an_yaml_put(&printer.layout, "---");
    if (!put_records(&printer))
        code = an_fail_memory(error);
    else if (text->size > MOST_TEXT)
        code = an_fail(error, AN_UNSUPPORTED, "a memory profile of more than 4 GiB as text");
    if (code == AN_OK && has_accesses)
        code = an_memprof_accesses_put(&accesses, &printer.layout, error);
    an_yaml_put(&printer.layout, "\n...\n");
    return code;
}

enum an_code an_memprof_indexed_yaml(struct an_bytes file, struct an_buffer *text,
                                     struct an_error *error)
{
    struct indexed_image image;
    struct memprof memprof = {0};
    enum an_code code = an_indexed_open(&image, file, error);
    if (code == AN_OK && !image.has_memprof)
        code = an_fail(error, AN_MISMATCH, "an indexed profile without a memory profile");
    if (code == AN_OK)
        code = an_memprof_read(&memprof, file, image.memprof_at,
                               image.memprof_at + image.memprof_bytes, error);
    if (code == AN_OK)
        code = print(&memprof, text, error);
    an_memprof_free(&memprof);
    return code;
}
