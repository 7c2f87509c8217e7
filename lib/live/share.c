/* Counting samples by address; see share.h. */
#include "live/share.h"

#include <stdlib.h>

#include "branch/samples.h"

struct counter {
    uint32_t pid;
    const struct an_share_ranges *ranges;
    uint64_t inside, all;
};

static int by_start(const void *one, const void *other)
{
    const struct an_share_range *a = one, *b = other;
    return a->start < b->start ? -1 : a->start > b->start;
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

static enum an_code count_sample(void *context, unsigned thread,
                                 const struct an_branch_sample *sample, struct an_error *error)
{
    struct counter *counter = context;
    (void)thread;
    (void)error;
    if (!sample->has_ip || sample->misc_cpumode != AN_CPUMODE_USER ||
        (sample->has_tid && sample->pid != counter->pid))
        return AN_OK;
    counter->all++;
    counter->inside += is_inside(counter->ranges, sample->ip);
    return AN_OK;
}

enum an_code an_share_count(const char *recording, uint32_t pid, struct an_share_ranges *ranges,
                            uint64_t *inside, uint64_t *all, struct an_error *error)
{
    struct counter counter = {.pid = pid, .ranges = ranges};
    struct an_samples *samples;
    if (ranges->count)
        qsort(ranges->items, ranges->count, sizeof *ranges->items, by_start);
    enum an_code code = an_samples_open(recording, NULL, &samples, error);
    if (code == AN_OK)
        code = an_samples_each(samples, 1, count_sample, &counter, error);
    an_samples_close(samples);
    *inside = counter.inside;
    *all = counter.all;
    return code;
}
