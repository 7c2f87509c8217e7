/*
 * Counting in all threads; see counters.h.
 *
 * While the events are opened for one thread after the other, a thread that has them already may start another
 * one, which then has them as well; and one that has not got them yet may start one without. To open them again for the
 * first kind would count twice. Its debug registers tell the two apart: with the events, so many of them are taken that as many
 * more as are free without do not fit. Once all threads have the events, all that come later have them, too.
 */
#include "work/counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"
#include "base/vector.h"
#include "record/proc.h"
#include "work/breakpoint.h"

struct thread {
    int32_t tid;
    int events[1 + AN_WORK_MOST]; /* the first one, of CPU time, leads the group */
};

struct an_counters {
    int32_t pid;
    uint64_t addresses[AN_WORK_MOST];
    size_t count;
    bool inherits, pauses;
    struct rlimit limit;
    bool has_limit;      /* it was raised, and is to be restored */
    struct an_map known; /* threads that have the events */
    struct {
        AN_VECTOR(struct thread);
    } threads; /* to which they were given */
};

/* ---- a thread ---- */

static void put_inheritance(const struct an_counters *counters, struct perf_event_attr *attr)
{
    attr->inherit = attr->inherit_thread = attr->remove_on_exec = counters->inherits;
    attr->read_format = PERF_FORMAT_GROUP;
}

static struct perf_event_attr time_attr(const struct an_counters *counters)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .disabled = 1,
        .exclude_kernel = 1, /* for the right to open it: the time counts nevertheless */
        .exclude_hv = 1,
    };
    put_inheritance(counters, &attr);
    return attr;
}

static void close_events(struct thread *thread)
{
    for (size_t i = 0; i < 1 + AN_WORK_MOST; i++) {
        if (thread->events[i] >= 0)
            close(thread->events[i]);
        thread->events[i] = -1;
    }
}

/* Opens the group, which does not count yet. Returns 0 or an errno. */
static int open_group(const struct an_counters *counters, struct thread *thread)
{
    struct perf_event_attr time = time_attr(counters);
    int number = 0;
    thread->events[0] = an_breakpoint_open(&time, thread->tid, -1);
    if (thread->events[0] < 0)
        return errno;
    for (size_t i = 0; number == 0 && i < counters->count; i++) {
        struct perf_event_attr attr = an_breakpoint_attr(counters->addresses[i]);
        put_inheritance(counters, &attr);
        thread->events[1 + i] = an_breakpoint_open(&attr, thread->tid, thread->events[0]);
        number = thread->events[1 + i] < 0 ? errno : 0;
    }
    if (number)
        close_events(thread);
    return number;
}

/* Whether the thread has the events from another one: then fewer debug registers are free than without. */
static bool has_inherited(const struct an_counters *counters, int32_t tid)
{
    int events[AN_DEBUG_REGISTERS];
    size_t opened = 0, wanted = AN_DEBUG_REGISTERS + 1 - counters->count;
    bool fits = true;
    struct perf_event_attr attr = an_breakpoint_attr(counters->addresses[0]);
    attr.disabled = 1;
    while (fits && opened < wanted) {
        events[opened] = an_breakpoint_open(&attr, tid, -1);
        fits = events[opened] >= 0 || errno != ENOSPC;
        opened++;
    }
    for (size_t i = 0; i < opened; i++)
        if (events[i] >= 0)
            close(events[i]);
    return !fits;
}

/* ---- all threads ---- */

struct look {
    struct an_counters *counters;
    bool first; /* nobody can have inherited yet */
    bool found;
    int number; /* an errno */
};

static void give(struct look *look, int32_t tid)
{
    struct an_counters *counters = look->counters;
    struct thread *thread = an_vector_push(&counters->threads);
    if (!thread) {
        look->number = ENOMEM;
        return;
    }
    *thread = (struct thread){tid, {-1, -1, -1, -1}};
    look->number = open_group(counters, thread);
    if (look->number)
        counters->threads.count--;
    if (look->number == ESRCH) /* it has ended */
        look->number = 0;
}

