/*
 * Counting in all threads; see counters.h.
 *
 * While the events are opened for one thread after the other, a thread that has them already may start another
 * one, which then has them as well; one that has not got them yet may start one without; and one that has got some of them, one
 * that has these. To open an event twice would count twice. The debug registers tell how many a thread has: as many as
 * are not free. As events are opened in the same order for all, these are the first ones. Once all threads have
 * the events, all that come later have them, too.
 *
 * One case remains: the kernel may let a thread and the one that it has started exchange their events, and takes
 * the registers for those of the other one from then on. If the starter then ends, all before the events are open for all threads, the
 * other one seems to have none, and counts twice: its entries and its time, so that the rate is right.
 *
 * CPU time comes from the same events, as the time in which they were in force. An event of its own for that, in a
 * group with them, would be inherited by itself when a thread is started between the two.
 */
#include "work/counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/proc.h"
#include "base/vector.h"
#include "work/breakpoint.h"

struct thread {
    int32_t tid;
    int events[AN_WORK_MOST]; /* -1: it has inherited this one, or has ended */
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

static struct perf_event_attr attr_of(const struct an_counters *counters, size_t i)
{
    struct perf_event_attr attr = an_breakpoint_attr(counters->addresses[i]);
    attr.inherit = attr.inherit_thread = attr.remove_on_exec = counters->inherits;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.disabled = counters->pauses;
    return attr;
}

static void close_events(struct thread *thread)
{
    for (size_t i = 0; i < AN_WORK_MOST; i++) {
        if (thread->events[i] >= 0)
            close(thread->events[i]);
        thread->events[i] = -1;
    }
}

/* Opens the events from `first` on. They count at once: what is switched on later may miss a thread that is being started
 * meanwhile, and gets the event switched off. Returns 0 or an errno. */
static int open_events(const struct an_counters *counters, struct thread *thread, size_t first)
{
    for (size_t i = first; i < counters->count; i++) {
        struct perf_event_attr attr = attr_of(counters, i);
        thread->events[i] = an_breakpoint_open(&attr, thread->tid, -1);
        if (thread->events[i] >= 0)
            continue;
        int number = errno;
        close_events(thread);
        return number;
    }
    return 0;
}

/* How many of the events a thread has from another one: so many debug registers are not free. */
static size_t count_inherited(const struct an_counters *counters, int32_t tid)
{
    int events[AN_DEBUG_REGISTERS];
    size_t opened = 0;
    struct perf_event_attr attr = an_breakpoint_attr(counters->addresses[0]);
    attr.disabled = 1;
    while (opened < AN_DEBUG_REGISTERS &&
           (events[opened] = an_breakpoint_open(&attr, tid, -1)) >= 0)
        opened++;
    for (size_t i = 0; i < opened; i++)
        close(events[i]);
    size_t taken = AN_DEBUG_REGISTERS - opened;
    return taken < counters->count ? taken : counters->count;
}

/* ---- all threads ---- */

struct list {
    const struct an_counters *counters;
    struct {
        AN_VECTOR(int32_t);
    } tids;      /* of threads that are new */
    bool failed; /* no memory */
};

static void note_thread(void *context, int32_t tid)
{
    struct list *list = context;
    if (an_map_find(&list->counters->known, (uint64_t)tid) ||
        an_proc_is_of_kernel(list->counters->pid, tid))
        return;
    int32_t *place = an_vector_push(&list->tids);
    if (place)
        *place = tid;
    else
        list->failed = true;
}

/* Gives a thread the events from `first` on. Returns 0 or an errno. A thread that ends is no failure: the kernel says so
 * (ESRCH), or what comes of its ending in between, and then so when asked again. */
static int give(struct an_counters *counters, int32_t tid, size_t first)
{
    enum { ATTEMPTS = 20 };
    int number = EAGAIN;
    struct thread *thread = first < counters->count ? an_vector_push(&counters->threads) : NULL;
    if (!thread)
        return first < counters->count ? ENOMEM : 0;
    *thread = (struct thread){tid, {-1, -1, -1}};
    for (int i = 0; i < ATTEMPTS && (i == 0 || number == ENODEV || number == EINVAL); i++)
        number = open_events(counters, thread, first);
    if (number)
        counters->threads.count--;
    return number == ESRCH ? 0 : number;
}

static int take_list(struct an_counters *counters, const struct list *list, bool may_have_inherited)
{
    int number = list->failed ? ENOMEM : 0;
    for (size_t i = 0; number == 0 && i < list->tids.count; i++) {
        bool is_new;
        int32_t tid = list->tids.items[i];
        if (!an_map_insert(&counters->known, (uint64_t)tid, &is_new))
            return ENOMEM;
        number = give(counters, tid, may_have_inherited ? count_inherited(counters, tid) : 0);
    }
    return number;
}

/*
 * Until a look finds nobody to whom the events have to be given: then all threads have them, however many come. Those
 * that are found before any thread has the events cannot have inherited them; so they are listed first, as threads that come
 * while one looks may be found, too. Returns 0 or an errno.
 */
static int look_for_threads(struct an_counters *counters)
{
    enum { MOST_LOOKS = 100 };
    char folder[64];
    int number = 0;
    size_t given = 1;
    snprintf(folder, sizeof folder, "/proc/%d/task", counters->pid);
    for (int i = 0; i < MOST_LOOKS && given && number == 0; i++) {
        struct list list = {.counters = counters};
        size_t before = counters->threads.count;
        if (an_proc_each(folder, note_thread, &list))
            number = take_list(counters, &list, counters->inherits && before > 0);
        given = counters->threads.count - before;
        an_vector_free(&list.tids);
    }
    return number;
}

/* Those that have inherited the events follow; one that is just being started, at the next time. */
void an_counters_pause(struct an_counters *counters, bool pauses)
{
    unsigned long request = pauses ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE;
    if (counters->pauses == pauses)
        return;
    counters->pauses = pauses;
    for (size_t i = 0; i < counters->threads.count; i++)
        for (size_t k = 0; k < counters->count; k++)
            if (counters->threads.items[i].events[k] >= 0)
                ioctl(counters->threads.items[i].events[k], request, 0);
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
    struct perf_event_attr attr = attr_of(counters, 0);
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
    int number = look_for_threads(counters);
    if (number == 0 && counters->threads.count == 0)
        number = ESRCH;
    if (number) {
        an_counters_close(counters);
        return an_breakpoint_fail(number, pid, error);
    }
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

/* An event is read with its own time, at one moment. All events of a thread have the same time, but for the moment
 * between their readings. */
static void add(const struct thread *thread, size_t count, struct an_work_reading *reading)
{
    for (size_t i = 0; i < count; i++) {
        struct {
            uint64_t entries, time;
        } counted;
        if (thread->events[i] < 0 ||
            read(thread->events[i], &counted, sizeof counted) != sizeof counted)
            continue;
        reading->entries[i] += counted.entries;
        reading->cpu += i == 0 ? counted.time : 0;
    }
}

enum an_code an_counters_read(struct an_counters *counters, struct an_work_reading *reading,
                              struct an_error *error)
{
    int number = counters->inherits ? 0 : look_for_threads(counters);
    *reading = (struct an_work_reading){.wall = an_clock_now()};
    for (size_t i = 0; i < counters->threads.count; i++)
        add(&counters->threads.items[i], counters->count, reading);
    return number ? an_breakpoint_fail(number, counters->pid, error) : AN_OK;
}

size_t an_counters_threads(const struct an_counters *counters)
{
    return counters->threads.count;
}
