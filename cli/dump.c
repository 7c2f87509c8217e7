/* anneal dump: has a running program write its profile. */
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/proc.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "cli/rt/process.h"
#include "hosted/process.h"

enum { QUIET = 1, TIMEOUT, INTERVAL };

struct dump_request {
    double seconds, interval; /* 0: once */
    bool quiet;
};

static const struct option_spec options[] = {
    {TIMEOUT, 't', "timeout", "TIME", "wait up to TIME for each process (default: 30s)",
     SECONDS_FROM_0_OF(struct dump_request, seconds)},
    {INTERVAL, 0, "interval", "TIME", "write again and again, every TIME, until the processes end",
     SECONDS_OF(struct dump_request, interval)},
    QUIET_ROW(QUIET, VALUE_OF(struct dump_request, quiet)),
    {0},
};

/*
 * Whether something has failed because a process has ended that may. `end` is about its pidfd, NULL: it may not. A process
 * loses its memory a moment before it is told to have ended.
 */
static bool has_ended(struct pollfd *end)
{
    enum { A_MOMENT = 1000 };
    return end && poll(end, 1, A_MOMENT) > 0;
}

static bool read_word(const struct rt_process *process, size_t offset, uint64_t *word)
{
    return rt_process_read(process, process->address + offset, word, sizeof *word);
}

/* Whether the process has a handler for a signal: without one it would end. */
static bool catches(pid_t pid, int signal)
{
    struct an_buffer status = {0};
    bool does =
        an_proc_text(an_proc_living(pid), "status", &status) &&
        an_proc_status_number((const char *)status.data, "\nSigCgt:", 16) >> (signal - 1) & 1;
    an_buffer_free(&status);
    return does;
}

/* The signal that has the process write; 0 after a message. */
static int signal_of(const struct rt_process *process, struct pollfd *end)
{
    uint64_t signals;
    long pid = process->pid;
    if (!read_word(process, offsetof(struct an_rt_process, dump_signals), &signals)) {
        if (!has_ended(end))
            say_error("process %ld has ended", pid);
        return 0;
    }
    if (!signals) {
        say_error("process %ld does not accept a dump signal (start the program with "
                  "ANNEAL_DUMP_SIGNAL=USR2 in its environment)",
                  pid);
        return 0;
    }
    int signal = __builtin_ctzll(signals) + 1;
    if (catches(process->pid, signal))
        return signal;
    if (!has_ended(end))
        say_error("process %ld has replaced the handler of SIG%s", pid, sigabbrev_np(signal));
    return 0;
}

static bool wait_for(const struct rt_process *process, uint64_t before, double seconds,
                     struct pollfd *end)
{
    enum { A_WHILE = 2 }; /* milliseconds */
    uint64_t dumps = before, start = an_clock_now();
    for (;;) {
        if (!read_word(process, offsetof(struct an_rt_process, dumps), &dumps)) {
            if (!has_ended(end))
                say_error("process %ld has ended", (long)process->pid);
            return false;
        }
        if (dumps != before)
            return true;
        if ((double)(an_clock_now() - start) * 1e-9 > seconds)
            break;
        poll(NULL, 0, A_WHILE);
    }
    say_error("process %ld did not answer within %g seconds (it may be stopped, or block "
              "signals)",
              (long)process->pid, seconds);
    return false;
}

/* False after a message, or when the process has ended and may. */
static bool dump(pid_t pid, double seconds, struct pollfd *end)
{
    struct rt_process process;
    struct an_error error;
    uint64_t before;
    if (rt_process_open(&process, pid, &error) != AN_OK) {
        if (!has_ended(end))
            report_error(&error);
        rt_process_close(&process);
        return false;
    }
    int signal = signal_of(&process, end);
    bool done = signal && read_word(&process, offsetof(struct an_rt_process, dumps), &before);
    if (done && kill(pid, signal) < 0) {
        if (!has_ended(end))
            say_error("cannot send a signal to process %ld", (long)pid);
        done = false;
    }
    done = done && wait_for(&process, before, seconds, end);
    rt_process_close(&process);
    return done;
}

