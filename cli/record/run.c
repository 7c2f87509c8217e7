/*
 * Running a recording in a process of its own.
 *
 *     anneal ----+---- an-tracer    traces, writes the recording, tells of it
 *                |
 *                +---- COMMAND      if there is one
 *
 * A tracer that is killed may take the traced process with it: a single step ends in a signal that
 * only a tracer can take away (lib/record/step.h). So it is a process of its own (cli/core/tracer.h), which
 * lets go and finishes its file whatever becomes of anneal.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/core/output.h"
#include "cli/core/tracer.h"
#include "record.h"

enum {
    EXIT_NOT_RUN = 127,
    NOTHING_RECORDED = 3, /* the status of a tracer without a sample: nothing else went wrong */
};

/* ---- the tracer ---- */

/* The command may begin. */
static void open_gate(void *context)
{
    const struct record_request *request = context;
    if (request->command && write(request->gate, "", 1) != 1)
        tracer_stop = 1; /* it is gone */
}

static int trace(struct record_request *request, int pid_from)
{
    struct an_record_counts counts;
    struct an_error error;
    int32_t pid = request->options.pid;
    if (request->command && read(pid_from, &pid, sizeof pid) != sizeof pid)
        return EXIT_FAILED;
    close(pid_from);
    request->options.pid = pid;
    request->options.stop = &tracer_stop;
    request->options.started = open_gate;
    enum an_code code = an_record(&request->options, &counts, &error);
    progress_clear();
    bool told = (code != AN_OK && code != AN_EMPTY) || record_tell(request, &counts);
    if (code != AN_OK)
        report_error(&error);
    if (fflush(stdout) != 0 || !told)
        return EXIT_FAILED;
    return code == AN_OK ? EXIT_DONE : code == AN_EMPTY ? NOTHING_RECORDED : EXIT_FAILED;
}

/* ---- the command ---- */

/*
 * Waits until it may run, since from its first instruction on it is recorded. Where the Yama security
 * module lets nobody but ancestors trace, the tracer is named as an exception.
 */
static _Noreturn void become(char **command, pid_t tracer, int ready, int gate)
{
    sigset_t none;
    char byte = 0;
    int failure;
    prctl(PR_SET_PTRACER, (unsigned long)tracer);
    if (write(ready, &byte, 1) != 1 || read(gate, &byte, 1) != 1)
        _exit(EXIT_NOT_RUN);
    close(gate);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(*command, command);
    failure = errno;
    if (write(ready, &failure, sizeof failure) != sizeof failure)
        _exit(EXIT_NOT_RUN);
    _exit(EXIT_NOT_RUN);
}

/* ---- the front process ---- */

struct front {
    struct record_request *request;
    pid_t tracer, command;
    int to_tracer, gate; /* gate: where the command reads what the tracer writes */
    bool tracer_ended, command_ended, interrupted;
    int tracer_status, command_status;
};

static bool make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) == 0)
        return true;
    say_error("cannot make a pipe: %s", strerror(errno));
    return false;
}

static bool start_tracer(struct front *front)
{
    int ends[2], gate[2];
    pid_t parent = getpid();
    if (!make_pipe(ends) || !make_pipe(gate))
        return false;
    front->request->gate = gate[1];
    front->gate = gate[0];
    fflush(NULL);
    front->tracer = fork();
    if (front->tracer == 0) {
        close(ends[1]);
        close(gate[0]);
        tracer_begin(parent, "an-tracer");
        exit(trace(front->request, ends[0]));
    }
    close(ends[0]);
    close(gate[1]);
    front->to_tracer = ends[1];
    if (front->tracer > 0)
        return true;
    say_error("cannot start a process: %s", strerror(errno));
    return false;
}

/* Makes the command known to the tracer, which lets it begin. False: it cannot be run. */
static bool release_command(struct front *front, int ready)
{
    int32_t pid = front->command;
    int failure = 0;
    char byte;
    if (read(ready, &byte, 1) != 1 || write(front->to_tracer, &pid, sizeof pid) != sizeof pid)
        return false;
    if (read(ready, &failure, sizeof failure) != sizeof failure)
        return true; /* closed: it runs, or the tracer has given up, and says why */
    say_error("%s: %s", front->request->command[0], strerror(failure));
    return false;
}

static bool start_command(struct front *front)
{
    int ready[2];
    if (!front->request->command)
        return true;
    if (!make_pipe(ready))
        return false;
    front->command = fork();
    if (front->command == 0) {
        close(ready[0]);
        become(front->request->command, front->tracer, ready[1], front->gate);
    }
    close(ready[1]);
    bool started = front->command > 0 && release_command(front, ready[0]);
    close(ready[0]);
    return started;
}

static void note_ends(struct front *front)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == front->tracer) {
            front->tracer_ended = true;
            front->tracer_status = status;
        } else if (pid == front->command) {
            front->command_ended = true;
            front->command_status = status;
        }
    }
}

static void hand_on(struct front *front, int signal)
{
    front->interrupted = true;
    if (!front->tracer_ended)
        kill(front->tracer, SIGTERM);
    else if (front->command > 0 && !front->command_ended)
        kill(front->command, signal);
}

/* Until both have ended. An interrupt ends the recording, and then the command. */
static void wait_for_all(struct front *front, const sigset_t *signals)
{
    bool told = false;
    for (;;) {
        note_ends(front);
        bool command_runs = front->command > 0 && !front->command_ended;
        if (front->tracer_ended && !command_runs)
            return;
        bool failed =
            front->tracer_status != 0 && tracer_status(front->tracer_status) != NOTHING_RECORDED;
        bool useless = front->interrupted || failed;
        if (front->tracer_ended && useless && !told) {
            kill(front->command, SIGTERM);
            told = true;
        }
        int signal = sigwaitinfo(signals, NULL);
        if (signal > 0 && signal != SIGCHLD)
            hand_on(front, signal);
    }
}

/* A command could not be run: nothing was recorded, and nothing is kept. */
static int give_up(struct front *front)
{
    kill(front->tracer, SIGKILL); /* which holds nobody yet, or a process that has ended */
    if (front->command > 0)
        kill(front->command, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0)
        ;
    return EXIT_NOT_RUN;
}

/* A command's own status, unless its recording failed. Where nothing was recorded, a command that failed says so itself. */
static int status_of(const struct front *front)
{
    int traced = tracer_status(front->tracer_status);
    int command = front->command > 0 ? tracer_status(front->command_status) : EXIT_DONE;
    if (traced == NOTHING_RECORDED)
        return command == EXIT_DONE ? EXIT_FAILED : command;
    return traced == EXIT_DONE ? command : traced;
}

int record_run(struct record_request *request)
{
    struct front front = {.request = request};
    sigset_t signals, before;
    tracer_signals(&signals);
    sigaddset(&signals, SIGCHLD);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &signals, &before);
    if (!start_tracer(&front))
        return EXIT_FAILED;
    bool started = start_command(&front);
    close(front.to_tracer);
    close(front.gate);
    if (!started)
        return give_up(&front);
    wait_for_all(&front, &signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status_of(&front);
}
