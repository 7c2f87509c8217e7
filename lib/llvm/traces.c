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

static bool add_one(struct an_llvm_profile *profile, const struct an_llvm_trace *trace)
{
    if (profile->trace_stream_size < profile->trace_reservoir) {
        struct an_llvm_trace *place = an_vector_push(&profile->traces);
        if (!place)
            return false;
        *place = *trace;
    } else {
        uint64_t index = an_random_upto(&profile->random, profile->trace_stream_size);
        if (index < profile->traces.count)
            profile->traces.items[index] = *trace;
        profile->order_matters = true;
    }
    profile->trace_stream_size++;
    return true;
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
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        if (traces[i].function_count)
            done = copy_trace(profile, &source[used++], &traces[i], weight);
    bool sampled = profile->trace_stream_size > profile->trace_reservoir;
    bool source_sampled = stream_size > profile->trace_reservoir;
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
