/*
 * Walking the text of perf script; see script.h.
 *
 * A piece of the file belongs to the thread that takes its ticket, from the first line that begins
 * in it to the last: where lines begin can be seen without what comes before.
 */
#include "perf/script.h"

#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "perf/script_line.h"
#include "perf/turns.h"

enum { PIECE = 1 << 20, MOST_LINE = 16 << 20, LOOK_AT_LINES = 100 };

/* The first line that is not blank; without its last word, if it is longer than what is there. */
static struct script_line first_line(struct an_bytes start)
{
    struct script_line line = {(const char *)start.data, 0, 0};
    size_t next = 0;
    while (next < start.size && an_script_line_is_blank(line)) {
        line.text = (const char *)start.data + next;
        line.offset = next;
        const char *end = memchr(line.text, '\n', start.size - next);
        line.length = end ? (size_t)(end - line.text) : start.size - next;
        next += line.length + 1;
        while (!end && line.length && line.text[line.length - 1] != ' ')
            line.length--;
    }
    return line;
}

bool an_perf_script_recognise(struct an_bytes start)
{
    struct an_buffer scratch = {0};
    struct an_branch_sample sample;
    struct an_task_event event;
    struct an_error error;
    bool is_task;
    if (start.size == 0 || memchr(start.data, 0, start.size))
        return false;
    struct script_line line = first_line(start);
    if (an_script_line_is_blank(line))
        return false;
    if (an_script_line_is_telling(line))
        return true;
    bool is_record = an_script_line_is_record(line);
    enum an_code code = is_record ? an_script_line_task(line, &scratch, &event, &is_task, &error)
                                  : an_script_line_sample(line, &scratch, &sample, &error);
    an_buffer_free(&scratch);
    return code == AN_NO_MEMORY /* which will be told when it is read */ ||
           (code == AN_OK && (is_record || sample.has_branches));
}

struct walk;

/* What one thread has. */
struct worker {
    struct walk *walk;
    struct an_source_window window;
    struct an_buffer scratch; /* branches or a name */
    uint64_t lines, samples, homeless;
    unsigned thread;
};

typedef enum an_code use_line(struct worker *worker, struct script_line line,
                              struct an_error *error);

struct walk {
    const struct an_perf_script *script;
    struct an_samples_counts *counts;
    struct an_turns turns;
    use_line *use;
    an_task_callback *on_task;
    an_sample_callback *on_sample;
    void *context;
};

/* Makes the window reach to the end of the line at `at`, which is put into *end; SIZE_MAX when the
 * file ends before. */
static enum an_code find_end(struct an_source_window *window, size_t at, size_t *end,
                             struct an_error *error)
{
    size_t searched = at;
    for (;;) {
        struct an_bytes bytes = window->bytes;
        const uint8_t *found = searched < bytes.size
                                   ? memchr(bytes.data + searched, '\n', bytes.size - searched)
                                   : NULL;
        *end = found ? (size_t)(found - bytes.data) : SIZE_MAX;
        if (found)
            return AN_OK;
        if (bytes.size - at > MOST_LINE)
            return an_fail_at(error, AN_MALFORMED, window->offset + at,
                              "a line of more than %d bytes", MOST_LINE);
        searched = bytes.size;
        enum an_code code = an_source_window_extend(window, bytes.size + PIECE / 4, error);
        if (code != AN_OK || window->bytes.size == searched)
            return code;
    }
}

/* The last line has no end. */
static enum an_code cut_line(struct worker *worker, uint64_t at, struct an_error *error)
{
    struct walk *walk = worker->walk;
    if (walk->script->allow_truncated) { /* only one thread can have the last line */
        walk->counts->cut = true;
        walk->counts->cut_at = at;
        return AN_OK;
    }
    an_fail_at(error, AN_TRUNCATED, at, "the last line has no newline");
    return an_error_hint(error, "the text is truncated; what comes before can be read if "
                                "truncated recordings are allowed");
}

/* The lines that begin in [from, from + size). */
static enum an_code read_piece(struct worker *worker, uint64_t from, size_t size,
                               struct an_error *error)
{
    struct an_source_window *window = &worker->window;
    size_t before = from > 0, at = 0, end; /* the byte before tells whether a line begins here */
    enum an_code code = an_source_window_load(window, from - before, size + before, error);
    if (code == AN_OK && before) {
        code = find_end(window, 0, &end, error);
        if (end == SIZE_MAX)
            return code;
        at = end + 1;
    }
    while (code == AN_OK && at < size + before && at < window->bytes.size) {
        code = find_end(window, at, &end, error);
        if (code != AN_OK)
            return code;
        if (end == SIZE_MAX)
            return cut_line(worker, window->offset + at, error);
        struct script_line line = {(const char *)window->bytes.data + at, end - at,
                                   window->offset + at};
        if (line.length && line.text[line.length - 1] == '\r')
            line.length--;
        worker->lines++;
        if (!an_script_line_is_blank(line))
            code = worker->walk->use(worker, line, error);
        at = end + 1;
    }
    return code;
}

