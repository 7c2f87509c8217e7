/* The service: waiting, and doing what there is to do. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "add.h"
#include "base/clock.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "cli/core/stopping.h"
#include "parts.h"
#include "places.h"
#include "ship.h"
#include "sort.h"
#include "take.h"

#define AT_ONCE (256u << 20) /* bytes that wait to be added */
#define LONGEST_PAUSE 60.0   /* seconds after what could not be added */
#define LOOK 30.0            /* seconds between looks, for what the kernel has not told of */
#define LOOK_AGAIN 1.0       /* where there is something that could not be taken yet */

struct service {
    const struct collect_request *request;
    struct places places;
    struct parts parts;
    struct shipping shipping;
    struct collect_counts counts;
    int watch;
    uint64_t waiting;                /* profiles that were taken, but somebody writes to */
    uint64_t pending, pending_bytes; /* sorted, and taken, since the last were added */
    double since;                    /* when the first of them was sorted */
    double again, pause;             /* when adding may be tried again after it has failed */
    bool is_full;
};

static bool has_room(struct service *service)
{
    bool is_full = places_usage(&service->places) >= service->request->limit;
    if (is_full && !service->is_full)
        say_warning("%s: partial results take %s, as much as they may (--limit): nothing is taken "
                    "from %s until there is room",
                    service->places.partials, as_size(service->request->limit),
                    service->places.spool);
    service->is_full = is_full;
    return !is_full;
}

/* Whether there may be more. */
static bool take(struct service *service)
{
    struct collect_counts *counts = &service->counts;
    uint64_t bytes = counts->bytes;
    if (has_room(service))
        take_profiles(&service->places, service->watch, AT_ONCE, counts);
    struct sorted sorted = sort_profiles(&service->places, &service->parts);
    if (sorted.given && !service->pending)
        service->since = an_clock_seconds();
    service->pending += sorted.given;
    service->pending_bytes += counts->bytes - bytes;
    service->waiting = sorted.waiting;
    return counts->bytes - bytes >= AT_ONCE;
}

static bool add(struct service *service)
{
    bool good = add_profiles(service->request, &service->places, &service->counts);
    if (good) {
        service->pending = service->pending_bytes = 0;
        service->pause = service->again = 0;
    } else {
        service->pause = service->pause ? 2 * service->pause : LOOK_AGAIN;
        if (service->pause > LONGEST_PAUSE)
            service->pause = LONGEST_PAUSE;
        service->again = an_clock_seconds() + service->pause;
        say_warning("tried again in %.0f s; nothing is lost", service->pause);
    }
    return good;
}

/* Seconds until what was taken has to be added; negative: there is nothing. */
static double until_due(const struct service *service)
{
    double now = an_clock_seconds();
    if (service->again)
        return service->again > now ? service->again - now : 0;
    if (!service->pending)
        return -1;
    if (service->pending_bytes >= AT_ONCE || service->pending >= PARTS_AT_ONCE)
        return 0;
    double due = service->since + service->request->every;
    return due > now ? due - now : 0;
}

static void tell_progress(const struct service *service)
{
    char words[120];
    snprintf(words, sizeof words, "%s profiles taken, %s added, %s partial results shipped",
             with_commas(service->counts.taken), with_commas(service->counts.used),
             with_commas(service->counts.shipped));
    if (!service->request->quiet)
        progress_tell(-1, words);
}

static double sooner(double one, double other)
{
    return other >= 0 && other < one ? other : one;
}

/* Until something happens, or that many seconds. */
static void wait_for(const struct service *service, double seconds)
{
    char events[4096];
    struct pollfd files[] = {{.fd = service->watch, .events = POLLIN},
                             {.fd = service->shipping.ended, .events = POLLIN}};
    struct timespec most = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    sigset_t before;
    sigprocmask(SIG_SETMASK, NULL, &before);
    sigdelset(&before, SIGINT);
    sigdelset(&before, SIGTERM);
    sigdelset(&before, SIGHUP);
    if (ppoll(files, 2, &most, &before) > 0 && files[0].revents)
        while (read(service->watch, events, sizeof events) > 0)
            ;
}

/* What tells to end is let in only where it is waited for, so that it is not missed just before. */
static void hold_signals(void)
{
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigprocmask(SIG_BLOCK, &ending, NULL);
}

static void serve(struct service *service)
{
    add(service); /* what an earlier one has left */
    while (!stopping) {
        bool more = take(service);
        double due = until_due(service);
        if (due == 0) {
            add(service);
            due = until_due(service);
        }
        close_parts(&service->places, &service->parts, &service->counts);
        double wait = service->watch < 0 ? LOOK_AGAIN : LOOK;
        if (service->waiting || service->counts.busy)
            wait = LOOK_AGAIN;
        wait = sooner(sooner(wait, due), ship_step(&service->shipping));
        tell_progress(service);
        wait_for(service, more ? 0 : wait);
    }
    progress_clear();
    ship_end(&service->shipping);
}

/* One after the other, until the command has failed, or taken all. */
static bool ship_all(struct service *service)
{
    struct shipping *shipping = &service->shipping;
    uint64_t refused = service->counts.refused;
    while (!stopping && service->request->ship && service->counts.refused == refused) {
        double wait = ship_step(shipping);
        if (wait < 0)
            return true;
        wait_for(service, shipping->process ? wait : 0);
    }
    ship_end(shipping);
    return service->counts.refused == refused && !stopping;
}

static bool serve_once(struct service *service)
{
    bool good = true;
    while (!stopping && take(service) && good)
        good = add(service);
    return good;
}

int collect_run(const struct collect_request *request)
{
    struct service service = {.request = request, .watch = -1};
    bool good = places_open(&service.places, request);
    if (good) {
        stopping_begin();
        hold_signals();
        /* of leases: whoever opens a file while sort.c looks at it waits for a moment */
        signal(SIGIO, SIG_IGN);
        ship_begin(&service.shipping, request, &service.places, &service.counts);
        if (!request->once)
            service.watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        if (request->once)
            good = serve_once(&service);
        else
            serve(&service);
        good = add(&service) && good;
        parts_end(&service.parts);
        close_parts(&service.places, &service.parts, &service.counts);
        if (request->once)
            good = ship_all(&service) && good;
        good = collect_tell(request, &service.counts) && good;
    }
    if (service.watch >= 0)
        close(service.watch);
    places_close(&service.places);
    return good ? EXIT_DONE : EXIT_FAILED;
}
