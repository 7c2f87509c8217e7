/* One interface to recordings of every kind; see samples.h. */
#include "perf/samples.h"

#include <anneal/branch.h>
#include <string.h>

#include "base/kind.h"
#include "base/pool.h"
#include "perf/data.h"
#include "perf/format.h"
#include "perf/preaggregated.h"
#include "perf/script.h"
#include "perf/source.h"

enum { START_SIZE = 4096, MOST_THREADS = 64 };

struct an_samples {
    struct an_source source;
    struct an_samples_info info;
    struct an_samples_counts counts;
    struct perf_recording perf;   /* not of text */
    struct an_perf_script script; /* of text */
    struct an_map threads;        /* of text */
    char *path;                   /* for messages */
};

unsigned an_samples_threads(unsigned threads)
{
    if (threads == 0)
        threads = an_pool_processors();
    return threads < MOST_THREADS ? threads : MOST_THREADS;
}

void an_samples_close(struct an_samples *samples)
{
    if (!samples)
        return;
    an_perf_recording_free(&samples->perf);
    an_map_free(&samples->threads);
    an_source_close(&samples->source);
    free(samples->path);
    free(samples);
}

bool an_recording_recognise(const void *bytes, size_t size)
{
    const struct an_bytes start = {bytes, size};
    return an_perf_recognise(start) || an_perf_script_recognise(start);
}

static void describe_perf(struct an_samples *samples)
{
    const struct perf_recording *perf = &samples->perf;
    struct an_samples_info *info = &samples->info;
    *info = (struct an_samples_info){
        .kind = perf->pipe ? AN_SAMPLES_PERF_PIPE : AN_SAMPLES_PERF_FILE,
        .big_endian = perf->big,
        .compressed = perf->compressed,
        .unfinished = perf->unfinished,
        .events = perf->events.items,
        .event_count = perf->events.count,
        .build_ids = perf->build_ids.items,
        .build_id_count = perf->build_ids.count,
    };
    for (size_t i = 0; i < info->event_count; i++)
        info->has_branches |= (info->events[i].sample_type & PERF_HAS_BRANCH_STACK) != 0;
}

static void describe_script(struct an_samples *samples)
{
    static const struct an_samples_event event = {.name = "perf script"};
    samples->info = (struct an_samples_info){
        .kind = AN_SAMPLES_PERF_SCRIPT, .has_branches = true, .events = &event, .event_count = 1};
}

static enum an_code not_samples(struct an_bytes start, struct an_error *error)
{
    const char *kind = an_kind_describe(start);
    if (start.size == 0)
        return an_fail(error, AN_EMPTY, "empty file");
    if (an_preaggregated_recognise(start))
        kind = "a pre-aggregated branch profile, which has no samples";
    if (kind)
        return an_fail_at(error, AN_UNKNOWN, 0, "not a perf recording but %s", kind);
    return an_fail_at(error, AN_UNKNOWN, 0, "not a perf recording (perf.data or perf script)");
}

static enum an_code open_by_content(struct an_samples *samples, bool allow_truncated,
                                    struct an_error *error)
{
    struct an_source_window window = {.source = &samples->source};
    enum an_code code = an_source_window_load(&window, 0, START_SIZE, error);
    struct an_bytes start = window.bytes;
    if (code == AN_OK && an_perf_recognise(start)) {
        samples->perf =
            (struct perf_recording){.source = &samples->source, .allow_truncated = allow_truncated};
        code = an_perf_open(&samples->perf, start, error);
        describe_perf(samples);
    } else if (code == AN_OK && an_perf_script_recognise(start)) {
        samples->script =
            (struct an_perf_script){&samples->source, allow_truncated, &samples->threads};
        describe_script(samples);
    } else if (code == AN_OK) {
        code = not_samples(start, error);
    }
    an_source_window_free(&window);
    return code;
}

enum an_code an_samples_open(const char *path, const struct an_samples_options *options,
                             struct an_samples **samples, struct an_error *error)
{
    *samples = NULL;
    struct an_samples *opened = an_alloc_zero(1, sizeof *opened);
    if (!opened)
        return an_fail_memory(error);
    opened->path = an_alloc(strlen(path) + 1, 1);
    enum an_code code =
        opened->path ? an_source_open(&opened->source, path, error) : an_fail_memory(error);
    if (code == AN_OK) {
        strcpy(opened->path, path);
        code = open_by_content(opened, options && options->allow_truncated, error);
        if (code != AN_OK)
            an_error_in(error, path);
    }
    if (code != AN_OK) {
        an_samples_close(opened);
        return code;
    }
    *samples = opened;
    return AN_OK;
}

const struct an_samples_info *an_samples_info(const struct an_samples *samples)
{
    return &samples->info;
}

const struct an_samples_counts *an_samples_counts(const struct an_samples *samples)
{
    return &samples->counts;
}

enum an_code an_samples_tasks(struct an_samples *samples, an_task_callback *callback, void *context,
                              struct an_error *error)
{
    enum an_code code =
        samples->info.kind == AN_SAMPLES_PERF_SCRIPT
            ? an_perf_script_tasks(&samples->script, &samples->counts, callback, context, error)
            : an_perf_tasks(&samples->perf, &samples->counts, callback, context, error);
    return code == AN_OK ? AN_OK : an_error_in(error, samples->path);
}

enum an_code an_samples_each(struct an_samples *samples, unsigned threads,
                             an_sample_callback *callback, void *context, struct an_error *error)
{
    threads = an_samples_threads(threads);
    enum an_code code =
        samples->info.kind == AN_SAMPLES_PERF_SCRIPT
            ? an_perf_script_each(&samples->script, &samples->counts, threads, callback, context,
                                  error)
            : an_perf_each(&samples->perf, &samples->counts, threads, callback, context, error);
    return code == AN_OK ? AN_OK : an_error_in(error, samples->path);
}
