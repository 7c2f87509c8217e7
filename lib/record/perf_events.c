/*
 * Events in all threads of processes; see perf_events.h.
 *
 * A thread that is found in /proc may have inherited the event, or may have been started by one that
 * had not got it yet. The kernel's record of the fork tells, but it comes a little later than the
 * thread. So a thread that nothing is known of is a suspect first, and gets the event when nothing
 * is known of it the next time either. When looks find nothing for a while no thread can be missing.
 */
#include "record/perf_events.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/proc.h"
#include "base/vector.h"
#include "perf/format.h"

enum {
    RING_SIZE = 512 << 10, /* what every user may have for each processor, by default */
    QUIET_LOOKS = 3,
};

/* What is known of a thread, by its number. */
enum { GONE, SUSPECT, HAS_EVENT };

struct processor {
    int number;
    int owner; /* of the buffer */
    struct an_perf_ring ring;
};

struct process {
    int32_t pid;
    uint64_t start; /* when it was started */
};

struct thread {
    int32_t tid;
    int *events; /* for each processor, or -1 */
};

struct an_perf_events {
    struct perf_event_attr attr;
    int32_t pid;
    bool children;
    unsigned quiet; /* looks in a row that found nothing new */
    bool no_memory; /* while records were read */
    uint64_t threads_seen, processes_seen, run_of_closed;
    struct an_map known;
    struct rlimit limit;
    bool has_limit; /* it was raised, and is to be restored */
    struct pollfd *waits;
    struct {
        AN_VECTOR(struct processor);
    } processors;
    struct {
        AN_VECTOR(struct process);
    } processes;
    struct {
        AN_VECTOR(struct thread);
    } threads; /* that were given the event, not those that have inherited it */
};

/* ---- the system call ---- */

static int open_event(const struct perf_event_attr *attr, int32_t pid, int processor)
{
    long event;
    do
        event = syscall(SYS_perf_event_open, attr, pid, processor, -1, PERF_FLAG_FD_CLOEXEC);
    while (event < 0 && errno == EINTR);
    return (int)event;
}

/* A number that is in a file of /proc/sys/kernel; `otherwise` when there is none. */
static long setting(const char *path, long otherwise)
{
    struct an_file file = {0};
    struct an_error ignored;
    char text[24] = "";
    if (an_file_load(&file, path, &ignored) == AN_OK && file.bytes.size < sizeof text)
        memcpy(text, file.bytes.data, file.bytes.size);
    an_file_close(&file);
    return text[0] ? strtol(text, NULL, 10) : otherwise;
}

/* The kernel lowers this limit when samples take it too long. False when it is kept already. */
static bool lower_frequency(struct perf_event_attr *attr)
{
    long most = setting("/proc/sys/kernel/perf_event_max_sample_rate", 0);
    if (!attr->freq || most <= 0 || attr->sample_freq <= (uint64_t)most)
        return false;
    attr->sample_freq = (uint64_t)most;
    return true;
}

static bool no_build_ids(struct perf_event_attr *attr)
{
    bool had = attr->build_id;
    attr->build_id = 0;
    return had;
}

static bool no_inherit_thread(struct perf_event_attr *attr)
{
    bool had = attr->inherit_thread;
    if (had)
        attr->inherit = attr->inherit_thread = 0;
    return had;
}

int an_perf_attr_settle(struct perf_event_attr *attr, int32_t pid)
{
    static bool (*const concessions[])(struct perf_event_attr *) = {lower_frequency, no_build_ids,
                                                                    no_inherit_thread};
    struct perf_event_attr trial = *attr;
    trial.size = sizeof trial;
    trial.disabled = 1;
    for (size_t next = 0;;) {
        int event = open_event(&trial, pid, -1);
        if (event >= 0) {
            close(event);
            trial.disabled = attr->disabled;
            *attr = trial;
            return 0;
        }
        int number = errno;
        if (number != EINVAL && number != E2BIG)
            return number;
        bool conceded = false;
        while (!conceded && next < sizeof concessions / sizeof *concessions)
            conceded = concessions[next++](&trial);
        if (!conceded)
            return number;
    }
}

