/* anneal dump: has a running program write its profile. */
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "command.h"
#include "hosted/process.h"
#include "output.h"
#include "record/proc.h"
#include "rt_process.h"

enum { QUIET = 1, TIMEOUT };

static const struct option_spec options[] = {
    {TIMEOUT, 't', "timeout", "SECONDS", "wait up to SECONDS for each process (default: 30)"},
    {QUIET, 'q', "quiet", NULL, "print errors only"},
    {0},
};

static bool read_word(const struct rt_process *process, size_t offset, uint64_t *word)
{
    return rt_process_read(process, process->address + offset, word, sizeof *word);
}

/* Whether the process has a handler for a signal: without one it would end. */
static bool catches(pid_t pid, int signal)
{
    struct an_buffer status = {0};
    bool does =
        an_proc_text(pid, "status", &status) &&
        an_proc_status_number((const char *)status.data, "\nSigCgt:", 16) >> (signal - 1) & 1;
    an_buffer_free(&status);
    return does;
}

/* The signal that has the process write; 0 after a message. */
static int signal_of(const struct rt_process *process)
{
    uint64_t signals;
    long pid = process->pid;
    if (!read_word(process, offsetof(struct an_rt_process, dump_signals), &signals)) {
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
    say_error("process %ld has replaced the handler of SIG%s", pid, sigabbrev_np(signal));
    return 0;
}

static bool wait_for(const struct rt_process *process, uint64_t before, unsigned long long seconds)
{
    enum { A_WHILE = 2 }; /* milliseconds */
    struct timespec start, now;
    uint64_t dumps = before;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        if (!read_word(process, offsetof(struct an_rt_process, dumps), &dumps)) {
            say_error("process %ld has ended", (long)process->pid);
            return false;
        }
        if (dumps != before)
            return true;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - start.tv_sec > (time_t)seconds)
            break;
        poll(NULL, 0, A_WHILE);
    }
    say_error("process %ld did not answer within %llu seconds (it may be stopped, or block "
              "signals)",
              (long)process->pid, seconds);
    return false;
}

static bool dump(pid_t pid, unsigned long long seconds)
{
    struct rt_process process;
    struct an_error error;
    uint64_t before;
    if (rt_process_open(&process, pid, &error) != AN_OK) {
        report_error(&error);
        rt_process_close(&process);
        return false;
    }
    int signal = signal_of(&process);
    bool done = signal && read_word(&process, offsetof(struct an_rt_process, dumps), &before);
    if (done && kill(pid, signal) < 0) {
        say_error("cannot send a signal to process %ld", (long)pid);
        done = false;
    }
    done = done && wait_for(&process, before, seconds);
    rt_process_close(&process);
    return done;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct option_parser parser;
    const char *value;
    unsigned long long seconds = 30;
    bool quiet = false, right = true, done = true;
    int id;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0) {
        if (id == QUIET)
            quiet = true;
        else
            right = option_number_of(command, id, value, 86400, &seconds) && right;
    }
    if (id == OPTION_END && right && parser.operand_count == 0) {
        say_error("no process named (see 'anneal dump --help')");
        right = false;
    }
    for (size_t i = 0; id == OPTION_END && i < parser.operand_count; i++)
        right = rt_process_number(parser.operands[i]) && right;
    for (size_t i = 0; id == OPTION_END && right && i < parser.operand_count; i++) {
        pid_t pid = rt_process_number(parser.operands[i]);
        bool written = dump(pid, seconds);
        if (written && !quiet)
            printf("process %ld has written its profile\n", (long)pid);
        done = done && written;
    }
    option_finish(&parser);
    if (id == OPTION_HELP)
        return EXIT_DONE;
    if (id == OPTION_WRONG || !right)
        return EXIT_USAGE;
    return done ? EXIT_DONE : EXIT_FAILED;
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
                "    write its profile so far\n",
    .see_also = "anneal-rt(1), anneal-peek(1)",
    .run = run,
};
