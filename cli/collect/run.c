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
#define LOOK_AGAIN 1.0       /* behind what it has told of, or where something could not be taken */

struct service {
    const struct collect_request *request;
    struct places places;
    struct parts parts;
    struct shipping shipping;
    struct collect_counts counts;
    int watch;
    uint64_t waiting;                /* profiles that were taken, but somebody writes to */
    uint64_t pending, pending_bytes; /* sorted, and taken, since the last were added */
    double since;                    /* when the first of them was seen */
    double again, pause;             /* when adding may be tried again after it has failed */
    double looked;                   /* when the spool was looked at; 0: not yet */
    double seen;   /* when something was seen in it that is there yet; 0: there is nothing */
    bool is_told;  /* the kernel has told of changes since */
    bool has_more; /* not all of it was taken, for it was too much */
    struct {
        uint64_t bytes;          /* of all partial results, and of what is on its way to them; */
        uint64_t taken, shipped; /* counts.bytes and counts.shipped at that time */
        bool is_known;
    } usage;
    bool is_full;
};

/*
 * What was taken since all was measured is known, so that the sizes of all files are asked for only when something else has
 * changed them, or before saying that there is no room.
 */
static uint64_t usage(struct service *service, uint64_t limit)
{
    const struct collect_counts *counts = &service->counts;
    uint64_t bytes = service->usage.bytes + (counts->bytes - service->usage.taken);
    if (service->usage.is_known && service->usage.shipped == counts->shipped && bytes < limit)
        return bytes;
    service->usage.bytes = places_usage(&service->places);
    service->usage.taken = counts->bytes;
    service->usage.shipped = counts->shipped;
    service->usage.is_known = true;
    return service->usage.bytes;
}

static bool has_room(struct service *service)
{
    uint64_t limit = service->request->limit;
    bool is_full = usage(service, limit) >= limit;
    if (is_full && !service->is_full)
        say_warning("%s: partial results take %s, as much as they may (--limit): nothing is taken "
                    "from %s until there is room",
                    service->places.partials, as_size(limit), service->places.spool);
    service->is_full = is_full;
    return !is_full;
}

static void sort(struct service *service)
{
    struct sorted sorted = sort_profiles(&service->places, &service->parts);
    if (sorted.given && !service->pending)
        service->since = service->seen ? service->seen : an_clock_seconds();
    service->pending += sorted.given;
    service->waiting = sorted.waiting;
}

/* Whether there may be more. */
static bool take(struct service *service)
{
    struct collect_counts *counts = &service->counts;
    uint64_t bytes = counts->bytes;
    if (has_room(service))
        take_profiles(&service->places, AT_ONCE, counts);
    sort(service);
    service->pending_bytes += counts->bytes - bytes;
    return counts->bytes - bytes >= AT_ONCE;
}

static bool add(struct service *service)
{
    bool good = add_profiles(service->request, &service->places, &service->counts);
    service->usage.is_known = false;
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

static double sooner(double one, double other)
{
    return other >= 0 && other < one ? other : one;
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

/* ---- when ---- */

/* Seconds until the spool has to be looked at. */
static double until_look(const struct service *service)
{
    double every = service->request->every, after = LOOK;
    if (!service->looked || service->has_more)
        return 0;
    if (service->waiting || (service->is_full && service->usage.shipped != service->counts.shipped))
        after = LOOK_AGAIN;
    if (!service->is_full && (service->watch < 0 || service->is_told))
        after = sooner(after, sooner(LOOK_AGAIN, every));
    if (!service->is_full && service->seen) /* what could not be taken is not tried again at once */
        after = sooner(after, service->seen + every > service->looked
                                  ? service->seen + every - service->looked
                                  : LOOK_AGAIN);
    double now = an_clock_seconds(), due = service->looked + after;
    return due > now ? due - now : 0;
}

/*
 * A profile that processes add to is best left to them until it is time to add it to a partial result: so it is one input, and not
 * one for each process.
 */
static void look(struct service *service)
{
    double now = an_clock_seconds();
    service->looked = now;
    service->is_told = false;
    struct spooled spooled = take_look(&service->places, service->watch);
    if (!spooled.files)
        service->seen = 0;
    else if (!service->seen)
        service->seen = now;
    bool is_due = service->seen && now >= service->seen + service->request->every;
    bool is_much = spooled.bytes >= AT_ONCE || spooled.files >= PARTS_AT_ONCE;
    service->has_more = false;
    if (is_due || is_much) {
        service->has_more = take(service);
        service->seen = service->counts.busy || service->is_full ? now : 0;
    } else if (service->waiting) {
        sort(service);
    }
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

/* Until something happens, or that many seconds. */
static void wait_for(struct service *service, double seconds)
{
    char events[4096];
    /* what has been told of once need not be told of again before the next look */
    struct pollfd files[] = {{.fd = service->is_told ? -1 : service->watch, .events = POLLIN},
                             {.fd = service->shipping.ended, .events = POLLIN}};
    struct timespec most = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    sigset_t before;
    sigprocmask(SIG_SETMASK, NULL, &before);
    sigdelset(&before, SIGINT);
    sigdelset(&before, SIGTERM);
    sigdelset(&before, SIGHUP);
    if (ppoll(files, 2, &most, &before) > 0 && files[0].revents)
        while (read(service->watch, events, sizeof events) > 0)
            service->is_told = true;
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
        if (until_look(service) == 0)
            look(service);
        double due = until_due(service);
        if (due == 0) {
            add(service);
            due = until_due(service);
        }
        close_parts(&service->places, &service->parts, &service->counts);
        double wait = sooner(LOOK, parts_until_end(&service->parts));
        wait = sooner(wait, ship_step(&service->shipping));
        wait = sooner(sooner(wait, due), until_look(service));
        tell_progress(service);
        wait_for(service, wait);
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
        parts_begin(&service.parts, service.places.host, request->span);
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