static enum an_code fail_permission(int number, int32_t pid, struct an_error *error)
{
    an_fail(error, AN_SYSTEM, "cannot record events of process %d: %s", pid ? pid : getpid(),
            strerror(number));
    return an_error_hint(error,
                         "/proc/sys/kernel/perf_event_paranoid is %ld and must be 2 or less for "
                         "your own processes; those of other users require CAP_PERFMON and "
                         "CAP_SYS_PTRACE",
                         setting("/proc/sys/kernel/perf_event_paranoid", 2));
}

enum an_code an_perf_open_fail(int number, int32_t pid, const char *required,
                               struct an_error *error)
{
    if (number == ESRCH) {
        enum an_code code = an_proc_check(pid, error);
        return code != AN_OK ? code : an_fail(error, AN_USAGE, "process %d has ended", pid);
    }
    if (number == ENOMEM)
        return an_fail_memory(error);
    errno = number;
    an_fail_errno(error, NULL, "cannot open an event");
    if (number == EMFILE || number == ENFILE)
        an_error_hint(error,
                      "each thread requires %s; ulimit -n or /proc/sys/fs/file-max limits their "
                      "number",
                      required);
    return AN_SYSTEM;
}

enum an_code an_perf_events_fail(int number, int32_t pid, struct an_error *error)
{
    switch (number) {
    case EACCES:
    case EPERM:
        return fail_permission(number, pid, error);
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        an_fail(error, AN_UNSUPPORTED, "this processor has no branch records");
        return an_error_hint(error, "use --method=emulate");
    case EINVAL: /* some processors have records of calls only, or need other events */
        an_fail(error, AN_UNSUPPORTED, "this processor has no such branch records: %s",
                strerror(number));
        return an_error_hint(error, "use --method=emulate");
    case ENOSYS:
        an_fail(error, AN_UNSUPPORTED, "this kernel has no perf_event_open()");
        return an_error_hint(error, "use --method=emulate");
    default:
        return an_perf_open_fail(number, pid, "a file descriptor for each processor", error);
    }
}

/* ---- the buffers ---- */

static enum an_code add_processor(struct an_perf_events *events, int number, struct an_error *error)
{
    struct perf_event_attr nothing = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .size = sizeof nothing,
        .sample_type = events->attr.sample_type & ~(uint64_t)PERF_SAMPLE_BRANCH_STACK,
        .sample_id_all = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .use_clockid = events->attr.use_clockid,
        .clockid = events->attr.clockid,
    };
    int owner = open_event(&nothing, 0, number);
    if (owner < 0 && errno == ENODEV) /* it is switched off */
        return AN_OK;
    if (owner < 0)
        return an_perf_events_fail(errno, 0, error);
    struct processor *processor = an_vector_push(&events->processors);
    if (!processor) {
        close(owner);
        return an_fail_memory(error);
    }
    *processor = (struct processor){.number = number, .owner = owner};
    if (an_perf_ring_map(&processor->ring, owner, RING_SIZE))
        return AN_OK;
    an_fail_errno(error, NULL, "cannot map a buffer for events");
    return an_error_hint(error, "/proc/sys/kernel/perf_event_mlock_kb and ulimit -l limit its "
                                "memory");
}

static enum an_code add_processors(struct an_perf_events *events, struct an_error *error)
{
    long count = sysconf(_SC_NPROCESSORS_CONF);
    for (int i = 0; i < count; i++) {
        enum an_code code = add_processor(events, i, error);
        if (code != AN_OK)
            return code;
    }
    events->waits = an_alloc_zero(events->processors.count, sizeof *events->waits);
    if (!events->waits)
        return an_fail_memory(error);
    for (size_t i = 0; i < events->processors.count; i++)
        events->waits[i] = (struct pollfd){events->processors.items[i].owner, POLLIN, 0};
    return AN_OK;
}

/* ---- threads ---- */

static int open_for_thread(struct an_perf_events *events, int32_t tid,
                           const struct processor *processor)
{
    int event = open_event(&events->attr, tid, processor->number);
    if (event < 0 && errno == EINVAL && lower_frequency(&events->attr))
        event = open_event(&events->attr, tid, processor->number);
    return event;
}

