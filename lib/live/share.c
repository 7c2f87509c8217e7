/* Counting samples by address; see share.h. */
#include "live/share.h"

#include <math.h>
#include <stdlib.h>

#include "base/interval.h"
#include "perf/samples.h"

struct moment {
    uint64_t time;
    size_t number;
    bool is_inside;
};

struct counter {
    uint32_t pid;
    const struct an_share_ranges *ranges;
    AN_VECTOR(struct moment);
};

static int by_start(const void *one, const void *other)
{
    const struct an_share_range *a = one, *b = other;
    return a->start < b->start ? -1 : a->start > b->start;
}

static int by_time(const void *one, const void *other)
{
    const struct moment *a = one, *b = other;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static bool is_inside(const struct an_share_ranges *ranges, uint64_t address)
{
    size_t low = 0, high = ranges->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges->items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < ranges->items[low - 1].end;
}

static enum an_code take_sample(void *context, unsigned thread,
                                const struct an_branch_sample *sample, struct an_error *error)
{
    struct counter *counter = context;
    (void)thread;
    if (!sample->has_ip || sample->misc_cpumode != AN_CPUMODE_USER ||
        (sample->has_tid && sample->pid != counter->pid))
        return AN_OK;
    struct moment *moment = an_vector_push(counter);
    if (!moment)
        return an_fail_memory(error);
    *moment = (struct moment){.time = sample->time,
                              .number = counter->count,
                              .is_inside = is_inside(counter->ranges, sample->ip)};
    return AN_OK;
}

/* Several processors have their samples one after the other in the file. */
static enum an_code estimate(struct counter *counter, struct an_live_share *share,
                             struct an_error *error)
{
    bool *inside = an_alloc(counter->count + 1, sizeof *inside);
    if (counter->count)
        qsort(counter->items, counter->count, sizeof *counter->items, by_time);
    for (size_t i = 0; inside && i < counter->count; i++)
        inside[i] = counter->items[i].is_inside;
    bool is_done = inside && an_share_estimate(inside, counter->count, share);
    free(inside);
    return is_done ? AN_OK : an_fail_memory(error);
}

enum an_code an_share_count(const char *recording, uint32_t pid, struct an_share_ranges *ranges,
                            struct an_live_share *share, struct an_error *error)
{
    struct counter counter = {.pid = pid, .ranges = ranges};
    struct an_samples *samples;
    *share = (struct an_live_share){.is_known = false};
    if (ranges->count)
        qsort(ranges->items, ranges->count, sizeof *ranges->items, by_start);
    enum an_code code = an_samples_open(recording, NULL, &samples, error);
    if (code == AN_OK)
        code = an_samples_each(samples, 1, take_sample, &counter, error);
    an_samples_close(samples);
    if (code == AN_OK)
        code = estimate(&counter, share, error);
    an_vector_free(&counter);
    return code;
}

/* ---- the interval ---- */

/* Pieces of as many samples each, which is about as much time of the process; each has some on either side. */
static size_t pieces_of(uint64_t fewer)
{
    enum { LEAST = 8, MOST = 40, EACH = 5 };
    uint64_t count = fewer / EACH;
    return count < LEAST ? 0 : count < MOST ? (size_t)count : MOST;
}

bool an_share_estimate(const bool *inside, size_t count, struct an_live_share *share)
{
    *share = (struct an_live_share){.all = count};
    for (size_t i = 0; i < count; i++)
        share->inside += inside[i];
    double in = (double)share->inside, out = (double)(count - share->inside);
    size_t pieces =
        pieces_of(share->inside < count - share->inside ? share->inside : count - share->inside);
    if (pieces == 0)
        return true;
    double *influences = an_alloc_zero(pieces, sizeof *influences);
    if (!influences)
        return false;
    for (size_t i = 0; i < count; i++)
        influences[i * pieces / count] += inside[i] ? 1 / in : -1 / out;
    share->is_known = true;
    share->odds = in / out;
    share->half_width = an_interval_half_width(influences, pieces, hypot(1 / in, 1 / out));
    free(influences);
    return true;
}
