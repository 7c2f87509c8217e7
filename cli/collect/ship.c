/*
 * See ship.h. One command at a time; what fails goes behind all others, and the pauses grow while all fail, up to ten minutes.
 * A command that was killed amid its work, with the service or by itself, is run again: whoever receives the same file twice
 * counts it once, for it has the same name and the same digests.
 */
#include "ship.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/core/command.h"

#define CLOSED ".partial"
#define SECOND 1e9
#define FIRST_PAUSE 1.0
#define LONGEST_PAUSE 600.0

enum { GRACE = 5 }; /* seconds between SIGTERM and SIGKILL */

void ship_begin(struct shipping *shipping, const struct collect_request *request,
                const struct places *places, struct collect_counts *counts)
{
    *shipping = (struct shipping){
        .request = request, .places = places, .counts = counts, .ended = -1, .pause = FIRST_PAUSE};
}

/* ---- which one ---- */

/* Names in their order: those of older hours first, and of one hour by build. */
static int compare(const char *name, const char *build, const char *other, const char *other_build)
{
    int order = strcmp(name, other);
    return order ? order : strcmp(build, other_build);
}

struct choice {
    char build[128], name[300];
    bool is_set;
};

static void consider(struct choice *choice, const char *build, const char *name)
{
    if (choice->is_set && compare(name, build, choice->name, choice->build) >= 0)
        return;
    if (strlen(build) >= sizeof choice->build || strlen(name) >= sizeof choice->name)
        return;
    snprintf(choice->build, sizeof choice->build, "%s", build);
    snprintf(choice->name, sizeof choice->name, "%s", name);
    choice->is_set = true;
}

static void look_through(const struct shipping *shipping, const char *build, struct choice *first,
                         struct choice *next)
{
    char path[COLLECT_PATH];
    if (!places_path(path, "%s/%s", shipping->places->partials, build))
        return;
    DIR *folder = opendir(path);
    const struct dirent *found;
    while (folder && (found = readdir(folder))) {
        size_t length = strlen(found->d_name), ending = sizeof CLOSED - 1;
        if (length <= ending || strcmp(found->d_name + length - ending, CLOSED) != 0)
            continue;
        consider(first, build, found->d_name);
        if (compare(found->d_name, build, shipping->name, shipping->build) > 0)
            consider(next, build, found->d_name);
    }
    if (folder)
        closedir(folder);
}

/* The one behind the last that was tried, or from the start. */
static bool choose(const struct shipping *shipping, struct choice *choice)
{
    struct choice first = {0}, next = {0};
    DIR *folder = opendir(shipping->places->partials);
    const struct dirent *found;
    while (folder && (found = readdir(folder)))
        if (found->d_name[0] != '.')
            look_through(shipping, found->d_name, &first, &next);
    if (folder)
        closedir(folder);
    *choice = next.is_set ? next : first;
    return choice->is_set;
}

bool ship_has_more(const struct shipping *shipping)
{
    struct choice choice;
    return choose(shipping, &choice);
}

/* ---- running the command ---- */

static bool set_environment(const struct shipping *shipping, const char *path)
{
    return setenv("ANNEAL_PARTIAL", path, 1) == 0 &&
           setenv("ANNEAL_BUILD", shipping->build, 1) == 0 &&
           setenv("ANNEAL_HOST", shipping->places->host, 1) == 0;
}