/* How long an event, and those that were inherited from it, were in force. */
static uint64_t run_time(int event)
{
    struct {
        uint64_t value, running;
    } counted;
    return read(event, &counted, sizeof counted) == sizeof counted ? counted.running : 0;
}

static void close_thread(struct an_perf_events *events, struct thread *thread)
{
    for (size_t i = 0; thread->events && i < events->processors.count; i++) {
        if (thread->events[i] < 0)
            continue;
        events->run_of_closed += run_time(thread->events[i]);
        close(thread->events[i]);
    }
    free(thread->events);
}

static void drop_thread(struct an_perf_events *events, struct thread *thread)
{
    close_thread(events, thread);
    *thread = events->threads.items[--events->threads.count];
}

/* Opens and starts the event for a thread on all processors. Returns 0 or an errno. */
static int open_thread(struct an_perf_events *events, struct thread *thread)
{
    for (size_t i = 0; i < events->processors.count; i++) {
        const struct processor *processor = &events->processors.items[i];
        int event = open_for_thread(events, thread->tid, processor);
        thread->events[i] = event;
        if (event < 0 && errno == ENODEV) /* switched off since */
            continue;
        if (event < 0)
            return errno;
        if (ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, processor->owner) != 0 ||
            ioctl(event, PERF_EVENT_IOC_ENABLE, 0) != 0)
            return errno;
    }
    return 0;
}

static bool set_known(struct an_perf_events *events, int32_t tid, uint64_t what)
{
    bool is_new;
    uint64_t *known = an_map_insert(&events->known, (uint64_t)tid, &is_new);
    if (!known)
        return false;
    events->threads_seen += what == HAS_EVENT && *known != HAS_EVENT;
    *known = what;
    return true;
}

static enum an_code add_thread(struct an_perf_events *events, int32_t pid, int32_t tid,
                               struct an_error *error)
{
    size_t count = events->processors.count;
    struct thread *thread = an_vector_push(&events->threads);
    if (!thread)
        return an_fail_memory(error);
    *thread = (struct thread){tid, an_alloc(count, sizeof *thread->events)};
    for (size_t i = 0; thread->events && i < count; i++)
        thread->events[i] = -1;
    int number = thread->events ? open_thread(events, thread) : ENOMEM;
    if (number != 0)
        drop_thread(events, thread);
    if (number == ESRCH) /* it has ended */
        return AN_OK;
    /* A child may have got other rights, by sudo for example. */
    if (number != 0 && (pid == events->pid || (number != EACCES && number != EPERM)))
        return an_perf_events_fail(number, pid, error);
    return set_known(events, tid, HAS_EVENT) ? AN_OK : an_fail_memory(error);
}

/* ---- looking for threads and processes ---- */

struct look {
    struct an_perf_events *events;
    int32_t pid;
    bool first;    /* nobody is a suspect */
    bool only_see; /* whether any thread is left */
    bool left, found;
    enum an_code code;
    struct an_error *error;
};

static bool has_ended(char state)
{
    return state == 'Z' || state == 'X';
}

static void look_at_thread(void *context, int32_t tid)
{
    struct look *look = context;
    struct an_perf_events *events = look->events;
    struct an_proc_stat stat;
    /* The first thread stays in the list until the last one has ended. */
    if (look->code != AN_OK ||
        (tid == look->pid && (!an_proc_stat(tid, tid, &stat) || has_ended(stat.state))))
        return;
    look->left = true;
    const uint64_t *known = an_map_find(&events->known, (uint64_t)tid);
    if (look->only_see || (known && *known == HAS_EVENT))
        return;
    look->found = true;
    if (look->first || !events->attr.inherit || (known && *known == SUSPECT))
        look->code = add_thread(events, look->pid, tid, look->error);
    else if (!set_known(events, tid, SUSPECT))
        look->code = an_fail_memory(look->error);
}

static bool knows_process(const struct an_perf_events *events, int32_t pid)
{
    for (size_t i = 0; i < events->processes.count; i++)
        if (events->processes.items[i].pid == pid)
            return true;
    return false;
}

