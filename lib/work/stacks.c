/* Sampling stacks; see stacks.h and perf_event_open(2). */
#include "work/stacks.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/map.h"
#include "record/perf_events.h"
#include "work/breakpoint.h"

enum {
    PERIOD = 4000000, /* nanoseconds of CPU time */
    COPIED = 24 << 10,
    ENOUGH = 250, /* samples */
    TICK = 30,    /* milliseconds, in which no buffer fills up */
    LONGEST = 10, /* seconds */
    FEWEST = 20,  /* samples, to say anything */
};

struct taker {
    struct an_work_program *program;
    struct an_stacks *stacks;
    struct an_map places; /* entry of a function -> 1 + index */
    struct an_map last;   /* entry of a function -> the last sample in which it was */
    struct an_map tids;   /* likewise */
    bool failed;          /* no memory */
};

static void count_thread(struct taker *taker, int32_t tid)
{
    bool is_new;
    uint64_t *place = an_map_insert(&taker->tids, (uint64_t)tid, &is_new);
    struct an_busy *busy = NULL;
    if (place && is_new && (busy = an_vector_push(&taker->stacks->threads))) {
        *busy = (struct an_busy){.tid = tid};
        *place = taker->stacks->threads.count;
    }
    if (place && *place)
        taker->stacks->threads.items[*place - 1].samples++;
    else
        taker->failed = true;
}

/* Once for each sample. */
static void count_function(struct taker *taker, uint64_t entry)
{
    bool is_new;
    struct an_under_way *function = NULL;
    uint64_t *last = an_map_insert(&taker->last, entry, &is_new);
    if (!last || *last == taker->stacks->samples) {
        taker->failed = taker->failed || !last;
        return;
    }
    *last = taker->stacks->samples;
    uint64_t *place = an_map_insert(&taker->places, entry, &is_new);
    if (place && is_new && (function = an_vector_push(&taker->stacks->functions))) {
        *function = (struct an_under_way){.entry = entry};
        *place = taker->stacks->functions.count;
    }
    if (place && *place)
        taker->stacks->functions.items[*place - 1].samples++;
    else
        taker->failed = true;
}

/* header | ip | pid, tid | size of the copy | copy | how much of it is stack */
static void take(void *context, const uint8_t *record, size_t size)
{
    struct taker *taker = context;
    struct perf_event_header header;
    struct {
        uint64_t ip;
        uint32_t pid, tid;
        uint64_t copied;
    } sample;
    uint64_t word;
    memcpy(&header, record, sizeof header);
    size_t at = sizeof header + sizeof sample;
    if (header.type != PERF_RECORD_SAMPLE || size < at)
        return;
    memcpy(&sample, record + sizeof header, sizeof sample);
    if (sample.copied > size - at)
        return;
    taker->stacks->samples++;
    count_thread(taker, (int32_t)sample.tid);
    uint64_t entry = an_work_program_function(taker->program, sample.ip);
    if (entry)
        count_function(taker, entry);
    uint64_t filled = sample.copied;
    if (size - at - sample.copied >= sizeof filled)
        memcpy(&filled, record + at + sample.copied, sizeof filled);
    if (filled > sample.copied)
        return;
    for (size_t i = 0; i + sizeof word <= filled; i += sizeof word) {
        memcpy(&word, record + at + i, sizeof word);
        if ((entry = an_work_program_caller(taker->program, word)))
            count_function(taker, entry);
    }
}

static int by_samples(const void *one, const void *other)
{
    const struct an_under_way *a = one, *b = other;
    return a->samples != b->samples ? (a->samples < b->samples) - (a->samples > b->samples)
                                    : (a->entry > b->entry) - (a->entry < b->entry);
}

static int busiest_first(const void *one, const void *other)
{
    const struct an_busy *a = one, *b = other;
    return a->samples != b->samples ? (a->samples < b->samples) - (a->samples > b->samples)
                                    : (a->tid > b->tid) - (a->tid < b->tid);
}

static struct perf_event_attr attr_of_samples(void)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(struct perf_event_attr),
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = PERIOD,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_STACK_USER,
        .sample_stack_user = COPIED,
        .inherit = 1,
        .inherit_thread = 1,
        .task = 1,
        .sample_id_all = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
}

static enum an_code sample(struct taker *taker, struct an_perf_events *events,
                           const volatile int *stop, void (*tick)(void *context), void *context,
                           struct an_error *error)
{
    double began = an_clock_seconds();
    bool left = true;
    enum an_code result = AN_OK;
    while (result == AN_OK && left && taker->stacks->samples < ENOUGH &&
           an_clock_seconds() - began < LONGEST && !(stop && *stop)) {
        uint64_t bytes;
        an_perf_events_wait(events, TICK);
        result = an_perf_events_read(events, take, taker, &bytes, error);
        if (result == AN_OK)
            result = an_perf_events_look(events, &left, error);
        if (tick)
            tick(context);
    }
    return result == AN_OK && taker->failed ? an_fail_memory(error) : result;
}

enum an_code an_stacks_sample(struct an_work_program *program, int32_t pid,
                              const volatile int *stop, void (*tick)(void *context), void *context,
                              struct an_stacks *stacks, struct an_error *error)
{
    struct perf_event_attr attr = attr_of_samples();
    struct an_perf_events *events;
    struct taker taker = {.program = program, .stacks = stacks};
    *stacks = (struct an_stacks){0};
    int number = an_perf_attr_settle(&attr, pid);
    if (number)
        return an_breakpoint_fail(number, pid, error);
    enum an_code result = an_perf_events_open(&attr, pid, &events, error);
    if (result == AN_OK)
        result = sample(&taker, events, stop, tick, context, error);
    an_perf_events_free(events);
    an_map_free(&taker.places);
    an_map_free(&taker.last);
    an_map_free(&taker.tids);
    if (stacks->functions.count)
        qsort(stacks->functions.items, stacks->functions.count, sizeof *stacks->functions.items,
              by_samples);
    if (stacks->threads.count)
        qsort(stacks->threads.items, stacks->threads.count, sizeof *stacks->threads.items,
              busiest_first);
    if (result != AN_OK || stacks->samples >= FEWEST || (stop && *stop))
        return result;
    an_fail(error, AN_UNSUPPORTED, "process %d hardly runs: %zu samples in %d seconds", pid,
            stacks->samples, LONGEST);
    return an_error_hint(error, "work is counted while there is some; or name functions "
                                "(--function)");
}

void an_stacks_free(struct an_stacks *stacks)
{
    an_vector_free(&stacks->functions);
    an_vector_free(&stacks->threads);
}
