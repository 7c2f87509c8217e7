/* Running processes; see children.h. */
#include "train/children.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

#define TICK 0.2         /* seconds until the caller is asked whether to go on */
#define SHORT_TICK 0.005 /* where nothing tells that something has ended */
#define STRAGGLERS 1.0   /* seconds for what is left of a group to end by itself */
#define AFTER_KILL 1.0 /* seconds for a killed group to vanish: what hangs in the kernel does not */
#define NEVER 1e300

enum step {
    FREE = 0,
    RUNNING,
    TOLD,   /* SIGTERM was sent */
    KILLED, /* SIGKILL was sent */
};

struct child {
    enum step step;
    bool has_ended; /* itself; others of its group may be left */
    pid_t pid;
    int handle; /* pidfd; -1: the kernel has none */
    double started, deadline;
    struct an_child_end end;
};

struct an_children {
    struct child *items;
    struct pollfd *polled;
    size_t most, running;
    double grace;
    int was_subreaper;
};

struct an_children *an_children_new(size_t most, double grace)
{
    struct an_children *children = an_alloc_zero(1, sizeof *children);
    if (!children)
        return NULL;
    children->items = an_alloc_zero(most, sizeof *children->items);
    children->polled = an_alloc_zero(most, sizeof *children->polled);
    children->most = most;
    children->grace = grace;
    prctl(PR_GET_CHILD_SUBREAPER, &children->was_subreaper);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (children->items && children->polled)
        return children;
    an_children_free(children);
    return NULL;
}

void an_children_free(struct an_children *children)
{
    if (!children)
        return;
    prctl(PR_SET_CHILD_SUBREAPER, children->was_subreaper);
    free(children->items);
    free(children->polled);
    free(children);
}

size_t an_children_running(const struct an_children *children)
{
    return children->running;
}

/* ---- starting ---- */

static int spawn(const struct an_child_start *start, pid_t *pid)
{
    enum { NEW = O_WRONLY | O_CREAT | O_TRUNC };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, start->output, NEW, 0666);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, start->errors, NEW, 0666);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    int failure = posix_spawnp(pid, start->arguments[0], &files, &attributes, start->arguments,
                               start->environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return failure;
}

int an_children_start(struct an_children *children, const struct an_child_start *start)
{
    struct child *child = children->items;
    pid_t pid;
    while (child->step != FREE)
        child++;
    double now = an_clock_seconds();
    int failure = spawn(start, &pid);
    if (failure)
        return failure;
    *child = (struct child){.step = RUNNING,
                            .pid = pid,
                            .handle = (int)syscall(SYS_pidfd_open, pid, 0),
                            .started = now,
                            .deadline = start->timeout > 0 ? now + start->timeout : NEVER,
                            .end = {.id = start->id}};
    children->running++;
    return 0;
}

/* ---- ending ---- */

static void tell(const struct an_children *children, struct child *child, double now)
{
    kill(-child->pid, SIGTERM);
    kill(-child->pid, SIGCONT); /* what was stopped could not end */
    child->step = TOLD;
    child->deadline = now + children->grace;
}

static void kill_now(struct child *child, double now)
{
    kill(-child->pid, SIGKILL);
    child->step = KILLED;
    child->deadline = now + AFTER_KILL;
}

void an_children_end(struct an_children *children)
{
    for (size_t i = 0; i < children->most; i++) {
        struct child *child = &children->items[i];
        if (child->step == RUNNING) {
            child->end.was_told = !child->has_ended;
            tell(children, child, an_clock_seconds());
        }
    }
}

void an_children_kill(struct an_children *children)
{
    for (size_t i = 0; i < children->most; i++) {
        struct child *child = &children->items[i];
        if (child->step == RUNNING || child->step == TOLD) {
            child->end.was_told = child->end.was_told || !child->has_ended;
            kill_now(child, an_clock_seconds());
        }
    }
}

static void note_end(struct child *child, double now)
{
    int status;
    pid_t ended = waitpid(child->pid, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return;
    child->has_ended = true;
    child->end.status = ended < 0 ? 0 : status; /* < 0: somebody else has waited for it */
    child->end.seconds = now - child->started;
    if (child->handle >= 0)
        close(child->handle);
    child->handle = -1;
    if (child->step == RUNNING)
        child->deadline = now + STRAGGLERS;
}

/* Whether some process of the group is left; those of them that became ours are buried. */
static bool group_is_left(const struct child *child)
{
    while (waitpid(-child->pid, NULL, WNOHANG) > 0)
        ;
    return kill(-child->pid, 0) == 0 || errno == EPERM;
}

static void pass_deadline(const struct an_children *children, struct child *child, double now)
{
    if (child->step == RUNNING) {
        child->end.timed_out = !child->has_ended;
        child->end.left_running = child->has_ended;
        tell(children, child, now);
    } else if (child->step == TOLD) {
        kill_now(child, now);
    }
}

/* Whether it has ended with all its group. */
static bool look_at(const struct an_children *children, struct child *child, double now)
{
    if (!child->has_ended)
        note_end(child, now);
    if (child->has_ended && !group_is_left(child))
        return true;
    if (now < child->deadline)
        return false;
    if (child->step == KILLED)
        return child->has_ended; /* others hang in the kernel: nothing can be done */
    pass_deadline(children, child, now);
    return false;
}

static bool find_ended(struct an_children *children, struct an_child_end *end)
{
    double now = an_clock_seconds();
    for (size_t i = 0; i < children->most; i++) {
        struct child *child = &children->items[i];
        if (child->step == FREE || !look_at(children, child, now))
            continue;
        *end = child->end;
        child->step = FREE;
        children->running--;
        return true;
    }
    return false;
}

/* ---- waiting ---- */

/* Milliseconds until something may have to be done, rounded up. */
static int patience(const struct an_children *children)
{
    double now = an_clock_seconds(), until = now + TICK;
    for (size_t i = 0; i < children->most; i++) {
        const struct child *child = &children->items[i];
        if (child->step == FREE)
            continue;
        if (child->handle < 0 && until > now + SHORT_TICK)
            until = now + SHORT_TICK;
        if (child->deadline < until)
            until = child->deadline;
    }
    return until <= now ? 1 : (int)((until - now) * 1000) + 1;
}

static void wait_for_something(struct an_children *children)
{
    for (size_t i = 0; i < children->most; i++) {
        const struct child *child = &children->items[i];
        children->polled[i] =
            (struct pollfd){.fd = child->step == FREE ? -1 : child->handle, .events = POLLIN};
    }
    poll(children->polled, children->most, patience(children));
}

bool an_children_wait(struct an_children *children, struct an_child_end *end)
{
    if (find_ended(children, end))
        return true;
    wait_for_something(children);
    return find_ended(children, end);
}