static bool add_process(struct an_perf_events *events, int32_t pid, uint64_t start)
{
    struct process *process = an_vector_push(&events->processes);
    if (process)
        *process = (struct process){pid, start};
    events->processes_seen += process != NULL;
    return process != NULL;
}

static void look_at_process(void *context, int32_t pid)
{
    struct look *look = context;
    struct an_proc_stat stat;
    if (look->code != AN_OK || knows_process(look->events, pid) || !an_proc_stat(pid, 0, &stat) ||
        has_ended(stat.state) || !knows_process(look->events, stat.parent))
        return;
    look->found = true;
    if (!add_process(look->events, pid, stat.start))
        look->code = an_fail_memory(look->error);
}

/* Finds the descendants. One that stands before its parent in the list takes another pass. */
static void look_at_processes(struct look *look)
{
    size_t before;
    do {
        before = look->events->processes.count;
        an_proc_each("/proc", look_at_process, look);
    } while (look->code == AN_OK && look->events->processes.count > before);
}

/* Threads of a process; whether one is left. */
static bool look_at_threads(struct look *look, const struct process *process)
{
    char folder[64];
    struct an_proc_stat stat;
    look->pid = process->pid;
    look->left = false;
    snprintf(folder, sizeof folder, "/proc/%d/task", process->pid);
    if (an_proc_stat(process->pid, 0, &stat) && stat.start == process->start)
        an_proc_each(folder, look_at_thread, look);
    return look->left;
}

static void look_at_all(struct look *look)
{
    struct an_perf_events *events = look->events;
    if (events->children && !look->only_see)
        look_at_processes(look);
    for (size_t i = 0; look->code == AN_OK && i < events->processes.count;) {
        if (look_at_threads(look, &events->processes.items[i]))
            i++;
        else
            events->processes.items[i] = events->processes.items[--events->processes.count];
    }
}

enum an_code an_perf_events_look(struct an_perf_events *events, bool *left, struct an_error *error)
{
    struct look look = {.events = events, .error = error};
    look.only_see = events->attr.inherit && events->quiet >= QUIET_LOOKS;
    look_at_all(&look);
    events->quiet = look.found ? 0 : events->quiet + 1;
    *left = events->processes.count > 0;
    return look.code;
}

/* ---- records ---- */

struct reading {
    struct an_perf_events *events;
    an_perf_record_callback *callback;
    void *context;
};

static void notice_fork(struct an_perf_events *events, int32_t pid, int32_t parent, int32_t tid)
{
    struct an_proc_stat stat;
    if (!events->attr.inherit || (pid != parent && !events->children))
        return;
    events->no_memory |= !set_known(events, tid, HAS_EVENT);
    /* One that has ended already counts, but need not be waited for. */
    if (pid == parent || knows_process(events, pid))
        return;
    if (!an_proc_stat(pid, 0, &stat))
        events->processes_seen++;
    else
        events->no_memory |= !add_process(events, pid, stat.start);
}

static void notice_exit(struct an_perf_events *events, int32_t tid)
{
    events->no_memory |= !set_known(events, tid, GONE);
    /* The events of those that have inherited hang on the thread's. */
    for (size_t i = 0; !events->attr.inherit && i < events->threads.count; i++) {
        if (events->threads.items[i].tid != tid)
            continue;
        drop_thread(events, &events->threads.items[i]);
        return;
    }
}

static void on_record(void *context, const uint8_t *record, size_t size)
{
    enum { PID_AT = 8, PARENT_AT = 12, TID_AT = 16, TASK_SIZE = 24 };
    const struct reading *reading = context;
    uint32_t type = an_load32(record);
    if (type == PERF_FORK && size >= TASK_SIZE)
        notice_fork(reading->events, (int32_t)an_load32(record + PID_AT),
                    (int32_t)an_load32(record + PARENT_AT), (int32_t)an_load32(record + TID_AT));
    if (type == PERF_EXIT && size >= TASK_SIZE)
        notice_exit(reading->events, (int32_t)an_load32(record + TID_AT));
    reading->callback(reading->context, record, size);
}

