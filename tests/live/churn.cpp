/*
 * churn BOARD
 *
 * A program that does not stay as it is, while it works: it forks, and the child goes on with the
 * same code; starts processes the quick way (vfork), where the child runs in its parent's memory;
 * loads and unloads a library; starts threads and ends them; works in a signal handler a thousand
 * times a second; and leaves contexts (makecontext, setjmp) in the middle of hot functions, with
 * stacks that are no thread's, to come back to them a long time later. All results are checked.
 */
#include <csetjmp>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <vector>

#include "target.h"
#include "work.h"

namespace
{

enum { SEED = 7, STEPS = 300, CHILD_IS_WELL = 33, JUMPED = 34 };

volatile uint64_t seed = SEED; /* for the compiler, a different one each time */
uint64_t expected;

HOT bool works_well()
{
    return work(seed, STEPS) == expected;
}

HOT void check_work(const char *who)
{
    if (!works_well())
        disturbed("%s: a wrong result", who);
}

/* ---- processes ---- */

void wait_for(const char *who, pid_t child, int wanted)
{
    int status = 0;
    if (child < 0)
        give_up(who);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != wanted)
        disturbed("%s: a child ended with status %#x", who, static_cast<unsigned>(status));
}

void fork_often(worker *worker)
{
    for (; !is_ending(); beat(worker)) {
        pid_t child = fork();
        if (child == 0) {
            for (unsigned i = 0; i < 5; i++)
                if (!works_well())
                    _exit(1);
            _exit(CHILD_IS_WELL);
        }
        wait_for("fork", child, CHILD_IS_WELL);
        rest(15000);
    }
}

/* The child is in hot functions before it runs another program. */
void vfork_often(worker *worker)
{
    for (; !is_ending(); beat(worker)) {
        pid_t child = vfork();
        if (child == 0) {
            if (works_well())
                execl("/bin/true", "true", static_cast<char *>(nullptr));
            _exit(1);
        }
        wait_for("vfork", child, 0);
        rest(15000);
    }
}

/* ---- libraries ---- */

/* Programs that are linked statically cannot load any: STATIC says so. */
void load_often(worker *worker)
{
    for (; !is_ending(); beat(worker)) {
#ifndef STATIC
        void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!library)
            give_up(dlerror());
        auto crc32 = reinterpret_cast<unsigned long (*)(unsigned long, const char *, unsigned)>(
            dlsym(library, "crc32"));
        if (!crc32 || crc32(0, "123456789", 9) != 0xcbf43926)
            disturbed("the library gave a wrong result");
        dlclose(library);
#endif
        check_work("loader");
        rest(5000);
    }
}

/* ---- threads ---- */

void *live_shortly(void *argument)
{
    return works_well() ? argument : nullptr;
}

void start_often(worker *worker)
{
    for (; !is_ending(); beat(worker)) {
        pthread_t threads[3];
        for (auto &thread : threads)
            if (pthread_create(&thread, nullptr, live_shortly, worker))
                give_up("pthread_create");
        for (auto thread : threads) {
            void *result;
            pthread_join(thread, &result);
            if (result != worker)
                disturbed("a thread gave a wrong result");
        }
        rest(2000);
    }
}

/* ---- signals ---- */

thread_local uint64_t signals_handled;

HOT void handle(int)
{
    signals_handled++;
    check_work("signal handler");
}

timer_t send_signals(int number)
{
    const struct itimerspec times = {{0, 2000000}, {0, 2000000}};
    struct sigevent event = {};
    timer_t timer;
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = number;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &times, nullptr))
        give_up("timer_create");
    return timer;
}

