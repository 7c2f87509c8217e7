/* traffic.c of lib/work: bytes that a child of this process reads and writes. */
#include "work/traffic.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

enum { PIECE = 100, STEPS = 2000 };

enum kind {
    SERVES,      /* reads and writes in proportion to its work */
    COMPUTES,    /* hardly ever reads or writes */
    LOGS,        /* one thread computes, another one reads and writes */
    HAS_CHILDREN /* of which each reads and writes */
};

/* In memory that both see: what the child has written, and whether it shall stop. */
struct shared {
    volatile uint64_t read, written;
    volatile int stops, has_stopped, waits_for_child;
};

static volatile uint64_t sink;

static void compute(unsigned steps)
{
    for (unsigned i = 0; i < steps; i++)
        sink = sink * 6364136223846793005u + 1;
}

/* One answer: half of the bytes come in that go out. */
static void serve(struct shared *shared, int zero, int null)
{
    char bytes[PIECE] = {0};
    compute(STEPS);
    if (read(zero, bytes, PIECE / 2) == PIECE / 2)
        shared->read += PIECE / 2;
    if (write(null, bytes, PIECE) == PIECE)
        shared->written += PIECE;
}

static void *compute_for_ever(void *unused)
{
    for (;;)
        compute(STEPS);
    return unused;
}

/* A child that reads and writes, and is waited for. */
static void have_child(int zero, int null)
{
    char bytes[PIECE];
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 1000; i++)
            if (read(zero, bytes, PIECE) != PIECE || write(null, bytes, PIECE) != PIECE)
                _exit(1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void work(struct shared *shared, enum kind kind)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nothing behind */
    int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
    pthread_t thread;
    if (kind == LOGS)
        pthread_create(&thread, NULL, compute_for_ever, NULL);
    for (;;) {
        if (kind == COMPUTES)
            compute(STEPS);
        else
            serve(shared, zero, null);
        if (kind == HAS_CHILDREN || shared->waits_for_child) {
            have_child(zero, null);
            shared->waits_for_child = 0;
        }
        while (shared->stops) {
            shared->has_stopped = 1;
            usleep(1000);
        }
        shared->has_stopped = 0;
    }
}

static struct shared *begin(enum kind kind, pid_t *child)
{
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    *child = fork();
    if (*child == 0)
        work(shared, kind);
    assert_true(*child > 0);
    return shared;
}

static void end(struct shared *shared, pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    munmap(shared, sizeof *shared);
}

/* The other process says when; until then it is looked at again and again. */
static void await(const volatile int *flag, int value)
{
    while (*flag != value)
        usleep(1000);
}

static void await_written(const struct shared *shared, uint64_t bytes)
{
    while (shared->written < bytes)
        usleep(1000);
}

static struct an_traffic *opened(pid_t child)
{
    const struct an_work_options options = {.size = sizeof options, .pid = child};
    struct an_traffic *traffic = NULL;
    struct an_error error;
    char text[2048];
    check(an_traffic_open(&options, &traffic, &error) == AN_OK, "%s",
          an_error_format(&error, text, sizeof text));
    return traffic;
}

static struct an_work_reading reading_of(struct an_traffic *traffic, bool should_be_over)
{
    struct an_work_reading reading;
    assert_int_equal(an_traffic_read(traffic, &reading), !should_be_over);
    return reading;
}

/* While it stands still, its own counts and the kernel's are of one moment. */
static void test_counts(void **context)
{
    pid_t child;
    struct shared *shared = begin(SERVES, &child);
    struct an_traffic *traffic = opened(child);
    struct an_work_reading before, after, slice;
    (void)context;
    shared->stops = 1;
    await(&shared->has_stopped, 1);
    uint64_t bytes_read = shared->read, bytes_written = shared->written;
    before = reading_of(traffic, false);
    shared->stops = 0;
    await(&shared->has_stopped, 0);
    await_written(shared, bytes_written + 100000 * (uint64_t)PIECE);
    shared->stops = 1;
    await(&shared->has_stopped, 1);
    after = reading_of(traffic, false);
    assert_true(an_work_slice(&before, &after, &slice));
    assert_int_equal(slice.entries[0], shared->read - bytes_read);
    assert_int_equal(slice.entries[1], shared->written - bytes_written);
    assert_true(slice.cpu > 0 && slice.wall > 0);
    end(shared, child);
    reading_of(traffic, true);
    an_traffic_close(traffic);
}

/* The kernel adds what a child has read and written when it is waited for: that slice counts nothing, the next one does. */
static void test_child(void **context)
{
    pid_t child;
    struct shared *shared = begin(SERVES, &child);
    struct an_traffic *traffic = opened(child);
    struct an_work_reading before = reading_of(traffic, false), after, slice;
    (void)context;
    shared->waits_for_child = 1;
    await(&shared->waits_for_child, 0);
    after = reading_of(traffic, false);
    assert_false(an_work_slice(&before, &after, &slice));
    before = after;
    uint64_t written = shared->written;
    await_written(shared, written + PIECE);
    after = reading_of(traffic, false);
    assert_true(an_work_slice(&before, &after, &slice));
    assert_true(slice.entries[1] >= PIECE);
    an_traffic_close(traffic);
    end(shared, child);
}

static void refuses(enum kind kind, const char *words)
{
    pid_t child;
    struct shared *shared = begin(kind, &child);
    const struct an_work_options options = {.size = sizeof options, .pid = child};
    struct an_traffic *traffic;
    struct an_error error;
    assert_int_equal(an_traffic_open(&options, &traffic, &error), AN_UNSUPPORTED);
    check(strstr(error.what, words) != NULL, "%s", error.what);
    assert_null(traffic);
    end(shared, child);
}

static void test_refuses(void **context)
{
    (void)context;
    refuses(COMPUTES, "too seldom");
    refuses(HAS_CHILDREN, "waits for children");
}

/* What is read and written by one thread says nothing of the others. */
static void test_threads(void **context)
{
    (void)context;
    refuses(LOGS, "of its CPU time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_child),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_threads),
    };
    return RUN_TESTS(tests);
}
