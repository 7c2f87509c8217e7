/*
 * See ship.h. One command at a time; what fails goes behind all others, and the pauses grow while all fail, up to ten minutes.
 * A command that was killed amid its work, with the service or by itself, is run again: whoever receives the same file twice
 * counts it once, for it has the same name and the same digests.
 */
#include "ship.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "cli/core/command.h"
#include "cli/core/shell.h"

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

struct choosing {
    const struct shipping *shipping;
    const char *build;
    struct choice first, next;
};

static bool look_at_file(void *context, const char *name)
{
    struct choosing *choosing = context;
    const struct shipping *last = choosing->shipping;
    if (!an_path_ends_with(name, COLLECT_CLOSED))
        return true;
    consider(&choosing->first, choosing->build, name);
    if (compare(name, choosing->build, last->name, last->build) > 0)
        consider(&choosing->next, choosing->build, name);
    return true;
}

static bool look_at_build(void *context, const char *build)
{
    struct choosing *choosing = context;
    char path[COLLECT_PATH];
    choosing->build = build;
    return !places_path(path, "%s/%s", choosing->shipping->places->partials, build) ||
           places_each(path, look_at_file, choosing);
}

/* The one behind the last that was tried, or from the start. */
static bool choose(const struct shipping *shipping, struct choice *choice)
{
    struct choosing choosing = {.shipping = shipping};
    places_each(shipping->places->partials, look_at_build, &choosing);
    *choice = choosing.next.is_set ? choosing.next : choosing.first;
    return choice->is_set;
}

/* ---- running the command ---- */

static bool set_environment(const struct shipping *shipping, const char *path)
{
    return setenv("ANNEAL_PARTIAL", path, 1) == 0 &&
           setenv("ANNEAL_BUILD", shipping->build, 1) == 0 &&
           setenv("ANNEAL_HOST", shipping->places->host, 1) == 0;
}

static void start(struct shipping *shipping)
{
    char path[COLLECT_PATH], name[COLLECT_PATH];
    if (!places_path(path, "%s/%s/%s", shipping->places->partials, shipping->build,
                     shipping->name) ||
        !places_path(name, "%s/%s", shipping->build, shipping->name) ||
        !set_environment(shipping, path))
        return;
    int error = shell_start(shipping->request->ship, path, name, STDERR_FILENO, &shipping->process);
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
