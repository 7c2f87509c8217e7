/*
 * step_record -o FILE [OPTION]... -- COMMAND...
 * step_record -o FILE [OPTION]... -p PID
 *
 * Records branch stacks on a machine that has none: stops one of the running threads of a process
 * time and again, single-steps it until it has taken as many branches as a branch stack holds, and
 * lets it run. What comes out is the perf.data file that `perf record -e cycles:u -j any,u` would
 * have made. x86-64 only.
 *
 * A window is dropped when a signal arrives in it, since the way to the handler is no branch. As in
 * real stacks, system calls leave no trace. `jmp .` is not seen. Mispredictions are made up: one in
 * twenty of the conditional branches.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/perf_write.h"
#include "support/process_watch.h"
#include "support/random.h"
#include "support/step_window.h"

/* How long a window may last, and how long to wait when nothing runs; microseconds. */
enum { LONGEST_WINDOW = 400000, IDLE = 300, WINDOWS_PER_ROUND = 64, MISPREDICTED_IN = 20 };

struct options {
    const char *output;
    unsigned long windows; /* 0: until the process ends */
    unsigned long branches, skip;
    uint64_t seed;
    pid_t pid;
    bool follow_forks;
    char **command;
};

struct counts {
    unsigned long full, dropped, parked, gone;
};

static volatile bool give_up, stop;

static void on_signal(int signal)
{
    give_up = true;
    if (signal != SIGALRM)
        stop = true;
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "step_record: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* ---- options ---- */

static _Noreturn void usage(void)
{
    fputs("usage: step_record -o FILE [-n WINDOWS] [-b BRANCHES] [-s MICROSECONDS] [--seed N]\n"
          "                   [--follow-forks] -p PID | -- COMMAND...\n"
          "  -n WINDOWS       so many samples, then stop; without it, until the process ends\n"
          "  -b BRANCHES      in a sample (32)\n"
          "  -s MICROSECONDS  to let the process run between two windows (1000)\n"
          "  --seed N         of the choice of threads and of the mispredictions (1)\n"
          "  --follow-forks   records the processes that it starts, too\n",
          stderr);
    exit(2);
}

static unsigned long number(const char *text, unsigned long least, unsigned long most)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most) {
        fprintf(stderr, "step_record: %s is not a number from %lu to %lu\n", text, least, most);
        exit(2);
    }
    return value;
}

static struct options parse(int argc, char **argv)
{
    static const struct option names[] = {{"seed", required_argument, NULL, 'S'},
                                          {"follow-forks", no_argument, NULL, 'F'},
                                          {NULL, 0, NULL, 0}};
    struct options options = {.branches = 32, .skip = 1000, .seed = 1};
    for (int c; (c = getopt_long(argc, argv, "+o:n:b:s:p:", names, NULL)) != -1;) {
        if (c == 'o')
            options.output = optarg;
        else if (c == 'n')
            options.windows = number(optarg, 1, 1ul << 40);
        else if (c == 'b')
            options.branches = number(optarg, 1, MOST_WINDOW_BRANCHES);
        else if (c == 's')
            options.skip = number(optarg, 0, 1ul << 40);
        else if (c == 'S')
            options.seed = number(optarg, 1, ~0ul);
        else if (c == 'p')
            options.pid = (pid_t)number(optarg, 1, 1ul << 30);
        else if (c == 'F')
            options.follow_forks = true;
        else
            usage();
    }
    options.command = argv + optind;
    if (!options.output || (options.pid != 0) == (*options.command != NULL))
        usage();
    return options;
}

/* ---- the process ---- */

/* The command, stopped where it has just been loaded. */
static pid_t start(char **command)
{
    int gate[2], status;
    char byte = 0;
    if (pipe(gate) != 0)
        fail("pipe");
    pid_t pid = fork();
    if (pid < 0)
        fail("fork");
    if (pid == 0) {
        close(gate[1]);
        if (read(gate[0], &byte, 1) != 1)
            _exit(126);
        close(gate[0]);
        execvp(*command, command);
        fprintf(stderr, "step_record: %s: %s\n", *command, strerror(errno));
        _exit(127);
    }
    close(gate[0]);
    if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACEEXEC) != 0)
        fail("ptrace");
    if (write(gate[1], &byte, 1) != 1 || waitpid(pid, &status, 0) < 0)
        fail(*command);
    close(gate[1]);
    if (!WIFSTOPPED(status))
        exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    return pid;
}

