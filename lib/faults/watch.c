/*
 * Events and their buffers; see watch.h.
 *
 * Records of different processors come in any order. One that is older than the beginning of the last
 * round has been read by the end of this one: so much is replayed, and the rest waits.
 */
#include "faults/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/perf_ring.h"

enum {
    RING_LEAST = 512 << 10, /* what every user may have for each processor, by default */
    RING_MOST = 4 << 20,
    RINGS_MOST = 128 << 20, /* all together */
};

struct processor {
    int major, minor; /* events */
    struct an_perf_ring ring;
};

struct an_watch {
    struct an_replay *replay;
    struct an_fault_decoder decoder;
    uint64_t *major_ids;
    struct processor *processors;
    size_t count;
    struct pollfd *waits; /* one more than processors */
    uint64_t safe;        /* what is older has been read */
    uint64_t sequence;
    bool no_memory;
    struct {
        AN_VECTOR(struct an_fault_event);
    } pending;
};

static int open_event(const struct perf_event_attr *attr, pid_t pid, int processor)
{
    long event;
    struct perf_event_attr copy = *attr;
    do
        event = syscall(SYS_perf_event_open, &copy, pid, processor, -1, PERF_FLAG_FD_CLOEXEC);
    while (event < 0 && errno == EINTR);
    return (int)event;
}

static enum an_code fail_event(int number, struct an_error *error)
{
    errno = number;
    an_fail_errno(error, NULL, "cannot count page faults");
    switch (number) {
    case EACCES:
    case EPERM:
        return an_error_hint(error,
                             "kernel.perf_event_paranoid must be 2 or less, and a container must "
                             "allow perf_event_open; --no-events does without");
    case ENOSYS:
    case ENOENT:
    case EOPNOTSUPP:
        return an_error_hint(error, "this kernel has no such events; --no-events does without");
    case EMFILE:
    case ENFILE:
        return an_error_hint(error, "it requires two file descriptors for each processor; see "
                                    "ulimit -n");
    default:
        return an_error_hint(error, "--no-events does without");
    }
}

enum an_code an_watch_probe(bool *with_kernel, struct an_error *error)
{
    for (int kernel = 1; kernel >= 0; kernel--) {
        struct perf_event_attr attr = an_fault_attr(true, kernel);
        int event = open_event(&attr, 0, -1);
        *with_kernel = kernel;
        if (event >= 0) {
            close(event);
            return AN_OK;
        }
        if (errno != EACCES && errno != EPERM)
            break;
    }
    return fail_event(errno, error);
}

/* ---- what a file is called ---- */

struct search {
    struct an_file_identity *identity;
    bool found;
};

static void look_for_file(void *context, const uint8_t *record, size_t size)
{
    struct search *search = context;
    search->found = an_fault_file(record, size, search->identity) || search->found;
}

/* A mapping of it is made, of which the kernel tells. */
static enum an_code map_and_look(const char *path, int event, int file, struct search *search,
                                 struct an_error *error)
{
    struct an_perf_ring ring;
    uint64_t bytes = 0;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!an_perf_ring_map(&ring, event, page))
        return an_fail_errno(error, NULL, "cannot map a buffer for events");
    ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
    void *mapped = mmap(NULL, page, PROT_READ, MAP_PRIVATE, file, 0);
    ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
    enum an_code code = mapped == MAP_FAILED
                            ? an_fail_errno(error, path, "cannot map")
                            : an_perf_ring_read(&ring, look_for_file, search, &bytes, error);
    if (mapped != MAP_FAILED)
        munmap(mapped, page);
    an_perf_ring_unmap(&ring);
    return code;
}

