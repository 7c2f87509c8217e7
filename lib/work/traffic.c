/* The bytes that a process reads and writes; see traffic.h and proc_pid_io(5). */
#include "work/traffic.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/proc.h"
#include "base/vector.h"

static const double second = 1e9;

struct an_traffic {
    int32_t pid;
    uint64_t start, stack; /* tell it from others of its number, and from another program */
    int io, stat;
    struct an_proc_io last; /* look */
    uint64_t children;      /* faults of those that were waited for */
    /* What is not counted: as it was at first, or when a child had been waited for. */
    struct an_work_reading since;
};

/* ---- one look ---- */

/* *waited: a child was waited for since the last look. */
static bool look_once(struct an_traffic *traffic, uint64_t *before, uint64_t *after, bool *waited)
{
    uint64_t children = traffic->children;
    bool is_there =
        an_proc_cpu_time(traffic->pid, before) && an_proc_io(traffic->io, &traffic->last) &&
        an_proc_cpu_time(traffic->pid, after) && an_proc_waited(traffic->stat, &traffic->children);
    *waited = traffic->children != children;
    return is_there && *after >= *before;
}

/* Bytes and CPU time of one moment: it is looked at anew when this process did not get the processor in between, and when the bytes
 * may be those before or after a child was waited for. */
static bool look(struct an_traffic *traffic, uint64_t *cpu, bool *has_waited)
{
    enum { TIMES = 5 };
    const uint64_t moment = 100000; /* nanoseconds */
    uint64_t before, after;
    bool waited;
    *has_waited = false;
    for (int i = 0; i < TIMES; i++) {
        if (!look_once(traffic, &before, &after, &waited))
            return false;
        *has_waited = *has_waited || waited;
        if (!waited && after - before < moment)
            break;
    }
    *cpu = before + (after - before) / 2;
    return true;
}

/* Since the process was started. False when it is over. */
static bool read_all(struct an_traffic *traffic, struct an_work_reading *reading, bool *has_waited)
{
    *reading = (struct an_work_reading){.wall = an_clock_now()};
    if (!an_proc_is_still(traffic->pid, traffic->start, traffic->stack) ||
        !look(traffic, &reading->cpu, has_waited))
        return false;
    reading->entries[0] = traffic->last.read;
    reading->entries[1] = traffic->last.written;
    return true;
}

bool an_traffic_read(struct an_traffic *traffic, struct an_work_reading *reading)
{
    struct an_work_reading *since = &traffic->since;
    bool has_waited;
    if (!read_all(traffic, reading, &has_waited)) {
        *reading = (struct an_work_reading){0};
        return false;
    }
    if (has_waited)
        *since = *reading;
    reading->cpu -= since->cpu;
    reading->wall -= since->wall;
    for (size_t i = 0; i < AN_TRAFFIC_COUNTS; i++)
        reading->entries[i] -= since->entries[i];
    return true;
}

const char *an_traffic_name(size_t count)
{
    static const char *const names[AN_TRAFFIC_COUNTS] = {"bytes read", "bytes written"};
    return count < AN_TRAFFIC_COUNTS ? names[count] : "?";
}

/* ---- threads ---- */

/* What a thread has done so far. */
struct thread {
    int32_t tid;
    uint64_t cpu, calls;
};

struct threads {
    const struct an_traffic *traffic;
    struct {
        AN_VECTOR(struct thread);
    } list;
    struct an_map places; /* in the list, by number */
    bool failed;
};

static void add_thread(void *context, int32_t tid)
{
    struct threads *threads = context;
    int32_t pid = threads->traffic->pid;
    int io = an_proc_open(pid, tid, "io"), schedule = an_proc_open(pid, tid, "schedstat");
    struct an_proc_io done = {0};
    uint64_t cpu = 0, delay;
    if (io >= 0 && an_proc_io(io, &done) && schedule >= 0 &&
        an_proc_schedule(schedule, &cpu, &delay)) {
        bool is_new;
        uint64_t *place = an_map_insert(&threads->places, (uint64_t)tid, &is_new);
        struct thread *thread = an_vector_push(&threads->list);
        threads->failed = threads->failed || !place || !thread;
        if (thread)
            *thread = (struct thread){tid, cpu, done.calls};
        if (place)
            *place = threads->list.count - 1;
    }
    if (io >= 0)
        close(io);
    if (schedule >= 0)
        close(schedule);
}

