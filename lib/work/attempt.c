/*
 * Trying addresses; see attempt.h.
 *
 * An event with a period of `limit` entries that may overflow once (PERF_EVENT_IOC_REFRESH) is switched off by the
 * kernel when it has counted so many. Nobody waits for the overflow, so it sends no signal, and there is no buffer for
 * a sample. Its own time in force tells how long that took.
 */
#include "work/attempt.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "work/breakpoint.h"

struct trial {
    int32_t pid;
    const int32_t *threads;
    size_t thread_count, count;
    int *events; /* of the threads, `count` for each */
};

static struct perf_event_attr attr_of(uint64_t address, unsigned limit)
{
    struct perf_event_attr attr = an_breakpoint_attr(address);
    attr.sample_period = limit;
    attr.disabled = 1;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
    return attr;
}

/* Returns 0 or an errno. A thread that has ended has none. */
static int open_all(const struct trial *trial, const struct an_attempt *attempts, unsigned limit)
{
    size_t opened = 0;
    for (size_t t = 0; t < trial->thread_count; t++)
        for (size_t i = 0; i < trial->count; i++) {
            struct perf_event_attr attr = attr_of(attempts[i].address, limit);
            int event = an_breakpoint_open(&attr, trial->threads[t], -1);
            trial->events[t * trial->count + i] = event;
            if (event < 0 && errno != ESRCH)
                return errno;
            opened += event >= 0;
        }
    return opened ? 0 : ESRCH;
}

static void start_all(const struct trial *trial)
{
    for (size_t k = 0; k < trial->thread_count * trial->count; k++)
        if (trial->events[k] >= 0)
            ioctl(trial->events[k], PERF_EVENT_IOC_REFRESH, 1);
}

static void read_all(const struct trial *trial, struct an_attempt *attempts)
{
    for (size_t i = 0; i < trial->count; i++)
        attempts[i].entries = 0, attempts[i].seconds = 0;
    for (size_t k = 0; k < trial->thread_count * trial->count; k++) {
        struct {
            uint64_t entries, time;
        } counted;
        if (trial->events[k] < 0 ||
            read(trial->events[k], &counted, sizeof counted) != sizeof counted)
            continue;
        attempts[k % trial->count].entries += counted.entries;
        attempts[k % trial->count].seconds += (double)counted.time * 1e-9;
    }
}

/* All of them have run so long, or as long as they may. */
static bool are_done(const struct trial *trial, const struct an_attempt *attempts, unsigned limit,
                     double seconds)
{
    bool done = true;
    for (size_t i = 0; i < trial->count; i++)
        done = done && (attempts[i].seconds >= seconds ||
                        attempts[i].entries >= (uint64_t)limit * trial->thread_count);
    return done;
}

static void observe(const struct trial *trial, struct an_attempt *attempts, unsigned limit,
                    double seconds)
{
    enum { STEPS = 40 };
    const struct timespec step = {0, (long)(seconds * 1e9 / 4)};
    read_all(trial, attempts);
    for (int i = 0; i < STEPS && !are_done(trial, attempts, limit, seconds); i++) {
        nanosleep(&step, NULL);
        read_all(trial, attempts);
    }
}

enum an_code an_attempt(int32_t pid, const int32_t *threads, size_t thread_count,
                        struct an_attempt *attempts, size_t count, unsigned limit, double seconds,
                        struct an_error *error)
{
    size_t events = thread_count * count;
    struct trial trial = {pid, threads, thread_count, count, an_alloc(events + 1, sizeof(int))};
    if (!trial.events)
        return an_fail_memory(error);
    for (size_t k = 0; k < events; k++)
        trial.events[k] = -1;
    int number = open_all(&trial, attempts, limit);
    if (number == 0) {
        start_all(&trial);
        observe(&trial, attempts, limit, seconds);
    }
    for (size_t k = 0; k < events; k++)
        if (trial.events[k] >= 0)
            close(trial.events[k]);
    free(trial.events);
    return number ? an_breakpoint_fail(number, pid, error) : AN_OK;
}