enum an_code an_watch_identify(const char *path, struct an_file_identity *identity,
                               struct an_error *error)
{
    struct perf_event_attr attr = an_fault_attr(true, false);
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.inherit = attr.enable_on_exec = 0;
    struct search search = {identity, false};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return an_fail_errno(error, path, "cannot open");
    int event = open_event(&attr, 0, -1);
    enum an_code code =
        event < 0 ? fail_event(errno, error) : map_and_look(path, event, file, &search, error);
    if (event >= 0)
        close(event);
    close(file);
    if (code == AN_OK && !search.found) {
        an_fail(error, AN_SYSTEM, "the kernel does not report its mappings");
        return an_error_in(error, path);
    }
    return code;
}

/* ---- opening ---- */

static size_t ring_size(long processors)
{
    size_t size = RING_LEAST;
    while (geteuid() == 0 && size < RING_MOST && 2 * size * (size_t)processors <= RINGS_MOST)
        size *= 2;
    return size;
}

static enum an_code open_minor(struct an_watch *watch, struct processor *processor, pid_t pid,
                               int number, bool with_kernel, struct an_error *error)
{
    struct perf_event_attr attr = an_fault_attr(false, with_kernel);
    processor->minor = open_event(&attr, pid, number);
    if (processor->minor < 0 ||
        ioctl(processor->minor, PERF_EVENT_IOC_SET_OUTPUT, processor->major) != 0 ||
        ioctl(processor->major, PERF_EVENT_IOC_ID, &watch->major_ids[watch->count]) != 0)
        return fail_event(errno, error);
    return AN_OK;
}

static enum an_code open_processor(struct an_watch *watch, pid_t pid, int number, size_t size,
                                   bool with_kernel, struct an_error *error)
{
    struct processor *processor = &watch->processors[watch->count];
    struct perf_event_attr attr = an_fault_attr(true, with_kernel);
    *processor = (struct processor){open_event(&attr, pid, number), -1, {0}};
    if (processor->major < 0 && errno == ENODEV) /* it is switched off */
        return AN_OK;
    if (processor->major < 0)
        return fail_event(errno, error);
    enum an_code code = AN_OK;
    if (!an_perf_ring_map(&processor->ring, processor->major, size)) {
        an_fail_errno(error, NULL, "cannot map a buffer for events");
        code = an_error_hint(error, "/proc/sys/kernel/perf_event_mlock_kb and ulimit -l limit "
                                    "its memory");
    }
    if (code == AN_OK)
        code = open_minor(watch, processor, pid, number, with_kernel, error);
    watch->waits[watch->count] = (struct pollfd){processor->major, POLLIN, 0};
    watch->count++;
    return code;
}

enum an_code an_watch_open(pid_t pid, bool with_kernel, const struct an_file_identity *files,
                           size_t file_count, struct an_replay *replay, struct an_watch **out,
                           struct an_error *error)
{
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    size_t room = (size_t)processors;
    struct an_watch *watch = *out = an_alloc_zero(1, sizeof *watch);
    if (!watch)
        return an_fail_memory(error);
    watch->replay = replay;
    watch->processors = an_alloc_zero(room, sizeof *watch->processors);
    watch->waits = an_alloc_zero(room + 1, sizeof *watch->waits);
    watch->major_ids = an_alloc_zero(room, sizeof *watch->major_ids);
    bool has_room = watch->processors && watch->waits && watch->major_ids;
    enum an_code code = has_room ? AN_OK : an_fail_memory(error);
    for (int i = 0; code == AN_OK && i < processors; i++)
        code = open_processor(watch, pid, i, ring_size(processors), with_kernel, error);
    watch->decoder =
        (struct an_fault_decoder){files, file_count, watch->major_ids, watch->count, 0};
    if (code == AN_OK)
        return AN_OK;
    an_watch_free(watch);
    *out = NULL;
    return code;
}

/* ---- reading ---- */