static bool list_threads(const struct an_traffic *traffic, struct threads *threads)
{
    char folder[64];
    *threads = (struct threads){.traffic = traffic};
    snprintf(folder, sizeof folder, "/proc/%d/task", traffic->pid);
    return an_proc_each(folder, add_thread, threads) && !threads->failed;
}

static void free_threads(struct threads *threads)
{
    an_vector_free(&threads->list);
    an_map_free(&threads->places);
}

/* The share of the CPU time between the two that threads took which read or write now and then. */
static double share_of_traffic(const struct threads *before, const struct threads *after)
{
    const double often = 100; /* calls in a second of CPU time */
    double with = 0, all = 0;
    for (size_t i = 0; i < after->list.count; i++) {
        struct thread now = after->list.items[i];
        const uint64_t *place = an_map_find(&before->places, (uint64_t)now.tid);
        struct thread then = place ? before->list.items[*place] : (struct thread){.tid = now.tid};
        if (now.cpu <= then.cpu || now.calls < then.calls)
            continue;
        double cpu = (double)(now.cpu - then.cpu);
        all += cpu;
        if ((double)(now.calls - then.calls) > often * cpu / second)
            with += cpu;
    }
    return all > 0 ? with / all : 0;
}

/* ---- whether it is fit ---- */

enum {
    SLICES = 40, /* will do, if the process ran meanwhile */
    MOST_SLICES = 84,
    SLICE = 12000000, /* nanoseconds */
    FEWEST = 2000,    /* calls in a second: timers are slower than that */
    FIRST_SLICES = 8, /* tell whether there are so many calls, if the process ran meanwhile */
};

struct trial {
    struct an_work_reading slices[MOST_SLICES];
    size_t count, lost;      /* slices; those in which a child was waited for */
    double calls, wall, cpu; /* of these slices; seconds */
    struct an_work_reading before;
    uint64_t calls_before;
};

static bool begin(struct an_traffic *traffic, struct trial *trial)
{
    bool goes_on = an_traffic_read(traffic, &trial->before);
    trial->calls_before = traffic->last.calls;
    return goes_on;
}

static bool pass_slice(struct an_traffic *traffic, struct trial *trial)
{
    const struct timespec time = {0, SLICE};
    struct an_work_reading after, *slice = &trial->slices[trial->count];
    uint64_t children = traffic->children;
    nanosleep(&time, NULL);
    if (!an_traffic_read(traffic, &after))
        return false;
    uint64_t calls = traffic->last.calls - trial->calls_before;
    if (traffic->children == children && an_work_slice(&trial->before, &after, slice)) {
        trial->calls += (double)calls;
        trial->wall += (double)slice->wall / second;
        trial->cpu += (double)slice->cpu / second;
        trial->count++;
    } else {
        trial->lost++;
    }
    trial->before = after;
    trial->calls_before = traffic->last.calls;
    return true;
}

static bool is_stopped(const struct an_work_options *options)
{
    return options->stop && *options->stop;
}

static bool has_many_calls(const struct trial *trial)
{
    return trial->calls >= FEWEST * trial->wall;
}

/* On a busy machine a process may get no processor for a tenth of a second. */
static bool is_known(const struct trial *trial, int slices)
{
    const double little = 0.01, enough = 0.05; /* seconds */
    if (slices >= FIRST_SLICES && !has_many_calls(trial) && trial->cpu >= little)
        return true;
    return slices >= SLICES && trial->cpu >= enough;
}

static enum an_code take_slices(struct an_traffic *traffic, const struct an_work_options *options,
                                struct trial *trial, struct an_error *error)
{
    bool goes_on = begin(traffic, trial);
    for (int i = 0; goes_on && i < MOST_SLICES && !is_known(trial, i) && !is_stopped(options);
         i++) {
        goes_on = pass_slice(traffic, trial);
        if (options->progress)
            options->progress(options->context, AN_WORK_SAMPLE);
    }
    if (is_stopped(options))
        return an_fail(error, AN_USAGE, "interrupted before it was known what counts work");
    return AN_OK;
}