/* ---- again and again ---- */

/* Waits until it is time, or all have ended: false then. */
static bool wait_for_turn(struct pollfd *ends, size_t count, double seconds)
{
    uint64_t start = an_clock_now();
    for (;;) {
        double left = seconds - (double)(an_clock_now() - start) * 1e-9;
        size_t going = 0;
        for (size_t i = 0; i < count; i++)
            going += ends[i].fd >= 0;
        if (!going || left <= 0)
            return going > 0;
        poll(ends, count, left < INT_MAX / 1000 ? (int)(left * 1000) + 1 : INT_MAX);
        for (size_t i = 0; i < count; i++)
            if (ends[i].fd >= 0 && ends[i].revents) {
                close(ends[i].fd);
                ends[i].fd = -1;
            }
    }
}

/* What has ended meanwhile has written the rest by itself, or was killed; a number may be another process' by then. */
static bool dump_often(const struct dump_request *request, const pid_t *pids, struct pollfd *ends,
                       size_t count)
{
    bool done = true;
    while (done && wait_for_turn(ends, count, request->interval))
        for (size_t i = 0; done && i < count; i++)
            if (ends[i].fd >= 0 && poll(&ends[i], 1, 0) == 0)
                done = dump(pids[i], request->seconds, &ends[i]) || has_ended(&ends[i]);
    return done;
}

static bool repeat(const struct dump_request *request, char **words, size_t count)
{
    struct pollfd *ends = calloc(count, sizeof *ends);
    pid_t *pids = calloc(count, sizeof *pids);
    bool done = ends && pids;
    if (!done)
        say_error("out of memory");
    for (size_t i = 0; done && i < count; i++) {
        pids[i] = rt_process_number(words[i]);
        ends[i] = (struct pollfd){.fd = (int)syscall(SYS_pidfd_open, pids[i], 0), .events = POLLIN};
    }
    done = done && dump_often(request, pids, ends, count);
    for (size_t i = 0; ends && i < count; i++)
        if (ends[i].fd >= 0)
            close(ends[i].fd);
    free(pids);
    free(ends);
    return done;
}

static int act(void *values, const struct option_parser *parser)
{
    const struct dump_request *request = values;
    bool right = true, done = true;
    if (parser->operand_count == 0) {
        say_error("no process named (see 'anneal dump --help')");
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < parser->operand_count; i++)
        right = rt_process_number(parser->operands[i]) && right;
    if (!right)
        return EXIT_USAGE;
    for (size_t i = 0; i < parser->operand_count; i++) {
        pid_t pid = rt_process_number(parser->operands[i]);
        bool written = dump(pid, request->seconds, NULL);
        if (written && !request->quiet)
            printf("process %ld has written its profile\n", (long)pid);
        done = done && written;
    }
    if (done && request->interval > 0)
        done = repeat(request, parser->operands, parser->operand_count);
    return done ? EXIT_DONE : EXIT_FAILED;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct dump_request request = {.seconds = 30};
    return option_run(command, argc, argv, &request, NULL, act);
}

const struct command command_dump = {
    .name = "dump",
    .operands = "PID...",
    .summary = "make running programs write their profiles and go on",
    .description =
        "Makes programs that are linked with anneal's runtime, and were started with "
        "ANNEAL_DUMP_SIGNAL in their environment, add what they have counted so far to their "
        "profiles. The programs go on, and add the rest when they end. The command returns once "
        "the files are written.",
    .options = options,
    .examples = "ANNEAL_DUMP_SIGNAL=USR2 ./server &\n"
                "    start a server that never ends\n"
                "anneal dump $(pidof server)\n"
                "    write its profile so far\n"
                "anneal dump --interval=10s $(pidof server)\n"
                "    lose ten seconds at most when it is killed\n",
    .see_also = "anneal-rt(1), anneal-peek(1)",
    .run = run,
};