void an_watch_wait(struct an_watch *watch, int process, int milliseconds)
{
    struct pollfd alone = {process, POLLIN, 0};
    if (!watch) {
        poll(&alone, 1, milliseconds);
        return;
    }
    watch->waits[watch->count] = alone;
    poll(watch->waits, watch->count + 1, milliseconds);
    for (size_t i = 0; i < watch->count; i++)
        if (watch->waits[i].revents & (POLLHUP | POLLERR)) /* no more will come there */
            watch->waits[i].fd = -1;
}

static void take_record(void *context, const uint8_t *record, size_t size)
{
    struct an_watch *watch = context;
    struct an_fault_event event;
    if (!an_fault_decode(&watch->decoder, record, size, &event))
        return;
    struct an_fault_event *place = an_vector_push(&watch->pending);
    if (!place) {
        watch->no_memory = true;
        return;
    }
    event.sequence = watch->sequence++;
    *place = event;
}

static int by_time(const void *a, const void *b)
{
    const struct an_fault_event *one = a, *other = b;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->sequence < other->sequence ? -1 : one->sequence > other->sequence;
}

/* Replays what is older than that. */
static bool replay_until(struct an_watch *watch, uint64_t time)
{
    size_t done = 0;
    if (watch->pending.count)
        qsort(watch->pending.items, watch->pending.count, sizeof *watch->pending.items, by_time);
    while (done < watch->pending.count && watch->pending.items[done].time < time)
        if (!an_replay_take(watch->replay, &watch->pending.items[done++]))
            return false;
    watch->pending.count -= done;
    if (done)
        memmove(watch->pending.items, watch->pending.items + done,
                watch->pending.count * sizeof *watch->pending.items);
    return true;
}

static enum an_code drain(struct an_watch *watch, struct an_error *error)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < watch->count; i++) {
        enum an_code code =
            an_perf_ring_read(&watch->processors[i].ring, take_record, watch, &bytes, error);
        if (code != AN_OK)
            return code;
    }
    return watch->no_memory ? an_fail_memory(error) : AN_OK;
}

enum an_code an_watch_round(struct an_watch *watch, struct an_error *error)
{
    uint64_t began = an_clock_now();
    enum an_code code = drain(watch, error);
    if (code == AN_OK && !replay_until(watch, watch->safe))
        code = an_fail_memory(error);
    watch->safe = began;
    return code;
}

static uint64_t count_of(int event)
{
    uint64_t value = 0;
    return read(event, &value, sizeof value) == sizeof value ? value : 0;
}

enum an_code an_watch_finish(struct an_watch *watch, struct an_watch_counts *counts,
                             struct an_error *error)
{
    *counts = (struct an_watch_counts){0};
    for (size_t i = 0; i < watch->count; i++) {
        ioctl(watch->processors[i].major, PERF_EVENT_IOC_DISABLE, 0);
        ioctl(watch->processors[i].minor, PERF_EVENT_IOC_DISABLE, 0);
    }
    enum an_code code = drain(watch, error);
    if (code == AN_OK && !replay_until(watch, UINT64_MAX))
        code = an_fail_memory(error);
    for (size_t i = 0; i < watch->count; i++) {
        counts->major += count_of(watch->processors[i].major);
        counts->minor += count_of(watch->processors[i].minor);
    }
    /* What was dropped last is told by no record that follows. */
    uint64_t counted = counts->major + counts->minor;
    uint64_t seen = watch->replay->major + watch->replay->minor;
    uint64_t missing = counted > seen ? counted - seen : 0;
    counts->lost = watch->decoder.lost > missing ? watch->decoder.lost : missing;
    return code;
}

void an_watch_free(struct an_watch *watch)
{
    if (!watch)
        return;
    for (size_t i = 0; i < watch->count; i++) {
        struct processor *processor = &watch->processors[i];
        an_perf_ring_unmap(&processor->ring);
        close(processor->major);
        if (processor->minor >= 0)
            close(processor->minor);
    }
    an_vector_free(&watch->pending);
    free(watch->major_ids);
    free(watch->waits);
    free(watch->processors);
    free(watch);
}
