/*
 * Raw memory profiles in the words of llvm-profdata show --memory: segments, and for each function what it allocates, and which
 * call sites of it lead to that. LLVM 21 and later put comments in front of it.
 */
#include "llvm/memprof_records.h"
#include "llvm/memprof_words.h"
#include "llvm/memprof_yaml.h"

struct printer {
    const struct memprof_raw *raw;
    const struct memprof *memprof;
    const struct memprof_binary *program;
    struct an_map name_of; /* function -> a frame of the program that has its name */
    struct an_buffer *text;
};

static unsigned long long number(uint64_t value)
{
    return value;
}

/* ---- functions ---- */

static bool learn_names(struct printer *printer)
{
    const struct memprof_binary *program = printer->program;
    for (size_t i = 0; i < program->frames.count; i++) {
        bool is_new = false;
        uint64_t function = an_get64(program->frames.items[i].frame, false);
        uint64_t *place = an_map_insert(&printer->name_of, function, &is_new);
        if (!place)
            return false;
        if (is_new)
            *place = i;
    }
    return true;
}

static void put_frame(struct printer *printer, uint32_t node)
{
    const struct memprof *memprof = printer->memprof;
    const uint8_t *frame =
        (const uint8_t *)memprof->frames.names[memprof->nodes.items[node].frame].text;
    uint64_t function = an_get64(frame, false);
    const uint64_t *place = an_map_find(&printer->name_of, function);
    an_buffer_print(printer->text,
                    "      -\n"
                    "        Function: %llu\n"
                    "        SymbolName: %s\n"
                    "        LineOffset: %u\n"
                    "        Column: %u\n"
                    "        Inline: %d\n",
                    number(function),
                    place ? printer->program->frames.items[*place].name : "<None>",
                    an_get32(frame + 8, false), an_get32(frame + 12, false), frame[16]);
}

/* Histograms are of raw memory profiles only. */
static void put_allocation(struct printer *printer, const struct memprof_allocation *allocation)
{
    const struct memprof *memprof = printer->memprof;
    const uint64_t *values = allocation->values;
    an_buffer_print(printer->text, "    -\n      Callstack:\n");
    for (uint32_t node = allocation->stack; node != MEMPROF_TOP;
         node = memprof->nodes.items[node].parent)
        put_frame(printer, node);
    an_buffer_print(printer->text, "      MemInfoBlock:\n");
    for (unsigned field = 1; field < MEMPROF_FIELDS; field++)
        an_buffer_print(printer->text, "        %s: %llu\n", an_memprof_field_name(field),
                        number(values[field]));
    if (!values[MEMPROF_HISTOGRAM])
        return;
    an_buffer_print(printer->text, "        AccessHistogramValues:");
    const uint64_t *histogram = printer->raw->measured.items[values[0]].histogram;
    for (uint64_t i = 0; i < values[MEMPROF_HISTOGRAM]; i++)
        an_buffer_print(printer->text, " %llu", number(histogram[i]));
    an_buffer_print(printer->text, "\n");
}

static void put_record(struct printer *printer, const struct memprof_record *record)
{
    const struct memprof *memprof = printer->memprof;
    an_buffer_print(printer->text, "  -\n    FunctionGUID: %llu\n", number(record->function));
    uint32_t at = record->allocations.first;
    if (at != MEMPROF_NONE)
        an_buffer_print(printer->text, "    AllocSites:\n");
    for (; at != MEMPROF_NONE; at = memprof->allocations.items[at].next)
        put_allocation(printer, &memprof->allocations.items[at]);
    at = record->sites.first;
    if (at != MEMPROF_NONE)
        an_buffer_print(printer->text, "    CallSites:\n");
    for (; at != MEMPROF_NONE; at = memprof->sites.items[at].next)
        for (uint32_t node = memprof->sites.items[at].stack; node != MEMPROF_TOP;
             node = memprof->nodes.items[node].parent) {
            an_buffer_print(printer->text, "    -\n");
            put_frame(printer, node);
        }
}

/* ---- the whole ---- */

static void put_summary(struct printer *printer, size_t traces)
{
    const struct memprof *memprof = printer->memprof;
    size_t allocating = 0;
    for (size_t i = 0; i < memprof->records.count; i++)
        allocating += memprof->records.items[i].allocations.number != 0;
    an_buffer_print(printer->text,
                    "MemprofProfile:\n"
                    "  Summary:\n"
                    "    Version: %u\n"
                    "    NumSegments: %zu\n"
                    "    NumMibInfo: %zu\n"
                    "    NumAllocFunctions: %zu\n"
                    "    NumStackOffsets: %zu\n",
                    printer->raw->version, printer->raw->segments.count, memprof->allocations.count,
                    allocating, traces);
}

static void put_segments(struct printer *printer)
{
    an_buffer_print(printer->text, "  Segments:\n");
    for (size_t i = 0; i < printer->raw->segments.count; i++) {
        const struct memprof_segment *segment = &printer->raw->segments.items[i];
        an_buffer_print(printer->text, "  -\n    BuildId: %s",
                        segment->build_id.size ? "" : "<None>");
        for (size_t b = 0; b < segment->build_id.size; b++)
            an_buffer_print(printer->text, "%02x", segment->build_id.data[b]);
        an_buffer_print(printer->text, "\n    Start: 0x%llX\n    End: 0x%llX\n    Offset: 0x%llX\n",
                        number(segment->start), number(segment->end), number(segment->offset));
    }
}

static bool print(struct printer *printer, size_t traces, bool has_contexts)
{
    bool done = learn_names(printer);
    if (has_contexts)
        an_memprof_put_summary(printer->memprof, NULL, printer->text);
    put_summary(printer, traces);
    put_segments(printer);
    an_buffer_print(printer->text, "  Records:\n");
    for (size_t i = 0; done && i < printer->memprof->records.count; i++)
        put_record(printer, &printer->memprof->records.items[i]);
    an_map_free(&printer->name_of);
    return done && !printer->text->failed;
}

enum an_code an_memprof_raw_yaml(struct an_bytes file,
                                 const struct an_llvm_correlation *correlation, bool as_19,
                                 struct an_buffer *text, struct an_error *error)
{
    struct memprof_raw raw = {0};
    struct memprof memprof = {0};
    struct printer printer = {.raw = &raw, .memprof = &memprof, .text = text};
    size_t traces;
    enum an_code code = an_memprof_raw_read(&raw, file, error);
    struct memprof_binary *program =
        code == AN_OK ? an_memprof_program(&raw, correlation, error) : NULL;
    if (program) {
        pthread_mutex_lock(&program->lock);
        code = an_memprof_from_raw(&memprof, &raw, program, as_19, &traces, error);
        printer.program = program;
        if (code == AN_OK && !print(&printer, traces, !as_19))
            code = an_fail_memory(error);
        pthread_mutex_unlock(&program->lock);
    } else if (code == AN_OK) {
        code = error->code;
    }
    an_memprof_free(&memprof);
    an_memprof_raw_free(&raw);
    return code;
}