static enum an_code judge(const struct an_traffic *traffic, const struct trial *trial, double share,
                          struct an_error *error)
{
    const double most_threads = 0.8;
    struct an_work_estimate estimate;
    an_work_estimate(trial->slices, trial->count, AN_TRAFFIC_COUNTS, &estimate);
    if (trial->count + trial->lost == 0)
        return an_fail(error, AN_USAGE, "process %d has ended", traffic->pid);
    if (trial->lost > 1)
        return an_fail(error, AN_UNSUPPORTED,
                       "process %d waits for children all the time, whose traffic the kernel adds "
                       "to its own",
                       traffic->pid);
    if (!has_many_calls(trial))
        return an_fail(error, AN_UNSUPPORTED,
                       "process %d reads and writes too seldom for its traffic to count work: "
                       "%.0f times a second, of at least %d",
                       traffic->pid, trial->wall > 0 ? trial->calls / trial->wall : 0, FEWEST);
    if (share < most_threads)
        return an_fail(error, AN_UNSUPPORTED,
                       "the threads of process %d that read and write take %.0f%% of its CPU time, "
                       "of at least %.0f%%",
                       traffic->pid, 100 * share, 100 * most_threads);
    if (!estimate.is_known)
        return an_fail(error, AN_UNSUPPORTED,
                       "what process %d reads and writes is not steady enough to count work",
                       traffic->pid);
    return AN_OK;
}

static enum an_code check(struct an_traffic *traffic, const struct an_work_options *options,
                          struct an_error *error)
{
    struct trial *trial = an_alloc_zero(1, sizeof *trial);
    struct threads before, after;
    bool is_listed = list_threads(traffic, &before);
    enum an_code code =
        trial && is_listed ? take_slices(traffic, options, trial, error) : an_fail_memory(error);
    is_listed = list_threads(traffic, &after) && is_listed;
    if (code == AN_OK)
        code = is_listed ? judge(traffic, trial, share_of_traffic(&before, &after), error)
                         : an_fail_memory(error);
    free_threads(&before);
    free_threads(&after);
    free(trial);
    return code;
}

/* ---- the whole ---- */

static int open_file(int32_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static enum an_code open_files(struct an_traffic *traffic, struct an_error *error)
{
    struct an_proc_stat stat;
    bool ignored;
    enum an_code code = an_proc_check(traffic->pid, error);
    if (code != AN_OK)
        return code;
    traffic->io = open_file(traffic->pid, "io");
    traffic->stat = open_file(traffic->pid, "stat");
    traffic->stack = an_proc_stack(traffic->pid);
    if (traffic->io >= 0 && traffic->stat >= 0 && an_proc_stat(traffic->pid, 0, &stat)) {
        traffic->start = stat.start;
        if (read_all(traffic, &traffic->since, &ignored))
            return AN_OK;
    }
    return an_fail(error, AN_SYSTEM,
                   "the kernel does not tell what process %d reads and writes (/proc/%d/io)",
                   traffic->pid, traffic->pid);
}

enum an_code an_traffic_open(const struct an_work_options *options, struct an_traffic **out,
                             struct an_error *error)
{
    struct an_traffic *traffic = an_alloc_zero(1, sizeof *traffic);
    *out = NULL;
    if (!traffic)
        return an_fail_memory(error);
    *traffic = (struct an_traffic){.pid = options->pid, .io = -1, .stat = -1};
    enum an_code code = open_files(traffic, error);
    if (code == AN_OK)
        code = check(traffic, options, error);
    if (code == AN_OK)
        *out = traffic;
    else
        an_traffic_close(traffic);
    return code;
}

void an_traffic_close(struct an_traffic *traffic)
{
    if (!traffic)
        return;
    if (traffic->io >= 0)
        close(traffic->io);
    if (traffic->stat >= 0)
        close(traffic->stat);
    free(traffic);
}
