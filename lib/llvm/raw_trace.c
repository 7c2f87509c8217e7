/*
 * Functions by their time stamps. A run numbers the functions that it enters 1, 2, 3..., so a place in an
 * array is found by the number, and sorting is for files that are otherwise.
 */
#include "llvm/raw_trace.h"

#include <stdlib.h>

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

/*
 * Puts the number of each function, plus 1, to the place that its time says. False when a time is not below `room`, or two
 * functions have the same one. *entered: how many there are.
 */
static bool place_all(const struct trace_source *sources, size_t count, uint32_t *places,
                      size_t room, size_t *entered)
{
    uint32_t number = 0;
    *entered = 0;
    for (size_t s = 0; s < count; s++)
        for (uint64_t i = 0; i < sources[s].image->data_number; i++) {
            uint64_t time = time_of(&sources[s].stamps[i], sources[s].image);
            number++;
            if (!was_entered(time))
                continue;
            if (time >= room || places[time])
                return false;
            places[time] = number;
            ++*entered;
        }
    return true;
}

static uint64_t function_at(const struct trace_source *sources, uint32_t number)
{
    while (number >= sources->image->data_number) {
        number -= (uint32_t)sources->image->data_number;
        sources++;
    }
    return sources->stamps[number].function;
}

/* False, with no harm done, when the times are not those of one run. */
static bool by_place(const struct trace_source *sources, size_t count, size_t functions,
                     struct an_arena *arena, struct an_llvm_trace *trace)
{
    size_t room = 2 * functions + 2, entered = 0;
    uint32_t *places = functions < UINT32_MAX ? an_alloc_zero(room, sizeof *places) : NULL;
    bool done = places && place_all(sources, count, places, room, &entered);
    if (done)
        trace->functions = an_arena_alloc(arena, entered, sizeof *trace->functions);
    done = done && trace->functions;
    for (size_t time = 1; done && trace->function_count < entered; time++)
        if (places[time])
            trace->functions[trace->function_count++] = function_at(sources, places[time] - 1);
    free(places);
    return done;
}

static int by_time(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    return (left->function > right->function) - (left->function < right->function);
}

static bool by_sorting(const struct trace_source *sources, size_t count, size_t functions,
                       struct an_arena *arena, struct an_llvm_trace *trace)
{
    struct entry *entries = an_alloc(functions + 1, sizeof *entries);
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
    trace->functions = an_arena_alloc(arena, entered, sizeof *trace->functions);
    for (size_t i = 0; trace->functions && i < entered; i++)
        trace->functions[i] = entries[i].function;
    trace->function_count = entered;
    free(entries);
    return trace->functions;
}

bool an_raw_trace(const struct trace_source *sources, size_t count, struct an_arena *arena,
                  struct an_llvm_trace *trace)
{
    size_t functions = 0;
    trace->function_count = 0;
    for (size_t s = 0; s < count; s++)
        functions += (size_t)sources[s].image->data_number;
    return by_place(sources, count, functions, arena, trace) ||
           by_sorting(sources, count, functions, arena, trace);
}
