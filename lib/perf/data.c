/* The two walks over a perf.data; see samples.h for what they promise. */
#include "perf/data.h"

#include <string.h>

#include "perf/format.h"
#include "perf/sample.h"

enum { MAGIC_SIZE = 8, PIPE_HEADER = 16, LOST_WITH_ID = 16, LOST_ALONE = 8 };

static bool begins_with(struct an_bytes start, const char *magic)
{
    return start.size >= MAGIC_SIZE && memcmp(start.data, magic, MAGIC_SIZE) == 0;
}

/* The magic is a number: its bytes come in the order of the machine. */
static bool is_new(struct an_bytes start)
{
    return begins_with(start, "PERFILE2") || begins_with(start, "2ELIFREP");
}

static bool is_old(struct an_bytes start)
{
    return begins_with(start, "PERFFILE") || begins_with(start, "ELIFFREP");
}

bool an_perf_recognise(struct an_bytes start)
{
    return is_new(start) || is_old(start);
}

enum an_code an_perf_open(struct perf_recording *recording, struct an_bytes start,
                          struct an_error *error)
{
    if (is_old(start)) {
        an_fail_at(error, AN_UNSUPPORTED, 0,
                   "a perf.data of the first version (PERFFILE), expected PERFILE2");
        return an_error_hint(error, "record again with the perf of Linux 3.2 or later");
    }
    recording->big = begins_with(start, "2ELIFREP");
    struct an_cursor cursor = an_cursor_at(start, MAGIC_SIZE, recording->big);
    recording->pipe = an_cursor_u64(&cursor) == PIPE_HEADER;
    if (cursor.short_read)
        return an_fail_at(error, AN_TRUNCATED, start.size, "the file ends within its header");
    return recording->pipe ? an_perf_pipe_read(recording, error)
                           : an_perf_header_read(recording, error);
}

static struct perf_walk walk_of(const struct perf_recording *recording, unsigned threads,
                                void *context)
{
    return (struct perf_walk){
        .source = recording->source,
        .start = recording->start,
        .end = recording->end,
        .big = recording->big,
        .compressed = recording->compressed,
        .allow_truncated = recording->allow_truncated,
        .threads = threads,
        .context = context,
    };
}

static void note_cut(struct an_samples_counts *counts, const struct perf_recording *recording,
                     const struct perf_walk *walk)
{
    counts->cut = walk->cut || recording->short_data;
    counts->cut_at = walk->cut ? walk->cut_at : recording->short_data ? recording->end : 0;
}

/* ---- tasks ---- */

struct tasks {
    struct perf_recording *recording;
    struct an_samples_counts *counts;
    an_task_callback *callback;
    void *context;
};

static void count(struct an_samples_counts *counts, const struct perf_record *record, bool big)
{
    const uint8_t *payload = record->bytes + PERF_RECORD_HEAD;
    size_t size = record->size - PERF_RECORD_HEAD;
    counts->records++;
    counts->samples += record->type == PERF_SAMPLE;
    if (record->type == PERF_LOST && size >= LOST_WITH_ID)
        counts->lost += an_get64(payload + 8, big);
    else if (record->type == PERF_LOST_SAMPLES && size >= LOST_ALONE)
        counts->lost += an_get64(payload, big);
}

static enum an_code on_record(void *context, const struct perf_record *record,
                              struct an_error *error)
{
    struct tasks *tasks = context;
    struct an_task_event event;
    bool is_task;
    count(tasks->counts, record, tasks->recording->big);
    if (record->type == PERF_SAMPLE)
        return AN_OK;
    enum an_code code = an_perf_task_read(tasks->recording, record, &event, &is_task, error);
    if (code == AN_OK && is_task)
        code = tasks->callback(tasks->context, &event, error);
    return code;
}

/* One thread: the records are looked at in order, and finding them is all there is to do. */
enum an_code an_perf_tasks(struct perf_recording *recording, struct an_samples_counts *counts,
                           an_task_callback *callback, void *context, struct an_error *error)
{
    struct tasks tasks = {recording, counts, callback, context};
    struct perf_walk walk = walk_of(recording, 1, &tasks);
    counts->records = counts->samples = counts->lost = 0;
    walk.in_order = on_record;
    enum an_code code = an_perf_walk(&walk, error);
    note_cut(counts, recording, &walk);
    return code;
}

/* ---- samples ---- */

struct per_thread {
    struct perf_scratch *scratch;
    uint64_t samples;
    uint64_t unknown;
    uint8_t apart[64]; /* so that two threads do not write to one cache line */
};

struct each {
    struct perf_recording *recording;
    an_sample_callback *callback;
    void *context;
    struct per_thread *threads;
};

static enum an_code on_sample(void *context, unsigned thread, const struct perf_record *record,
                              struct an_error *error)
{
    struct each *each = context;
    struct per_thread *own = &each->threads[thread];
    struct an_branch_sample sample;
    bool known;
    enum an_code code =
        an_perf_sample_read(each->recording, record, own->scratch, &sample, &known, error);
    if (code != AN_OK)
        return code;
    own->samples++;
    own->unknown += !known;
    return known ? each->callback(each->context, thread, &sample, error) : AN_OK;
}

static struct per_thread *make_threads(unsigned number, bool with_scratch)
{
    struct per_thread *threads = an_alloc_zero(number, sizeof *threads);
    struct perf_scratch *scratch =
        threads && with_scratch ? an_alloc(number, sizeof *scratch) : NULL;
    if (with_scratch && !scratch) {
        free(threads);
        return NULL;
    }
    for (unsigned i = 0; scratch && i < number; i++)
        threads[i].scratch = &scratch[i];
    return threads;
}

enum an_code an_perf_each(struct perf_recording *recording, struct an_samples_counts *counts,
                          unsigned threads, an_sample_callback *callback, void *context,
                          struct an_error *error)
{
    struct each each = {recording, callback, context, NULL};
    each.threads = make_threads(threads, recording->big != AN_HOST_BIG);
    if (!each.threads)
        return an_fail_memory(error);
    struct perf_walk walk = walk_of(recording, threads, &each);
    walk.apart = on_sample;
    enum an_code code = an_perf_walk(&walk, error);
    counts->samples = counts->unknown = 0;
    for (unsigned i = 0; i < threads; i++) {
        counts->samples += each.threads[i].samples;
        counts->unknown += each.threads[i].unknown;
    }
    note_cut(counts, recording, &walk);
    free(each.threads[0].scratch);
    free(each.threads);
    return code;
}