static bool know_thread(struct an_map *threads, uint32_t tid, uint32_t pid)
{
    bool is_new;
    if (tid == UINT32_MAX || pid == UINT32_MAX)
        return true;
    uint64_t *known = an_map_insert(threads, tid, &is_new);
    if (known)
        *known = pid;
    return known;
}

/* A process has a thread of its own number. */
static bool know_threads(struct an_map *threads, const struct an_task_event *event)
{
    bool has_parent = event->kind == AN_TASK_FORK || event->kind == AN_TASK_EXIT;
    return know_thread(threads, event->pid, event->pid) &&
           know_thread(threads, event->tid, event->pid) &&
           (!has_parent || (know_thread(threads, event->parent_pid, event->parent_pid) &&
                            know_thread(threads, event->parent_tid, event->parent_pid)));
}

/* The number of a thread tells its process. */
static void find_home(struct worker *worker, struct an_branch_sample *sample)
{
    const uint64_t *pid = an_map_find(worker->walk->script->threads, sample->tid);
    bool is_kernel = sample->tid == 0 || sample->tid == UINT32_MAX;
    sample->is_lone = !pid && !is_kernel;
    worker->homeless += sample->is_lone;
    if (pid)
        sample->pid = (uint32_t)*pid;
}

static enum an_code use_task(struct worker *worker, struct script_line line, struct an_error *error)
{
    struct an_task_event event;
    bool is_task;
    if (!an_script_line_is_record(line)) {
        worker->samples++;
        return AN_OK;
    }
    enum an_code code = an_script_line_task(line, &worker->scratch, &event, &is_task, error);
    if (code == AN_OK && is_task && !know_threads(worker->walk->script->threads, &event))
        code = an_fail_memory(error);
    if (code == AN_OK && is_task)
        code = worker->walk->on_task(worker->walk->context, &event, error);
    return code;
}

static enum an_code use_sample(struct worker *worker, struct script_line line,
                               struct an_error *error)
{
    struct an_branch_sample sample;
    if (an_script_line_is_record(line))
        return AN_OK;
    worker->samples++;
    enum an_code code = an_script_line_sample(line, &worker->scratch, &sample, error);
    if (code == AN_OK && sample.is_lone)
        find_home(worker, &sample);
    if (code == AN_OK)
        code = worker->walk->on_sample(worker->walk->context, worker->thread, &sample, error);
    return code;
}

static void work(struct worker *worker)
{
    struct walk *walk = worker->walk;
    uint64_t file = walk->script->source->size, ticket;
    while (an_turns_take(&walk->turns, &ticket)) {
        struct an_error error;
        uint64_t from = ticket * PIECE;
        size_t size = file - from < PIECE ? (size_t)(file - from) : PIECE;
        if (read_piece(worker, from, size, &error) != AN_OK)
            an_turns_fail(&walk->turns, ticket, &error);
    }
}

static void one_thread(void *context, size_t thread)
{
    struct worker *workers = context;
    work(&workers[thread]);
}

static enum an_code walk_text(struct walk *walk, unsigned threads, struct an_error *error)
{
    uint64_t size = walk->script->source->size;
    struct worker *workers = an_alloc_zero(threads, sizeof *workers);
    if (!workers)
        return an_fail_memory(error);
    an_turns_begin(&walk->turns, error);
    walk->turns.end = size / PIECE + (size % PIECE != 0);
    walk->counts->cut = false;
    for (unsigned i = 0; i < threads; i++)
        workers[i] =
            (struct worker){.walk = walk, .window.source = walk->script->source, .thread = i};
    an_pool_run(threads, threads, one_thread, workers);
    walk->counts->records = walk->counts->samples = walk->counts->homeless = 0;
    for (unsigned i = 0; i < threads; i++) {
        walk->counts->records += workers[i].lines;
        walk->counts->samples += workers[i].samples;
        walk->counts->homeless += workers[i].homeless;
        an_source_window_free(&workers[i].window);
        an_buffer_free(&workers[i].scratch);
    }
    free(workers);
    return an_turns_end(&walk->turns);
}

enum an_code an_perf_script_tasks(const struct an_perf_script *script,
                                  struct an_samples_counts *counts, an_task_callback *callback,
                                  void *context, struct an_error *error)
{
    struct walk walk = {.script = script,
                        .counts = counts,
                        .use = use_task,
                        .on_task = callback,
                        .context = context};
    return walk_text(&walk, 1, error);
}

enum an_code an_perf_script_each(const struct an_perf_script *script,
                                 struct an_samples_counts *counts, unsigned threads,
                                 an_sample_callback *callback, void *context,
                                 struct an_error *error)
{
    struct walk walk = {.script = script,
                        .counts = counts,
                        .use = use_sample,
                        .on_sample = callback,
                        .context = context};
    return walk_text(&walk, threads, error);
}
