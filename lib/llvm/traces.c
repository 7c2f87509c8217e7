/*
 * Temporal traces: a reservoir sample of the runs' function orders (J. Vitter, "Random Sampling
 * with a Reservoir", 1985), merged as LLVM's InstrProfWriter::addTemporalProfileTraces does, so
 * that merging in pieces keeps a fair sample.
 */
#include "llvm/profile.h"

#include <string.h>

static bool copy_trace(struct an_llvm_profile *profile, struct an_llvm_trace *to,
                       const struct an_llvm_trace *from, uint64_t weight)
{
    size_t count = from->function_count;
    if (count > profile->trace_length)
        count = profile->trace_length;
    to->functions = an_arena_alloc(&profile->arena, count, sizeof *to->functions);
    if (!to->functions)
        return false;
    memcpy(to->functions, from->functions, count * sizeof *to->functions);
    to->function_count = count;
    to->weight = weight ? weight : from->weight;
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

size_t an_profile_draw_trace(struct an_llvm_profile *profile)
{
    profile->traced++;
    if (profile->foreseen)
        return *profile->foreseen;
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
    struct an_llvm_trace copy;
    return copy_trace(profile, &copy, trace, 0) && an_profile_put_trace(profile, place, &copy);
}

bool an_profile_foresee_traces(const struct an_llvm_profile *profile, size_t *places, size_t count)
{
    struct an_random random = profile->random;
    size_t room = profile->trace_reservoir < count ? (size_t)profile->trace_reservoir : count;
    size_t *occupant = an_alloc(room + 1, sizeof *occupant), filled = 0;
    if (!occupant)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t place = draw(&random, i, profile->trace_reservoir, filled);
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

static bool add_one(struct an_llvm_profile *profile, const struct an_llvm_trace *trace)
{
    size_t place = an_profile_draw_trace(profile);
    return place == AN_NO_PLACE || an_profile_put_trace(profile, place, trace);
}

static void shuffle(struct an_llvm_profile *profile, struct an_llvm_trace *traces, size_t count)
{
    for (size_t size = count; size > 1; traces++, size--) {
        size_t offset = an_random_next(&profile->random) % size;
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
static bool add_sampled(struct an_llvm_profile *profile, struct an_llvm_trace *source, size_t count,
                        uint64_t stream_size)
{
    struct an_map replaced = {0};
    struct {
        AN_VECTOR(uint64_t);
    } order = {0};
    bool done = true;
    uint64_t draws = stream_size < MOST_DRAWS ? stream_size : MOST_DRAWS;
    uint64_t whole_stream = an_saturating_add(profile->trace_stream_size, stream_size);
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
        shuffle(profile, source, count);
        for (size_t i = 0; i < order.count && i < count; i++)
            profile->traces.items[order.items[i]] = source[i];
    }
    profile->trace_stream_size = whole_stream;
    profile->order_matters = true;
    an_map_free(&replaced);
    an_vector_free(&order);
    return done;
}

bool an_profile_add_traces(struct an_llvm_profile *profile, const struct an_llvm_trace *traces,
                           size_t count, uint64_t stream_size, uint64_t weight)
{
    struct an_llvm_trace *source = an_alloc(count, sizeof *source);
    size_t used = 0;
    if (!source)
        return false;
    if (profile->foreseen && (count != 1 || stream_size != 1))
        profile->order_matters = true; /* nobody foresaw that */
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        if (traces[i].function_count)
            done = copy_trace(profile, &source[used++], &traces[i], weight);
    bool sampled = profile->trace_stream_size > profile->trace_reservoir;
    bool source_sampled = !profile->foreseen && stream_size > profile->trace_reservoir;
    if (done && source_sampled && !sampled) { /* the sampled side takes the other one in */
        size_t other_count = profile->traces.count;
        uint64_t other_stream = profile->trace_stream_size;
        struct an_llvm_trace *other = profile->traces.items;
        profile->traces.items = source;
        profile->traces.count = used;
        profile->traces.capacity = count;
        profile->trace_stream_size = stream_size;
        source = other;
        used = other_count;
        stream_size = other_stream;
        source_sampled = false;
        profile->order_matters = true;
    }
    if (done && source_sampled)
        done = add_sampled(profile, source, used, stream_size);
    else
        for (size_t i = 0; done && i < used; i++)
            done = add_one(profile, &source[i]);
    free(source);
    return done;
}
