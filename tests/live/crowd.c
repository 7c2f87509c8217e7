/*
 * crowd BOARD SLEEPERS KIND...
 *
 * A program of many threads. SLEEPERS of them wait, in the four ways of `ways` in turn, until "rouse" has them work,
 * twenty in each of its rounds; beside them and it works one thread for each KIND:
 *
 *     compute     works all the time
 *     signals     works in a handler, five hundred times a second, on a stack for signals with a guard
 *     children    forks all the time; each child works, and its exit status is checked
 *     memory      visits some pages of 16 GB of which few were ever touched
 *     hostile     works, and has many words that are addresses right behind the entry of a function
 *
 * All results are checked. What the threads need of their stacks they have touched when the program is ready.
 */
#include <semaphore.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <poll.h>

#include "target.h"
#include "work.h"

enum { SEED = 7, STEPS = 100, CHILD_IS_WELL = 33, PAGE = 4096, STACK = 128 << 10 };

static volatile uint64_t seed = SEED; /* for the compiler, a different one each time */
static uint64_t expected;

HOT static int works_well(void)
{
    return work(seed, STEPS) == expected;
}

HOT static void check_work(const char *who)
{
    if (!works_well())
        disturbed("%s: a wrong result", who);
}

/* ---- sleepers ---- */

struct sleeper {
    pthread_t thread;
    sem_t call;
    int event, poller; /* an eventfd, and an epoll that waits for it */
    unsigned number;
};

static struct sleeper *sleepers;
static unsigned sleeper_count;
static sem_t answer;

static void take_event(const struct sleeper *sleeper)
{
    uint64_t count;
    if (read(sleeper->event, &count, sizeof count) != sizeof count)
        disturbed("sleeper: no event");
}

static void wait_for_semaphore(struct sleeper *sleeper)
{
    if (sem_wait(&sleeper->call))
        disturbed("sem_wait: %m");
}

static void wait_for_file(struct sleeper *sleeper)
{
    take_event(sleeper);
}

static void wait_in_poll(struct sleeper *sleeper)
{
    struct pollfd file = {.fd = sleeper->event, .events = POLLIN};
    if (poll(&file, 1, -1) != 1)
        disturbed("poll: %m");
    take_event(sleeper);
}

/* Merely stopping the thread would interrupt this one, for good. */
static void wait_in_epoll(struct sleeper *sleeper)
{
    struct epoll_event event;
    if (epoll_wait(sleeper->poller, &event, 1, -1) != 1)
        disturbed("epoll_wait: %m");
    take_event(sleeper);
}

static void (*const ways[])(struct sleeper *) = {wait_for_semaphore, wait_for_file, wait_in_poll,
                                                 wait_in_epoll};
enum { WAYS = sizeof ways / sizeof *ways };

static void *sleep_mostly(void *argument)
{
    struct sleeper *sleeper = argument;
    for (;;) {
        ways[sleeper->number % WAYS](sleeper);
        check_work("sleeper");
        sem_post(&answer);
    }
    return NULL;
}

static void wake(struct sleeper *sleeper)
{
    const uint64_t one = 1;
    if (sleeper->number % WAYS == 0)
        sem_post(&sleeper->call);
    else if (write(sleeper->event, &one, sizeof one) != sizeof one)
        give_up("eventfd");
    while (sem_wait(&answer))
        ;
}

/* One after the other, a few each round. */
static void rouse(struct worker *worker)
{
    enum { EACH = 20 };
    for (unsigned next = 0; !is_ending(); beat(worker)) {
        for (unsigned i = 0; i < EACH && sleeper_count; i++, next++)
            wake(&sleepers[next % sleeper_count]);
        rest(1000);
    }
}

static void open_events(struct sleeper *sleeper)
{
    struct epoll_event event = {.events = EPOLLIN};
    sem_init(&sleeper->call, 0, 0);
    if (sleeper->number % WAYS == 0)
        return;
    sleeper->event = eventfd(0, EFD_CLOEXEC);
    sleeper->poller = sleeper->number % WAYS == 3 ? epoll_create1(EPOLL_CLOEXEC) : -1;
    if (sleeper->event < 0 || (sleeper->number % WAYS == 3 &&
                               epoll_ctl(sleeper->poller, EPOLL_CTL_ADD, sleeper->event, &event)))
        give_up("eventfd");
}

