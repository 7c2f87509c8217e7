/* LLVM's profiles: runs out of their temporal traces, heat and calls out of their counts and values. */
#include <string.h>

#include <anneal/llvm.h>

#include "base/error.h"
#include "order/behaviour.h"

struct source {
    struct an_behaviour *behaviour;
    struct an_llvm_reader *reader;
    struct {
        AN_VECTOR(uint32_t);
    } numbers;              /* by the place of a name in the file: 1 + number, or 0: not yet met */
    struct an_map nameless; /* name hashes that the file has no name for */
    size_t nameless_count;
    bool no_memory;
};

/* Where the number of the name at this place is kept; NULL: no memory. */
static uint32_t *numbered(struct source *source, size_t place)
{
    if (!an_vector_reserve(&source->numbers, place + 1))
        return NULL;
    while (source->numbers.count <= place)
        source->numbers.items[source->numbers.count++] = 0;
    return &source->numbers.items[place];
}

static uint32_t without_name(struct source *source, uint64_t hash)
{
    bool is_new;
    if (an_map_insert(&source->nameless, hash, &is_new))
        source->nameless_count += is_new;
    else
        source->no_memory = true;
    return AN_NO_NUMBER;
}

/* The function of a name hash; AN_NO_NUMBER for one without a name, and when memory runs out. */
static uint32_t number_of(struct source *source, uint64_t hash)
{
    size_t place = an_llvm_reader_symbol_place(source->reader, hash), length;
    if (place == SIZE_MAX)
        return without_name(source, hash);
    uint32_t *number = numbered(source, place);
    if (number && !*number) {
        const char *name = an_llvm_reader_symbol(source->reader, hash, &length);
        *number = an_behaviour_number_of(source->behaviour, name, length) + 1;
    }
    if (number && *number)
        return *number - 1;
    source->no_memory = true;
    return AN_NO_NUMBER;
}

static void close_source(struct source *source)
{
    an_vector_free(&source->numbers);
    an_map_free(&source->nameless);
    an_llvm_reader_close(source->reader);
}

/* Room for all entries: there are millions. */
static bool reserve(struct an_behaviour *behaviour, const struct an_llvm_info *info)
{
    size_t count = behaviour->entries.count;
    for (size_t i = 0; i < info->trace_count; i++)
        count += info->traces[i].function_count;
    return an_vector_reserve(&behaviour->entries, count);
}

static void add_run(struct source *source, const struct an_llvm_trace *trace)
{
    an_behaviour_begin_run(source->behaviour);
    for (size_t i = 0; i < trace->function_count && !source->no_memory; i++) {
        uint32_t number = number_of(source, trace->functions[i]);
        if (number != AN_NO_NUMBER && !an_behaviour_enter(source->behaviour, number))
            source->no_memory = true;
    }
    if (!source->no_memory && !an_behaviour_end_run(source->behaviour, trace->weight))
        source->no_memory = true;
}

enum an_code an_behaviour_add_llvm(struct an_behaviour *behaviour, const void *bytes, size_t size,
                                   struct an_error *error)
{
    struct source source = {.behaviour = behaviour};
    enum an_code code = an_llvm_reader_open(&source.reader, bytes, size, error);
    if (code != AN_OK)
        return code;
    const struct an_llvm_info *info = an_llvm_reader_info(source.reader);
    if (!info->trace_count) {
        code = an_fail(error, AN_UNSUPPORTED, "an LLVM profile without temporal traces");
        an_error_hint(error, "compile for training with -fprofile-generate -mllvm "
                             "-pgo-temporal-instrumentation");
    }
    source.no_memory = code == AN_OK && !reserve(behaviour, info);
    for (size_t i = 0; code == AN_OK && !source.no_memory && i < info->trace_count; i++)
        add_run(&source, &info->traces[i]);
    if (source.no_memory)
        code = an_fail_memory(error);
    behaviour->nameless += source.nameless_count;
    close_source(&source);
    return code;
}

/* Counts that are none: marks that sample profiles leave (InstrProfRecord::CountPseudoKind). */
#define LARGEST_COUNT (UINT64_MAX - 2)

static uint64_t heat_of(const struct an_llvm_record *record)
{
    uint64_t heat = 0;
    for (uint32_t i = 0; i < record->count_number; i++)
        if (record->counts[i] <= LARGEST_COUNT)
            heat = heat + record->counts[i] < heat ? UINT64_MAX : heat + record->counts[i];
    return heat;
}

static void add_calls(struct source *source, uint32_t caller, const struct an_llvm_values *values)
{
    for (uint32_t s = 0; s < values->site_count[AN_LLVM_INDIRECT_CALL]; s++) {
        const struct an_llvm_site *site = &values->sites[AN_LLVM_INDIRECT_CALL][s];
        for (uint32_t i = 0; i < site->count && !source->no_memory; i++) {
            uint32_t callee =
                site->values[i].value ? number_of(source, site->values[i].value) : AN_NO_NUMBER;
            if (callee != AN_NO_NUMBER && callee != caller &&
                !an_behaviour_call(source->behaviour, caller, callee, site->values[i].count))
                source->no_memory = true;
        }
    }
}

static void add_counts(struct source *source, const struct an_llvm_record *record)
{
    uint64_t heat = heat_of(record);
    if (!heat)
        return;
    uint32_t number = an_behaviour_number_of(source->behaviour, record->name, record->name_length);
    if (number == AN_NO_NUMBER || !an_behaviour_warm(source->behaviour, number, heat))
        source->no_memory = true;
    else if (record->values)
        add_calls(source, number, record->values);
}

enum an_code an_behaviour_add_llvm_counts(struct an_behaviour *behaviour, const void *bytes,
                                          size_t size, struct an_error *error)
{
    struct source source = {.behaviour = behaviour};
    struct an_llvm_record record;
    enum an_code code = an_llvm_reader_open(&source.reader, bytes, size, error);
    if (code != AN_OK)
        return code;
    behaviour->calls_are_partial = true;
    while (!source.no_memory && an_llvm_reader_next(source.reader, &record))
        add_counts(&source, &record);
    if (source.no_memory || an_llvm_reader_failed(source.reader))
        code = an_fail_memory(error);
    close_source(&source);
    return code;
}
