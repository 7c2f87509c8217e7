/*
 * Temporal traces: a reservoir sample of the runs' function orders (J. Vitter, "Random Sampling
 * with a Reservoir", 1985), merged as LLVM's InstrProfWriter::addTemporalProfileTraces does, so
 * that merging in pieces keeps a fair sample. LLVM 22 has another rule, which keeps the first ones.
 */
#include "llvm/profile.h"

#include <string.h>

#include "llvm/trace_draw.h"

/* Moves a trace's functions into the profile's arena, as many as it keeps. */
static bool adopt(struct an_llvm_profile *profile, struct an_llvm_trace *trace)
{
    if (trace->function_count > profile->trace_length)
        trace->function_count = (size_t)profile->trace_length;
    uint64_t *copy = an_arena_alloc(&profile->arena, trace->function_count, sizeof *copy);
    if (!copy)
        return false;
    memcpy(copy, trace->functions, trace->function_count * sizeof *copy);
    trace->functions = copy;
    return true;
}

/* Where the next trace of a stream goes, in a reservoir of `room` that has `stream` traces seen. */
static size_t draw(struct an_random *random, uint64_t stream, uint64_t room, size_t filled)
{
    if (stream < room)
        return filled;
    uint64_t index = an_random_upto(random, stream);
    return index < filled ? (size_t)index : AN_NO_PLACE;
}

/* Where a lone trace goes by LLVM 22's rule. */
static size_t first_place(size_t filled, uint64_t room)
{
    return filled < room ? filled : AN_NO_PLACE;
}

size_t an_profile_draw_trace(struct an_llvm_profile *profile)
{
    profile->traced++;
    if (profile->lossless.is_on) {
        struct lossless *lossless = &profile->lossless;
        profile->trace_stream_size = an_saturating_add(profile->trace_stream_size, 1);
        return an_lossless_draw_trace(profile, lossless->origin, lossless->traces++, 1);
    }
    if (profile->foreseen)
        return *profile->foreseen;
    if (profile->trace_rule == AN_LLVM_TRACES_AS_22) {
        profile->trace_stream_size = an_saturating_add(profile->trace_stream_size, 1);
        return first_place(profile->traces.count, profile->trace_reservoir);
    }
    size_t place = draw(&profile->random, profile->trace_stream_size, profile->trace_reservoir,
                        profile->traces.count);
    if (profile->trace_stream_size >= profile->trace_reservoir)
        profile->order_matters = true;
    profile->trace_stream_size++;
    return place;
}

bool an_profile_put_trace(struct an_llvm_profile *profile, size_t place,
                          const struct an_llvm_trace *trace)
{
    if (place == profile->traces.count && !an_vector_push(&profile->traces))
        return false;
    profile->traces.items[place] = *trace;
    return true;
}

bool an_profile_take_trace(struct an_llvm_profile *profile, size_t place,
                           const struct an_llvm_trace *trace)
{
    struct an_llvm_trace copy = *trace;
    return adopt(profile, &copy) && an_profile_put_trace(profile, place, &copy);
}

bool an_profile_foresee_traces(const struct an_llvm_profile *profile, size_t *places, size_t count)
{
    struct an_random random = profile->random;
    size_t room = profile->trace_reservoir < count ? (size_t)profile->trace_reservoir : count;
    size_t *occupant = an_alloc(room + 1, sizeof *occupant), filled = 0;
    if (!occupant)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t place = profile->trace_rule == AN_LLVM_TRACES_AS_22
                           ? first_place(filled, room)
                           : draw(&random, i, profile->trace_reservoir, filled);
        places[i] = place;
        if (place == AN_NO_PLACE)
            continue;
        if (place == filled)
            filled++;
        else
            places[occupant[place]] = AN_NO_PLACE;
        occupant[place] = i;
    }
    free(occupant);
    return true;
}

/* Traces on their way into a profile. Only those that stay are copied. */
struct newcomers {
    struct an_llvm_trace *traces;
    size_t count;
    uint64_t stream_size; /* how many they were sampled from */
    bool adopted;         /* their functions belong to the profile's arena already */
};

static bool admit(struct an_llvm_profile *profile, size_t place, const struct newcomers *from,
                  size_t i)
{
    return from->adopted ? an_profile_put_trace(profile, place, &from->traces[i])
                         : an_profile_take_trace(profile, place, &from->traces[i]);
}

static bool add_one(struct an_llvm_profile *profile, const struct newcomers *from, size_t i)
{
    size_t place = an_profile_draw_trace(profile);
    return place == AN_NO_PLACE || admit(profile, place, from, i);
}

static void shuffle(struct an_random *random, struct an_llvm_trace *traces, size_t count)
{
    for (size_t size = count; size > 1; traces++, size--) {
        size_t offset = an_random_next(random) % size;
        struct an_llvm_trace kept = traces[0];
        traces[0] = traces[offset];
        traces[offset] = kept;
    }
}

/* A file can claim any stream length; beyond this many draws a replacement is all but excluded. */
enum { MOST_DRAWS = 10000000 };

/*
 * Adds a source that was itself sampled from a longer stream: finds which traces the whole stream
 * would have replaced, and puts a random choice of the source's there.
 */