static void look_at_thread(void *context, int32_t tid)
{
    struct look *look = context;
    struct an_counters *counters = look->counters;
    bool is_new;
    if (look->number || an_map_find(&counters->known, (uint64_t)tid) ||
        an_proc_is_of_kernel(counters->pid, tid))
        return;
    if (!an_map_insert(&counters->known, (uint64_t)tid, &is_new)) {
        look->number = ENOMEM;
        return;
    }
    look->found = true;
    if (look->first || !counters->inherits || !has_inherited(counters, tid))
        give(look, tid);
}

/* Until nobody is new. Returns 0 or an errno. */
static int look_for_threads(struct an_counters *counters, bool first)
{
    char folder[64];
    struct look look = {.counters = counters, .first = first, .found = true};
    snprintf(folder, sizeof folder, "/proc/%d/task", counters->pid);
    while (look.found && look.number == 0) {
        look.found = false;
        if (!an_proc_each(folder, look_at_thread, &look))
            return 0; /* it has ended */
        look.first = false;
    }
    return look.number;
}

/* Those that have inherited the events follow. */
static void start(const struct an_counters *counters, size_t from)
{
    unsigned long request = counters->pauses ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE;
    for (size_t i = from; i < counters->threads.count; i++)
        ioctl(counters->threads.items[i].events[0], request, 0);
}

void an_counters_pause(struct an_counters *counters, bool pauses)
{
    counters->pauses = pauses;
    start(counters, 0);
}

/* As many files as the system lets us have. */
static void raise_limit(struct an_counters *counters)
{
    struct rlimit raised;
    if (getrlimit(RLIMIT_NOFILE, &counters->limit) != 0)
        return;
    raised = counters->limit;
    raised.rlim_cur = raised.rlim_max;
    counters->has_limit = setrlimit(RLIMIT_NOFILE, &raised) == 0;
}

/* Whether this kernel gives the events to threads and not to processes. */
static bool can_inherit(struct an_counters *counters)
{
    struct perf_event_attr attr = time_attr(counters);
    int event = an_breakpoint_open(&attr, 0, -1);
    if (event >= 0)
        close(event);
    return event >= 0 || (errno != EINVAL && errno != E2BIG);
}

enum an_code an_counters_open(int32_t pid, const uint64_t *addresses, size_t count, bool inherits,
                              struct an_counters **out, struct an_error *error)
{
    struct an_counters *counters = an_alloc_zero(1, sizeof *counters);
    *out = NULL;
    if (!counters)
        return an_fail_memory(error);
    an_assert(count && count <= AN_WORK_MOST);
    counters->pid = pid;
    counters->count = count;
    memcpy(counters->addresses, addresses, count * sizeof *addresses);
    raise_limit(counters);
    counters->inherits = inherits;
    counters->inherits = inherits && can_inherit(counters);
    int number = look_for_threads(counters, true);
    if (number == 0 && counters->threads.count == 0)
        number = ESRCH;
    if (number) {
        an_counters_close(counters);
        return an_breakpoint_fail(number, pid, error);
    }
    start(counters, 0);
    *out = counters;
    return AN_OK;
}

void an_counters_close(struct an_counters *counters)
{
    if (!counters)
        return;
    for (size_t i = 0; i < counters->threads.count; i++)
        close_events(&counters->threads.items[i]);
    if (counters->has_limit)
        setrlimit(RLIMIT_NOFILE, &counters->limit);
    an_vector_free(&counters->threads);
    an_map_free(&counters->known);
    free(counters);
}

/* ---- reading ---- */

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void add(const struct thread *thread, size_t count, struct an_work_reading *reading)
{
    struct {
        uint64_t number, time, entries[AN_WORK_MOST];
    } group = {0};
    if (read(thread->events[0], &group, sizeof group) < 0 || group.number != 1 + count)
        return;
    reading->cpu += group.time;
    for (size_t i = 0; i < count; i++)
        reading->entries[i] += group.entries[i];
}

enum an_code an_counters_read(struct an_counters *counters, struct an_work_reading *reading,
                              struct an_error *error)
{
    size_t known = counters->threads.count;
    int number = counters->inherits ? 0 : look_for_threads(counters, false);
    start(counters, known);
    *reading = (struct an_work_reading){.wall = now()};
    for (size_t i = 0; i < counters->threads.count; i++)
        add(&counters->threads.items[i], counters->count, reading);
    return number ? an_breakpoint_fail(number, counters->pid, error) : AN_OK;
}

size_t an_counters_threads(const struct an_counters *counters)
{
    return counters->threads.count;
}