/* Alarms end a window that lasts too long; they come again, in case one is missed. */
static void set_alarm(bool on)
{
    struct timeval first = {0, on ? LONGEST_WINDOW : 0}, again = {0, on ? 10000 : 0};
    setitimer(ITIMER_REAL, &(struct itimerval){again, first}, NULL);
    if (!on)
        give_up = stop;
}

static void catch_signals(void)
{
    static const int signals[] = {SIGALRM, SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

/* ---- recording ---- */

static void write_window(struct perf_writer *writer, const struct window *window, pid_t pid,
                         uint64_t time, uint64_t *random)
{
    struct perf_branch newest_first[MOST_WINDOW_BRANCHES];
    for (size_t i = 0; i < window->count; i++) {
        struct perf_branch *branch = &newest_first[window->count - 1 - i];
        *branch = window->branches[i];
        branch->mispredicted = window->conditional[i] && random_next(random) % MISPREDICTED_IN == 0;
    }
    perf_write_sample(writer, time, (struct perf_thread){pid, window->tid}, window->steps,
                      newest_first, window->count);
}

static void record_window(struct perf_writer *writer, struct process_watch *watch,
                          const struct options *options, struct perf_thread thread,
                          uint64_t *random, struct counts *counts)
{
    static struct window window;
    set_alarm(true);
    enum window_end end = window_step(&window, thread.tid, options->branches, &give_up);
    set_alarm(false);
    counts->full += end == WINDOW_FULL;
    counts->dropped += end == WINDOW_DROPPED;
    counts->parked += end == WINDOW_PARKED;
    counts->gone += end == WINDOW_GONE;
    if (end == WINDOW_FULL) {
        process_watch_mappings(watch, thread.pid, now());
        write_window(writer, &window, thread.pid, now(), random);
        if (counts->full % WINDOWS_PER_ROUND == 0)
            perf_write_round(writer);
    }
    if (end == WINDOW_FULL || end == WINDOW_DROPPED)
        window_let_go(&window);
}

/* Until there are enough windows or nothing is left to watch. */
static void record(struct perf_writer *writer, struct process_watch *watch,
                   const struct options *options, struct counts *counts)
{
    uint64_t random = random_of(options->seed, 0) | 1;
    while (!stop && process_watch_any(watch) &&
           (options->windows == 0 || counts->full < options->windows)) {
        parked_let_go(false);
        process_watch_tasks(watch, now());
        struct perf_thread thread = process_watch_pick(watch, random_next(&random));
        if (thread.tid == 0 || is_parked(thread.tid)) {
            usleep(IDLE);
            continue;
        }
        record_window(writer, watch, options, thread, &random, counts);
        if (options->skip)
            usleep((useconds_t)options->skip);
    }
    parked_let_go(true);
}

static int wait_for(pid_t child)
{
    int status;
    if (!seen_to_end(child, &status))
        while (waitpid(child, &status, 0) < 0)
            if (errno != EINTR)
                return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    struct counts counts = {0};
    struct perf_writer *writer = perf_writer_open(options.output);
    if (!writer)
        fail(options.output);
    struct process_watch *watch = process_watch_new(writer, options.follow_forks);
    pid_t child = options.pid ? 0 : start(options.command), pid = child ? child : options.pid;
    if (!watch || !process_watch_add(watch, pid))
        fail("memory");
    process_watch_mappings(watch, pid, now());
    catch_signals();
    if (child)
        ptrace(PTRACE_DETACH, child, NULL, NULL);
    record(writer, watch, &options, &counts);
    process_watch_free(watch);
    if (!perf_writer_close(writer))
        fail(options.output);
    fprintf(stderr, "step_record: %lu windows, %lu dropped, %lu blocked, %lu cut off by an end\n",
            counts.full, counts.dropped, counts.parked, counts.gone);
    return child ? wait_for(child) : 0;
}
