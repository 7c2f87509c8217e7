/*
 * Functions by their time stamps. A run numbers the functions that it enters 1, 2, 3..., so each finds its place by its
 * number, and sorting is for files that are otherwise.
 */
#include "llvm/raw_trace.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    uint64_t time;
    uint64_t function;
};

struct trace_stamp *an_raw_stamps(const struct raw_image *image)
{
    struct trace_stamp *stamps = an_alloc((size_t)image->data_number, sizeof *stamps);
    for (uint64_t i = 0; stamps && i < image->data_number; i++) {
        struct raw_record record;
        an_raw_record(image, i, &record);
        stamps[i] = (struct trace_stamp){record.counter_offset, record.name_hash};
    }
    return stamps;
}

static uint64_t time_of(const struct trace_stamp *stamp, const struct raw_image *image)
{
    return an_get64(image->counters.data + stamp->offset, image->big);
}

/* Counters that hold a byte for each block are initialised with ones, and their stamps with them. */
static bool was_entered(uint64_t time)
{
    return time != 0 && time != UINT64_MAX;
}

uint64_t an_raw_stamps_sum(const struct trace_stamp *stamps, const struct raw_image *image)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < image->data_number; i++)
        sum += time_of(&stamps[i], image);
    return sum;
}

bool an_raw_has_trace(const struct trace_source *sources, size_t count)
{
    for (size_t s = 0; s < count; s++)
        for (uint64_t i = 0; i < sources[s].image->data_number; i++)
            if (was_entered(time_of(&sources[s].stamps[i], sources[s].image)))
                return true;
    return false;
}

static size_t count_entered(const struct trace_source *sources, size_t count)
{
    size_t entered = 0;
    for (size_t s = 0; s < count; s++)
        for (uint64_t i = 0; i < sources[s].image->data_number; i++)
            entered += was_entered(time_of(&sources[s].stamps[i], sources[s].image));
    return entered;
}

/* Puts each function to the place that its time says. False when the times are not those of one run: 1, 2, 3... */
static bool by_place(const struct trace_source *sources, size_t count, uint64_t *functions,
                     size_t room)
{
    memset(functions, 0, room * sizeof *functions);
    for (size_t s = 0; s < count; s++)
        for (uint64_t i = 0; i < sources[s].image->data_number; i++) {
            const struct trace_stamp *stamp = &sources[s].stamps[i];
            uint64_t time = time_of(stamp, sources[s].image);
            if (!was_entered(time))
                continue;
            if (time > room || functions[time - 1])
                return false;
            functions[time - 1] = stamp->function;
        }
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    return (left->function > right->function) - (left->function < right->function);
}

static bool by_sorting(const struct trace_source *sources, size_t count, uint64_t *functions,
                       size_t room)
{
    struct entry *entries = an_alloc(room, sizeof *entries);
    size_t entered = 0;
    if (!entries)
        return false;
    for (size_t s = 0; s < count; s++)
        for (uint64_t i = 0; i < sources[s].image->data_number; i++) {
            uint64_t time = time_of(&sources[s].stamps[i], sources[s].image);
            if (was_entered(time))
                entries[entered++] = (struct entry){time, sources[s].stamps[i].function};
        }
    qsort(entries, entered, sizeof *entries, by_time);
    for (size_t i = 0; i < entered; i++)
        functions[i] = entries[i].function;
    free(entries);
    return true;
}

bool an_raw_trace(const struct trace_source *sources, size_t count, struct an_arena *arena,
                  struct an_llvm_trace *trace)
{
    trace->function_count = count_entered(sources, count);
    uint64_t *functions = an_arena_alloc(arena, trace->function_count, sizeof *functions);
    trace->functions = functions;
    return functions && (by_place(sources, count, functions, trace->function_count) ||
                         by_sorting(sources, count, functions, trace->function_count));
}