/* Every other one on a stack of its own */
void take_signals(worker *worker)
{
    static char other_stack[64 << 10];
    stack_t stack = {other_stack, 0, sizeof other_stack};
    struct sigaction action = {};
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigaction(SIGUSR2, &action, nullptr);
    sigaltstack(&stack, nullptr);
    timer_t timers[] = {send_signals(SIGUSR1), send_signals(SIGUSR2)};
    while (!is_ending()) {
        uint64_t before = signals_handled;
        for (unsigned i = 0; i < 100; i++)
            check_work("between signals");
        if (signals_handled > before)
            beat(worker);
        rest(500);
    }
    for (auto timer : timers)
        timer_delete(timer);
}

/* ---- contexts that wait in hot functions ---- */

struct context {
    ucontext_t here, outside;
    std::vector<char> stack;
    uint64_t turns;
    uint64_t result;
};

thread_local context *running;

HOT uint64_t leave(context &context, uint64_t value)
{
    context.turns++;
    swapcontext(&context.here, &context.outside);
    return value + 1;
}

/* Is left at each level, with its sums in registers and on its own stack. */
HOT uint64_t dive(context &context, unsigned level, uint64_t value)
{
    uint64_t sum = work(value % 8, 20);
    sum += leave(context, level);
    if (level)
        sum += dive(context, level - 1, value + 1);
    sum += leave(context, value);
    return sum ^ work(value % 8, 20);
}

void begin_context()
{
    context &context = *running;
    for (;;) {
        context.result = dive(context, 6, SEED);
        leave(context, 0);
    }
}

void make_context(context &context)
{
    context.stack.resize(256 << 10);
    context.turns = 0;
    context.result = 0;
    getcontext(&context.here);
    context.here.uc_stack.ss_sp = context.stack.data();
    context.here.uc_stack.ss_size = context.stack.size();
    context.here.uc_link = nullptr;
    makecontext(&context.here, begin_context, 0);
}

HOT void enter(context &context)
{
    running = &context;
    swapcontext(&context.outside, &context.here);
}

uint64_t result_of_context()
{
    context context;
    for (make_context(context); context.result == 0;)
        enter(context);
    return context.result;
}

/* Each of many contexts is entered seldom. */
void change_contexts(worker *worker)
{
    std::vector<context> contexts(64);
    const uint64_t wanted = result_of_context();
    for (auto &context : contexts)
        make_context(context);
    for (; !is_ending(); beat(worker)) {
        context &context = contexts[chance(&worker->random) % contexts.size()];
        enter(context);
        if (context.result != 0 && context.result != wanted)
            disturbed("a context gave a wrong result");
        check_work("between contexts");
        rest(3000);
    }
}

/* ---- the old way to come back ---- */

HOT void jump_back(jmp_buf place, unsigned level)
{
    check_work("before longjmp");
    if (level)
        jump_back(place, level - 1);
    else if (works_well())
        longjmp(place, JUMPED);
}

/* The place is kept for half a second. */
HOT void stay_long(worker *worker)
{
    jmp_buf place;
    int result = setjmp(place);
    if (result == 0) {
        for (unsigned i = 0; i < 50 && !is_ending(); i++, beat(worker)) {
            check_work("between setjmp and longjmp");
            rest(10000);
        }
        jump_back(place, 5);
    }
    if (result != JUMPED)
        disturbed("longjmp gave %d", result);
}

void jump_seldom(worker *worker)
{
    while (!is_ending())
        stay_long(worker);
}

} // namespace

int main(int argc, char **argv)
{
    static worker workers[] = {
        {"fork", fork_often, 0, nullptr, 0, 0},
        {"vfork", vfork_often, 0, nullptr, 0, 0},
        {"libraries", load_often, 0, nullptr, 0, 0},
        {"threads", start_often, 0, nullptr, 0, 0},
        {"signals", take_signals, 0, nullptr, 0, 0},
        {"contexts", change_contexts, 0, nullptr, 0, 0},
        {"longjmp", jump_seldom, 0, nullptr, 0, 0},
    };
    if (argc != 2)
        return 2;
    expected = work(seed, STEPS);
    run_workers(argv[1], workers, 7);
    return CALM;
}
