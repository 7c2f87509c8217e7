/*
 * Recording with the kernel's events; see lbr.h.
 *
 * The event is started first and what is there already is written then, with time 0: so nothing is
 * missed between the two. The buffers are read in rounds: when the kernel says that one fills up,
 * or a tick is over.
 */
#include "record/lbr.h"

#include <time.h>

#include "record/perf_events.h"
#include "record/perf_intake.h"
#include "record/tasks.h"

enum { FREQUENCY = 4000, TICK = 50, LOOK = 100 /* both milliseconds */ };

struct perf_event_attr an_lbr_attr(unsigned frequency)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof(struct perf_event_attr),
        .config = PERF_COUNT_HW_CPU_CYCLES,
        .freq = 1,
        .sample_freq = frequency ? frequency : FREQUENCY,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
                       PERF_SAMPLE_BRANCH_STACK,
        .branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
        .sample_id_all = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .mmap = 1,
        .mmap2 = 1,
        .build_id = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
}

int an_lbr_probe(const struct perf_event_attr *attr, int32_t pid)
{
    struct perf_event_attr settled = *attr;
    return an_perf_attr_settle(&settled, pid);
}

struct recorder {
    const struct an_record_options *options;
    struct an_record_counts *counts;
    struct perf_event_attr attr;
    struct an_perf_writer *writer;
    struct an_perf_events *events;
    struct an_tasks *tasks;
    struct an_perf_intake intake;
    struct an_density density;
    uint64_t began, own_began, looked;
};

static uint64_t clock_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void on_record(void *context, const uint8_t *record, size_t size)
{
    an_perf_intake_take(context, record, size);
}

static enum an_code read_round(struct recorder *recorder, struct an_error *error)
{
    uint64_t bytes;
    enum an_code code =
        an_perf_events_read(recorder->events, on_record, &recorder->intake, &bytes, error);
    if (code == AN_OK && bytes)
        an_perf_writer_round(recorder->writer);
    return code;
}

static void take_stock(struct recorder *recorder, uint64_t run_time)
{
    struct an_record_counts *counts = recorder->counts;
    counts->threads = an_perf_events_threads(recorder->events);
    counts->processes = an_perf_events_processes(recorder->events);
    counts->run_seconds = (double)run_time * 1e-9;
    counts->seconds = (double)(clock_of(CLOCK_MONOTONIC) - recorder->began) * 1e-9;
    counts->own_seconds = (double)(clock_of(CLOCK_THREAD_CPUTIME_ID) - recorder->own_began) * 1e-9;
}

/* What is asked of the caller from time to time, and of the system. */
static enum an_code look(struct recorder *recorder, bool *left, struct an_error *error)
{
    const struct an_record_options *options = recorder->options;
    uint64_t now = clock_of(CLOCK_MONOTONIC);
    if (now - recorder->looked < (uint64_t)LOOK * 1000000)
        return AN_OK;
    recorder->looked = now;
    enum an_code code = an_perf_events_look(recorder->events, left, error);
    take_stock(recorder, an_tasks_run_time(recorder->tasks));
    if (code == AN_OK && options->progress)
        options->progress(options->context, recorder->counts);
    return code;
}

static bool is_enough(struct recorder *recorder)
{
    const struct an_record_options *options = recorder->options;
    double seconds = (double)(clock_of(CLOCK_MONOTONIC) - recorder->began) * 1e-9;
    return (options->stop && *options->stop) ||
           (options->duration > 0 && seconds >= options->duration) ||
           (options->branches && recorder->counts->branches >= options->branches) ||
           (options->until_dense && an_density_is_enough(&recorder->density)) ||
           an_perf_writer_failed(recorder->writer);
}

/* Not beyond the end of the recording. */
static int next_wait(const struct recorder *recorder)
{
    double passed = (double)(clock_of(CLOCK_MONOTONIC) - recorder->began) * 1e-9;
    double left = (recorder->options->duration - passed) * 1e3;
    if (recorder->options->duration <= 0 || left >= TICK)
        return TICK;
    return left > 0 ? (int)left + 1 : 0;
}

static enum an_code record(struct recorder *recorder, struct an_error *error)
{
    enum an_code code = AN_OK;
    bool left = true;
    while (code == AN_OK && left && !is_enough(recorder)) {
        an_perf_events_wait(recorder->events, next_wait(recorder));
        code = read_round(recorder, error);
        if (code == AN_OK)
            code = look(recorder, &left, error);
    }
    an_perf_events_stop(recorder->events);
    if (code == AN_OK)
        code = read_round(recorder, error);
    take_stock(recorder, an_perf_events_run_time(recorder->events));
    return code;
}

static enum an_code start(struct recorder *recorder, const char *name, struct an_error *error)
{
    const struct an_record_options *options = recorder->options;
    recorder->attr.inherit = 1;
    recorder->attr.inherit_thread = !options->children;
    int number = an_perf_attr_settle(&recorder->attr, options->pid);
    if (number != 0)
        return an_perf_events_fail(number, options->pid, error);
    enum an_code code =
        an_perf_writer_open(options->output, &recorder->attr, name, &recorder->writer, error);
    if (code != AN_OK)
        return code;
    recorder->intake = (struct an_perf_intake){recorder->writer, recorder->attr.sample_type,
                                               recorder->counts, &recorder->density};
    code = an_perf_events_open(&recorder->attr, options->pid, &recorder->events, error);
    recorder->began = recorder->looked = clock_of(CLOCK_MONOTONIC);
    if (code != AN_OK)
        return code;
    return an_tasks_open(options->pid, options->children, false, recorder->writer, &recorder->tasks,
                         error);
}

enum an_code an_lbr_record(const struct an_record_options *options,
                           const struct perf_event_attr *attr, const char *name,
                           struct an_record_counts *counts, struct an_error *error)
{
    *counts = (struct an_record_counts){.method = AN_RECORD_LBR};
    struct recorder recorder = {.options = options,
                                .counts = counts,
                                .attr = *attr,
                                .own_began = clock_of(CLOCK_THREAD_CPUTIME_ID)};
    enum an_code code = start(&recorder, name, error);
    if (code == AN_OK && options->started)
        options->started(options->context);
    if (code == AN_OK)
        code = record(&recorder, error);
    an_density_finish(&recorder.density, counts);
    an_density_free(&recorder.density);
    an_tasks_free(recorder.tasks);
    an_perf_events_free(recorder.events);
    if (code == AN_OK)
        return an_perf_writer_end(recorder.writer, counts->samples, error);
    an_perf_writer_drop(recorder.writer);
    return code;
}
