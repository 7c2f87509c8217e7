/*
 * prefork BOARD
 *
 * A server that forks, as those do that start their workers before there is work. Each process works, and
 * throws and catches exceptions, with the same code; all results are checked. Each has a line on the board,
 * with its number as its name. What it does otherwise, signals tell:
 *
 *     SIGUSR1    it forks: the child goes on like it
 *     SIGUSR2    it starts its own program anew, in the same process, and waits there
 *     SIGTERM    it ends, and leaves its children to themselves
 *
 * prefork --fork-often BOARD: the first process forks all the time, too, and lets its children end. Those that stay work
 * now and then: there may be many of them.
 */
#include <csignal>
#include <cstdlib>
#include <sys/wait.h>

#include "target.h"
#include "work.h"

namespace
{

enum { SEED = 7, STEPS = 100, DEPTH = 5, ONES_WORK = 33 };

volatile uint64_t seed = SEED; /* for the compiler, a different one each time */
uint64_t expected;
board *lines;

/* Comes back as an exception, through functions that have moved. */
HOT uint64_t fall(unsigned depth, uint64_t value)
{
    if (depth == 0)
        throw work(value, STEPS);
    return fall(depth - 1, value) + work(value + depth, STEPS);
}

HOT uint64_t caught(uint64_t value)
{
    try {
        return fall(DEPTH, value);
    } catch (uint64_t thrown) {
        return thrown;
    }
}

HOT bool works_well()
{
    return work(seed, STEPS) == expected && caught(seed) == expected;
}

uint64_t *begin_line()
{
    uint64_t line = __atomic_fetch_add(&lines->count, 1, __ATOMIC_RELAXED);
    if (line >= MOST_WORKERS)
        disturbed("more than %d processes", MOST_WORKERS);
    snprintf(lines->workers[line].name, sizeof lines->workers[line].name, "%d", getpid());
    return &lines->workers[line].rounds;
}

/* In a child of one's own, which does not stay */
void fork_shortly()
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        for (unsigned i = 0; i < 5; i++)
            if (!works_well())
                _exit(1);
        _exit(ONES_WORK);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != ONES_WORK)
        disturbed("a child ended with status %#x", static_cast<unsigned>(status));
}

void serve(bool forks_often)
{
    timespec a_while = {0, 500000};
    uint64_t *rounds = begin_line();
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigaddset(&signals, SIGUSR2);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    for (;;) {
        int signal = sigtimedwait(&signals, nullptr, &a_while);
        pid_t child = signal == SIGUSR1 ? fork() : 1;
        if (child < 0)
            give_up("fork");
        if (child == 0) {
            rounds = begin_line();
            if (forks_often)
                a_while.tv_nsec = 20000000;
            forks_often = false;
        }
        if (signal == SIGUSR2)
            execl("/proc/self/exe", "prefork", "--wait", static_cast<char *>(nullptr));
        if (signal == SIGTERM)
            return;
        if (!works_well())
            disturbed("a wrong result");
        if (forks_often)
            fork_shortly();
        __atomic_fetch_add(rounds, 1, __ATOMIC_RELAXED);
    }
}

/* The new program has the mask of the old one. */
int wait_for_end()
{
    sigset_t end;
    int signal;
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    return sigwait(&end, &signal) == 0 ? CALM : UNABLE;
}

} // namespace

int main(int argc, char **argv)
{
    bool forks_often = argc == 3 && strcmp(argv[1], "--fork-often") == 0;
    if (argc == 2 && strcmp(argv[1], "--wait") == 0)
        return wait_for_end();
    if (argc != 2 + forks_often)
        return 2;
    lines = map_board(argv[1 + forks_often]);
    expected = work(seed, STEPS);
    serve(forks_often);
    return CALM;
}
