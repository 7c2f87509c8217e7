/* Recording windows: the methods, and how threads come to stop; see windows.h. */
#include "record/windows.h"

#include <string.h>

#include "base/memory.h"
#include "record/affinity.h"
#include "record/alarm.h"
#include "record/alarms.h"
#include "record/outside.h"
#include "record/recorder.h"

static bool open_methods(struct an_recorder *recorder)
{
    const struct an_record_options *options = recorder->options;
    bool steps = options->method == AN_RECORD_STEP;
    if (!steps || options->verify)
        recorder->emulator = an_emulator_new();
    if (steps)
        recorder->stepper = an_stepper_new();
    return (!steps || recorder->stepper) && (recorder->emulator || (steps && !options->verify));
}

/* docs/internals/measured.md has the measurements behind them. */
static void set_window(struct an_recorder *recorder)
{
    enum { EMULATED = 192, STEPPED = 32 /* for some 10 ms */ };
    unsigned wanted = recorder->options->window;
    recorder->window = wanted ? wanted : recorder->stepper ? STEPPED : EMULATED;
    if (recorder->window > AN_WINDOW_MOST)
        recorder->window = AN_WINDOW_MOST;
    recorder->may_lengthen = wanted == 0 && !recorder->stepper;
}

static enum an_code check(const struct an_recorder *recorder, struct an_error *error)
{
    if (!recorder->forbidden || !recorder->refusal)
        return AN_OK;
    an_fail(error, AN_SYSTEM, "cannot trace process %d: %s", recorder->options->pid,
            strerror(recorder->refusal));
    return an_error_hint(error,
                         "another debugger may be attached, or it belongs to another user; "
                         "'anneal doctor -p %d' shows more",
                         recorder->options->pid);
}

static enum an_code open_tasks(struct an_recorder *recorder, struct an_error *error)
{
    const struct an_record_options *options = recorder->options;
    bool outside = options->outside || an_alarm_probe(options->pid) != 0;
    recorder->counts->outside = outside;
    return an_tasks_open(options->pid, options->children, outside, recorder->writer,
                         &recorder->tasks, error);
}

enum an_code an_windows_open(const struct an_record_options *options, struct an_perf_writer *writer,
                             struct an_record_counts *counts, struct an_recorder **out,
                             struct an_error *error)
{
    struct an_recorder *recorder = an_alloc_zero(1, sizeof *recorder);
    *out = recorder;
    if (!recorder)
        return an_fail_memory(error);
    recorder->options = options;
    recorder->writer = writer;
    recorder->counts = counts;
    recorder->random = options->seed;
    recorder->forbidden = true;
    if (!open_methods(recorder))
        return an_fail_memory(error);
    set_window(recorder);
    return open_tasks(recorder, error);
}

bool an_windows_run(struct an_recorder *recorder)
{
    enum { EMULATION_COST = 200000, STEP_COST = 600000 };
    const struct an_record_options *options = recorder->options;
    double cost = recorder->stepper ? (double)STEP_COST * recorder->window : EMULATION_COST;
    bool first = recorder->started == 0, go_on = false;
    an_recorder_start(recorder);
    if (first && options->started)
        options->started(options->context);
    an_affinity_first();
    if (recorder->counts->outside)
        an_outside_record(recorder, cost);
    else
        go_on = recorder->counts->outside = recorder->counts->intruded =
            an_alarms_record(recorder, cost);
    an_recorder_finish(recorder);
    return go_on;
}

enum an_code an_windows_close(struct an_recorder *recorder, enum an_code code,
                              struct an_error *error)
{
    if (!recorder)
        return code;
    if (code == AN_OK)
        code = check(recorder, error);
    an_tasks_free(recorder->tasks);
    an_emulator_free(recorder->emulator);
    an_stepper_free(recorder->stepper);
    an_density_free(&recorder->density);
    free(recorder);
    return code;
}

bool an_windows_can_emulate(void)
{
    struct an_emulator *emulator = an_emulator_new();
    bool can = emulator != NULL;
    an_emulator_free(emulator);
    return can;
}

struct perf_event_attr an_windows_attr(void)
{
    enum { NOMINAL_PERIOD = 1000000 };
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .size = PERF_ATTR_SIZE_VER7,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = NOMINAL_PERIOD,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
                       PERF_SAMPLE_BRANCH_STACK,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .sample_id_all = 1,
        .branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
    };
}