static bool add_sampled(struct an_llvm_profile *profile, const struct newcomers *from)
{
    struct an_map replaced = {0};
    struct {
        AN_VECTOR(uint64_t);
    } order = {0};
    bool done = true;
    uint64_t draws = from->stream_size < MOST_DRAWS ? from->stream_size : MOST_DRAWS;
    uint64_t whole_stream = an_saturating_add(profile->trace_stream_size, from->stream_size);
    for (uint64_t i = 0; done && i < draws; i++) {
        uint64_t index = an_random_upto(&profile->random, profile->trace_stream_size);
        profile->trace_stream_size++;
        if (index >= profile->traces.count)
            continue;
        bool is_new;
        uint64_t *slot = an_map_insert(&replaced, index, &is_new);
        done = slot != NULL;
        if (done && is_new) {
            uint64_t *place = an_vector_push(&order);
            done = place != NULL;
            if (done)
                *place = index;
        }
    }
    if (done) {
        shuffle(&profile->random, from->traces, from->count);
        for (size_t i = 0; done && i < order.count && i < from->count; i++)
            done = admit(profile, (size_t)order.items[i], from, i);
    }
    profile->trace_stream_size = whole_stream;
    profile->order_matters = true;
    an_map_free(&replaced);
    an_vector_free(&order);
    return done;
}

/* The sampled side takes the other one in: the newcomers become the profile's, and what it had the newcomers. */
static bool change_sides(struct an_llvm_profile *profile, struct newcomers *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!adopt(profile, &from->traces[i]))
            return false;
    struct newcomers had = {profile->traces.items, profile->traces.count,
                            profile->trace_stream_size, true};
    profile->traces.items = from->traces;
    profile->traces.count = profile->traces.capacity = from->count;
    profile->trace_stream_size = from->stream_size;
    profile->order_matters = true;
    *from = had;
    /* They were sampled for a larger reservoir, perhaps. */
    if (profile->trace_rule == AN_LLVM_TRACES_SAMPLED &&
        profile->traces.count > profile->trace_reservoir) {
        shuffle(&profile->random, profile->traces.items, profile->traces.count);
        profile->traces.count = (size_t)profile->trace_reservoir;
    }
    return true;
}

/*
 * LLVM 22 fills the reservoir. Of what is left of a source, a trace in random order replaces another one by a chance that falls
 * with each draw, of which there are as many as the source's stream is longer than the reservoir.
 */
static bool add_as_22(struct an_llvm_profile *profile, const struct newcomers *from)
{
    size_t i = 0;
    bool done = true;
    if (!from->count)
        return true;
    while (done && i < from->count && profile->traces.count < profile->trace_reservoir)
        done = admit(profile, profile->traces.count, from, i++);
    shuffle(&profile->random, from->traces + i, from->count - i);
    uint64_t first = profile->traces.count;
    for (uint64_t draws = 0; done && first && i < from->count && draws < MOST_DRAWS &&
                             first + draws < from->stream_size;
         draws++) {
        uint64_t place = an_random_upto(&profile->random, first + draws);
        if (place < first)
            done = admit(profile, (size_t)place, from, i++);
    }
    profile->trace_stream_size = an_saturating_add(profile->trace_stream_size, from->stream_size);
    profile->order_matters = true;
    return done;
}

/* Those that were sampled stand for all of their stream. Of others LLVM counts what is there. */
static bool add_lossless(struct an_llvm_profile *profile, const struct newcomers *from,
                         size_t count)
{
    struct lossless *lossless = &profile->lossless;
    bool done = true;
    bool is_sampled = from->stream_size > profile->trace_reservoir && from->stream_size > count;
    uint64_t stream = is_sampled ? from->stream_size : from->count;
    double rate = is_sampled && count ? (double)stream / (double)count : 1;
    for (size_t i = 0; done && i < from->count; i++) {
        size_t place = an_lossless_draw_trace(profile, lossless->origin, lossless->traces++, rate);
        done = place == AN_NO_PLACE || admit(profile, place, from, i);
    }
    profile->trace_stream_size = an_saturating_add(profile->trace_stream_size, stream);
    return done;
}

bool an_profile_add_traces(struct an_llvm_profile *profile, const struct an_llvm_trace *traces,
                           size_t count, uint64_t stream_size, uint64_t weight)
{
    struct newcomers from = {.traces = an_alloc(count, sizeof *traces), .stream_size = stream_size};
    if (!from.traces)
        return false;
    for (size_t i = 0; i < count; i++)
        if (traces[i].function_count && profile->trace_length) {
            from.traces[from.count] = traces[i];
            if (weight)
                from.traces[from.count].weight = weight;
            from.count++;
        }
    if (profile->foreseen && (count != 1 || stream_size != 1))
        profile->order_matters = true; /* nobody foresaw that */
    if (profile->lossless.is_on) {
        bool added = add_lossless(profile, &from, count);
        free(from.traces);
        return added;
    }
    if (profile->trace_rule == AN_LLVM_TRACES_AS_22 && !profile->foreseen) {
        bool added = add_as_22(profile, &from);
        free(from.traces);
        return added;
    }
    bool done = true;
    bool sampled = profile->trace_stream_size > profile->trace_reservoir;
    bool source_sampled = !profile->foreseen && stream_size > profile->trace_reservoir;
    if (source_sampled && !sampled) {
        done = change_sides(profile, &from);
        source_sampled = false;
    }
    if (done && source_sampled)
        done = add_sampled(profile, &from);
    else
        for (size_t i = 0; done && i < from.count; i++)
            done = add_one(profile, &from, i);
    free(from.traces);
    return done;
}