static int spawn(pid_t *process, char **argv)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGTERM);
    sigaddset(&usual, SIGHUP);
    sigaddset(&usual, SIGIO);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    int error = posix_spawn(process, "/bin/sh", &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static void start(struct shipping *shipping)
{
    char path[COLLECT_PATH], name[COLLECT_PATH];
    if (!places_path(path, "%s/%s/%s", shipping->places->partials, shipping->build,
                     shipping->name) ||
        !places_path(name, "%s/%s", shipping->build, shipping->name) ||
        !set_environment(shipping, path))
        return;
    char *argv[] = {(char *)"sh", (char *)"-c", (char *)shipping->request->ship, (char *)"sh", path,
                    name,         NULL};
    int error = spawn(&shipping->process, argv);
    if (error) {
        shipping->process = 0;
        say_error("/bin/sh: %s", strerror(error));
        return;
    }
    shipping->started = an_clock_now();
    shipping->is_late = false;
    shipping->ended = pidfd_open(shipping->process, 0);
}

/* ---- its end ---- */

static void acknowledged(struct shipping *shipping)
{
    char path[COLLECT_PATH], folder[COLLECT_PATH];
    if (!places_path(folder, "%s/%s", shipping->places->partials, shipping->build) ||
        !places_path(path, "%s/%s", folder, shipping->name))
        return;
    if (unlink(path) < 0 && errno != ENOENT)
        say_error("%s: %s", path, strerror(errno));
    places_synchronise(folder);
    if (rmdir(folder) < 0)
        errno = 0; /* there are others */
    shipping->counts->shipped++;
    shipping->pause = FIRST_PAUSE;
    shipping->next = 0;
    if (!shipping->request->quiet)
        say("%s/%s: shipped", shipping->build, shipping->name);
}

/* Hosts that failed together do not try again together. */
static double spread(double pause)
{
    uint32_t chance = 0;
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
        chance = 0;
    return pause * (0.75 + 0.5 * (double)chance / UINT32_MAX);
}

static void failed(struct shipping *shipping, int status)
{
    double pause = spread(shipping->pause);
    char why[80];
    if (shipping->is_late)
        snprintf(why, sizeof why, "took longer than %.0f s", shipping->request->patience);
    else if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(why, sizeof why, "ended with status %d", WEXITSTATUS(status));
    shipping->counts->refused++;
    shipping->next = an_clock_now() + (uint64_t)(pause * SECOND);
    shipping->pause = shipping->pause * 2 < LONGEST_PAUSE ? shipping->pause * 2 : LONGEST_PAUSE;
    say_warning("%s/%s: not shipped: the command %s (again in %.0f s)", shipping->build,
                shipping->name, why, pause);
}

static void forget(struct shipping *shipping)
{
    if (shipping->ended >= 0)
        close(shipping->ended);
    shipping->ended = -1;
    shipping->process = 0;
}

/* Seconds until it is late, or later than that. */
static double hurry(struct shipping *shipping)
{
    double so_far = (double)(an_clock_now() - shipping->started) / SECOND;
    double patience = shipping->request->patience;
    if (so_far < patience)
        return patience - so_far;
    if (!shipping->is_late)
        kill(-shipping->process, SIGTERM);
    else if (so_far >= patience + GRACE)
        kill(-shipping->process, SIGKILL);
    shipping->is_late = true;
    return so_far < patience + GRACE ? patience + GRACE - so_far : 1;
}

double ship_step(struct shipping *shipping)
{
    struct choice choice;
    int status;
    if (!shipping->request->ship)
        return -1;
    if (shipping->process) {
        if (waitpid(shipping->process, &status, WNOHANG) == 0)
            return hurry(shipping);
        forget(shipping);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            acknowledged(shipping);
        else
            failed(shipping, status);
    }
    uint64_t now = an_clock_now();
    if (!choose(shipping, &choice))
        return -1;
    if (now < shipping->next)
        return (double)(shipping->next - now) / SECOND;
    memcpy(shipping->build, choice.build, sizeof shipping->build);
    memcpy(shipping->name, choice.name, sizeof shipping->name);
    start(shipping);
    return shipping->process ? shipping->request->patience : 1;
}

void ship_end(struct shipping *shipping)
{
    if (!shipping->process)
        return;
    kill(-shipping->process, SIGTERM);
    for (int tenth = 0; tenth < 10 * GRACE; tenth++) {
        if (waitpid(shipping->process, NULL, WNOHANG) != 0) {
            forget(shipping);
            return;
        }
        usleep(100000);
    }
    kill(-shipping->process, SIGKILL);
    waitpid(shipping->process, NULL, 0);
    forget(shipping);
}
