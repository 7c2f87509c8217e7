/* Starting and ending processes; see process.h. */
#include "faults/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define STRAGGLERS 1.0 /* seconds for what is left of a group to end by itself */
#define AFTER_KILL 1.0 /* seconds for a killed group to vanish: what hangs in the kernel does not */
#define NEVER 1e300

enum { NOT_RUN = 127 };

/* ---- starting ---- */

static bool send_to(int descriptor, int target)
{
    if (descriptor < 0)
        descriptor = open("/dev/null", target == STDIN_FILENO ? O_RDONLY : O_WRONLY);
    return descriptor >= 0 && dup2(descriptor, target) >= 0;
}

/* The signals that the caller handles or blocks are nothing to the program. */
static void reset_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void become(const struct an_process_start *start, int gate, int ready)
{
    char byte;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a caller that was killed could not end it */
    reset_signals();
    int errors = start->errors >= 0 ? fcntl(start->errors, F_DUPFD_CLOEXEC, 3) : -1;
    int output = start->output >= 0 ? fcntl(start->output, F_DUPFD_CLOEXEC, 3) : -1;
    if (send_to(-1, STDIN_FILENO) && send_to(output, STDOUT_FILENO) &&
        send_to(errors, STDERR_FILENO) && read(gate, &byte, 1) == 1)
        execv(start->program, start->arguments);
    int failure = errno;
    if (write(ready, &failure, sizeof failure) < 0)
        _exit(NOT_RUN);
    _exit(NOT_RUN);
}

static void close_all(const int ends[4])
{
    for (int i = 0; i < 4; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

enum an_code an_group_start(struct an_group *group, const struct an_process_start *start,
                            struct an_error *error)
{
    int ends[4] = {-1, -1, -1, -1}; /* the gate's, then those on which it is told what failed */
    *group = (struct an_group){.handle = -1, .deadline = NEVER, .grace = start->grace};
    bool has_pipes = pipe2(ends, O_CLOEXEC) == 0 && pipe2(ends + 2, O_CLOEXEC) == 0;
    group->pid = has_pipes ? fork() : -1;
    if (group->pid == 0) {
        close(ends[1]);
        close(ends[2]);
        become(start, ends[0], ends[3]);
    }
    if (group->pid < 0) {
        an_fail_errno(error, NULL, "cannot start a process");
        close_all(ends);
        return error->code;
    }
    setpgid(group->pid, group->pid);
    close(ends[0]);
    close(ends[3]);
    group->gate = ends[1];
    group->ready = ends[2];
    group->handle = (int)syscall(SYS_pidfd_open, group->pid, 0);
    return AN_OK;
}

static void close_pipes(struct an_group *group)
{
    if (group->gate >= 0)
        close(group->gate);
    if (group->ready >= 0)
        close(group->ready);
    group->gate = group->ready = -1;
}

/* Signals may come at any moment: these go on. */
static ssize_t open_gate(const struct an_group *group)
{
    ssize_t size;
    do
        size = write(group->gate, "", 1);
    while (size < 0 && errno == EINTR);
    return size;
}

/* Waits until the program runs (0 bytes) or could not be run: an errno. */
static ssize_t hear(const struct an_group *group, int *failure)
{
    ssize_t size;
    do
        size = read(group->ready, failure, sizeof *failure);
    while (size < 0 && errno == EINTR);
    return size;
}

enum an_code an_group_release(struct an_group *group, const char *program, struct an_error *error)
{
    int failure = 0;
    ssize_t size = open_gate(group);
    if (size == 1)
        size = hear(group, &failure);
    close_pipes(group);
    if (size == 0) /* closed: it runs */
        return AN_OK;
    an_group_kill(group);
    errno = size == sizeof failure ? failure : EIO;
    return an_fail_errno(error, program, "cannot run");
}

/* ---- ending ---- */

static void kill_now(struct an_group *group)
{
    kill(-group->pid, SIGKILL);
    group->step = AN_GROUP_KILLED;
    group->deadline = an_clock_seconds() + AFTER_KILL;
}

void an_group_end(struct an_group *group)
{
    if (group->step != AN_GROUP_RUNS)
        return;
    kill(-group->pid, SIGTERM);
    kill(-group->pid, SIGCONT); /* what was stopped could not end */
    group->step = AN_GROUP_TOLD;
    group->deadline = an_clock_seconds() + group->grace;
}

static void note_end(struct an_group *group)
{
    pid_t ended = wait4(group->pid, &group->status, WNOHANG, &group->usage);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return;
    group->has_ended = true;
    group->ended = an_clock_seconds();
    if (group->handle >= 0)
        close(group->handle);
    group->handle = -1;
    if (group->step == AN_GROUP_RUNS)
        group->deadline = group->ended + STRAGGLERS;
}

/* Whether some process of the group is left; those of them that became ours are buried. */
static bool is_left(const struct an_group *group)
{
    while (waitpid(-group->pid, NULL, WNOHANG) > 0)
        ;
    return kill(-group->pid, 0) == 0 || errno == EPERM;
}

bool an_group_look(struct an_group *group)
{
    if (!group->has_ended)
        note_end(group);
    if (group->has_ended && !is_left(group)) {
        close_pipes(group);
        return true;
    }
    if (an_clock_seconds() < group->deadline)
        return false;
    if (group->step == AN_GROUP_KILLED)
        return group->has_ended; /* others hang in the kernel: nothing can be done */
    group->left_running = group->left_running || (group->step == AN_GROUP_RUNS && group->has_ended);
    if (group->step == AN_GROUP_RUNS)
        an_group_end(group);
    else
        kill_now(group);
    return false;
}

void an_group_kill(struct an_group *group)
{
    enum { A_WHILE = 2 }; /* milliseconds */
    close_pipes(group);
    if (an_group_look(group))
        return;
    kill_now(group);
    while (!an_group_look(group))
        poll(NULL, 0, A_WHILE);
}