void an_perf_events_wait(struct an_perf_events *events, int milliseconds)
{
    poll(events->waits, events->processors.count, milliseconds);
}

enum an_code an_perf_events_read(struct an_perf_events *events, an_perf_record_callback *callback,
                                 void *context, uint64_t *bytes, struct an_error *error)
{
    struct reading reading = {events, callback, context};
    *bytes = 0;
    for (size_t i = 0; i < events->processors.count; i++) {
        struct an_perf_ring *ring = &events->processors.items[i].ring;
        enum an_code code = an_perf_ring_read(ring, on_record, &reading, bytes, error);
        if (code != AN_OK)
            return code;
    }
    return events->no_memory ? an_fail_memory(error) : AN_OK;
}

/* ---- the whole ---- */

/* As many files as the system lets us have. */
static void raise_limit(struct an_perf_events *events)
{
    struct rlimit raised;
    if (getrlimit(RLIMIT_NOFILE, &events->limit) != 0)
        return;
    raised = events->limit;
    raised.rlim_cur = raised.rlim_max;
    events->has_limit = setrlimit(RLIMIT_NOFILE, &raised) == 0;
}

static enum an_code start(struct an_perf_events *events, struct an_error *error)
{
    struct an_proc_stat stat;
    struct look look = {.events = events, .first = true, .error = error};
    raise_limit(events);
    enum an_code code = add_processors(events, error);
    if (code != AN_OK)
        return code;
    if (!an_proc_stat(events->pid, 0, &stat) || !an_proc_living(events->pid))
        return an_perf_events_fail(ESRCH, events->pid, error);
    if (!add_process(events, events->pid, stat.start))
        return an_fail_memory(error);
    look_at_all(&look);
    return look.code;
}

enum an_code an_perf_events_open(const struct perf_event_attr *attr, int32_t pid,
                                 struct an_perf_events **out, struct an_error *error)
{
    struct an_perf_events *events = an_alloc_zero(1, sizeof *events);
    *out = NULL;
    if (!events)
        return an_fail_memory(error);
    events->attr = *attr;
    events->attr.size = sizeof events->attr;
    events->attr.disabled = 1; /* until its records go to the buffer */
    events->attr.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
    events->pid = pid;
    events->children = attr->inherit && !attr->inherit_thread;
    enum an_code code = start(events, error);
    if (code != AN_OK)
        an_perf_events_free(events);
    else
        *out = events;
    return code;
}

void an_perf_events_stop(struct an_perf_events *events)
{
    for (size_t i = 0; i < events->threads.count; i++)
        for (size_t p = 0; p < events->processors.count; p++)
            if (events->threads.items[i].events[p] >= 0)
                ioctl(events->threads.items[i].events[p], PERF_EVENT_IOC_DISABLE, 0);
}

uint64_t an_perf_events_run_time(const struct an_perf_events *events)
{
    uint64_t sum = events->run_of_closed;
    for (size_t i = 0; i < events->threads.count; i++)
        for (size_t p = 0; p < events->processors.count; p++)
            if (events->threads.items[i].events[p] >= 0)
                sum += run_time(events->threads.items[i].events[p]);
    return sum;
}

void an_perf_events_free(struct an_perf_events *events)
{
    if (!events)
        return;
    for (size_t i = 0; i < events->threads.count; i++)
        close_thread(events, &events->threads.items[i]);
    for (size_t i = 0; i < events->processors.count; i++) {
        an_perf_ring_unmap(&events->processors.items[i].ring);
        close(events->processors.items[i].owner);
    }
    if (events->has_limit)
        setrlimit(RLIMIT_NOFILE, &events->limit);
    an_map_free(&events->known);
    an_vector_free(&events->processors);
    an_vector_free(&events->processes);
    an_vector_free(&events->threads);
    free(events->waits);
    free(events);
}

uint64_t an_perf_events_threads(const struct an_perf_events *events)
{
    return events->threads_seen;
}

uint64_t an_perf_events_processes(const struct an_perf_events *events)
{
    return events->processes_seen;
}