/* Most of them have a file or two. */
static void allow_files(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void start_sleepers(unsigned count)
{
    pthread_attr_t attributes;
    allow_files();
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    sem_init(&answer, 0, 0);
    sleepers = calloc(count + 1, sizeof *sleepers);
    if (!sleepers)
        give_up("calloc");
    for (unsigned i = 0; i < count; i++) {
        sleepers[i].number = i;
        open_events(&sleepers[i]);
        if (pthread_create(&sleepers[i].thread, &attributes, sleep_mostly, &sleepers[i]))
            give_up("pthread_create");
    }
    for (unsigned i = 0; i < count; i++)
        wake(&sleepers[i]);
    sleeper_count = count;
}

/* ---- the others ---- */

static void compute(struct worker *worker)
{
    for (; !is_ending(); beat(worker))
        check_work("compute");
}

static _Thread_local volatile uint64_t handled;

HOT static void handle(int number)
{
    (void)number;
    handled++;
    check_work("signal handler");
}

static void give_signal_stack(void)
{
    char *memory =
        mmap(NULL, STACK + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, PAGE, PROT_NONE))
        give_up("mmap");
    stack_t stack = {.ss_sp = memory + PAGE, .ss_size = STACK};
    if (sigaltstack(&stack, NULL))
        give_up("sigaltstack");
}

static timer_t send_signals(void)
{
    const struct itimerspec times = {{0, 2000000}, {0, 2000000}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2};
    timer_t timer;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &times, NULL))
        give_up("timer_create");
    return timer;
}

static void take_signals(struct worker *worker)
{
    give_signal_stack();
    timer_t timer = send_signals();
    while (!is_ending()) {
        uint64_t before = handled;
        for (unsigned i = 0; i < 20; i++)
            check_work("between signals");
        if (handled > before)
            beat(worker);
        rest(500);
    }
    timer_delete(timer);
}

static void have_children(struct worker *worker)
{
    for (; !is_ending(); beat(worker)) {
        int status = 0;
        pid_t child = fork();
        if (child == 0)
            _exit(works_well() && works_well() ? CHILD_IS_WELL : 1);
        if (child < 0)
            give_up("fork");
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
            WEXITSTATUS(status) != CHILD_IS_WELL)
            disturbed("a child ended with status %#x", (unsigned)status);
        rest(5000);
    }
}

static void visit_memory(struct worker *worker)
{
    enum { TOUCHED = 64 };
    const uint64_t size = (uint64_t)16 << 30, step = size / TOUCHED / 8;
    volatile uint64_t *words = mmap(NULL, size, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (words == MAP_FAILED)
        give_up("mmap");
    madvise((void *)words, size, MADV_NOHUGEPAGE);
    for (uint64_t i = 0; i < TOUCHED; i++)
        words[i * step] = i;
    for (; !is_ending(); beat(worker)) {
        uint64_t i = chance(&worker->random) % TOUCHED;
        if (words[i * step] != i)
            disturbed("memory: a wrong value");
        check_work("memory");
        rest(1000);
    }
}

static void be_hostile(struct worker *worker)
{
    enum { WORDS = 400000, NEAR = 32 };
    uint64_t *words = calloc(WORDS, sizeof *words);
    if (!words)
        give_up("calloc");
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = (uintptr_t)fold + i % NEAR;
    for (; !is_ending(); beat(worker)) {
        check_work("hostile");
        rest(1000);
    }
    free(words);
}

static void (*run_of(const char *kind))(struct worker *)
{
    static const struct {
        const char *name;
        void (*run)(struct worker *);
    } kinds[] = {{"compute", compute},
                 {"signals", take_signals},
                 {"children", have_children},
                 {"memory", visit_memory},
                 {"hostile", be_hostile}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, kind) == 0)
            return kinds[i].run;
    return NULL;
}

int main(int argc, char **argv)
{
    static struct worker workers[MOST_WORKERS] = {{.name = "rouse", .run = rouse}};
    unsigned count = 1;
    sigset_t end;
    for (int i = 3; i < argc && count < MOST_WORKERS; i++, count++)
        workers[count] = (struct worker){.name = argv[i], .run = run_of(argv[i])};
    for (unsigned i = 0; i < count; i++)
        if (argc < 3 || !workers[i].run)
            return 2;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigaction(SIGUSR2, &action, NULL);
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &end, NULL);
    expected = work(seed, STEPS);
    start_sleepers((unsigned)atoi(argv[2]));
    run_workers(argv[1], workers, count);
    return CALM;
}
