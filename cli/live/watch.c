/*
 * anneal live --continuous: a light look at what the process does, now and then, and a round when that
 * is no longer what its layout was made for.
 *
 *     wait ─► look: some seconds of recording ─► overlap with the layout's profile ─► round
 *       ▲                                          │ enough                            ▲
 *       │                                        count work (check.c) ────────────┤
 *       │                                          │ the layout is a gain              │ it is none any more
 *       └──────────────────────────────────────────┘
 *
 * A profile whose layout was taken back counts too: what was tried in vain is not tried at every look.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/core/output.h"
#include "cli/core/tracer.h"
#include "live.h"

enum { SHORT_LOOK = 10, LONG_LOOK = 60 }; /* seconds */
enum { MOST_FAILURES = 3 };               /* one after the other */

struct watch {
    struct live_request *request;
    struct an_live *live;
    int process; /* a descriptor of it, which is readable when it has ended */
    double look; /* seconds: longer when the process does little */
    struct live_check check;
    unsigned check_failures; /* one after the other */
};

/* False when the process has ended meanwhile, or this one shall. */
static bool wait_for(const struct watch *watch, double seconds)
{
    enum { PIECE = 200 }; /* ms: a signal may have come just before the wait */
    struct pollfd descriptor = {.fd = watch->process, .events = POLLIN};
    long long left = (long long)(seconds * 1000);
    do {
        int wait = left < PIECE ? (int)left : PIECE;
        if (poll(&descriptor, 1, wait) > 0)
            return false;
        left -= wait;
    } while (left > 0 && !tracer_stop);
    return !tracer_stop;
}

/* The larger overlap with one of the profiles that the process has a layout for, or had. */
static bool compare(const struct watch *watch, const char *now, double *overlap)
{
    char known[2][4200];
    bool is_known = false;
    live_name_force(watch->live, known[0], sizeof known[0]);
    live_name_rejected(watch->live, known[1], sizeof known[1]);
    *overlap = 0;
    for (unsigned i = 0; i < 2; i++) {
        struct an_error error;
        double found;
        if (access(known[i], R_OK) != 0 || an_live_overlap(known[i], now, &found, &error) != AN_OK)
            continue;
        is_known = true;
        *overlap = found > *overlap ? found : *overlap;
    }
    return is_known;
}

/* A light look at what the process does. Whether it does something else than before; unknown, and the
 * next look is longer, if there is too little to see. */
static bool has_drifted(struct watch *watch)
{
    enum { FEWEST = 100 }; /* samples, with fewer of which chance decides */
    struct an_record_options record = watch->request->record;
    struct an_live_profile profile;
    struct an_error error;
    char now[4200];
    double overlap;
    record.duration = watch->look;
    record.progress = NULL;
    record.until_dense = false;
    snprintf(now, sizeof now, "%s/now.fdata", an_live_folder(watch->live));
    bool is_seen = an_live_record(watch->live, &record, NULL, now, &profile, &error) == AN_OK;
    live_add_held(&watch->request->stops.recording, &profile.record);
    bool is_enough = is_seen && profile.record.samples >= FEWEST;
    progress_clear();
    bool is_far =
        is_enough && (!compare(watch, now, &overlap) || overlap < watch->request->threshold);
    if (is_enough)
        live_tell_drift(watch->request, overlap, is_far);
    else if (is_seen && watch->look < LONG_LOOK)
        watch->look = watch->look * 2 < LONG_LOOK ? watch->look * 2 : LONG_LOOK;
    unlink(now);
    return is_far;
}

static bool pass(void *context, double seconds)
{
    return wait_for(context, seconds);
}

/* Whether the layout has turned out to be a gain no more. */
static bool is_lost(struct watch *watch)
{
    struct live_request *request = watch->request;
    struct live_judge judge = {.request = request, .live = watch->live};
    struct an_error error;
    bool lost = false;
    if (request->keep_anyway || watch->check_failures == MOST_FAILURES)
        return false;
    enum an_code code = live_check(&watch->check, &judge, &lost, &error);
    if (code == AN_OK || !wait_for(watch, 0)) {
        watch->check_failures = 0;
        return lost;
    }
    report_error(&error);
    if (++watch->check_failures == MOST_FAILURES)
        say("this layout is not checked any more");
    return lost;
}

static bool is_over(const struct watch *watch)
{
    return !wait_for(watch, 0);
}

/* A round that fails changes nothing: the next look may find better times. As long as there was none
 * that did not, only waiting for work is worth while. */
static int watch_on(struct watch *watch)
{
    unsigned rounds = 0, failures = 0;
    bool is_due = live_in_force(watch->live) == 0, is_kept;
    do {
        struct an_error error;
        bool drifts = !is_due && has_drifted(watch);
        is_due = is_due || (!drifts && is_lost(watch));
        if (!is_due && !drifts)
            continue;
        enum an_code code =
            live_round(watch->request, watch->live, rounds + 1, NULL, &is_kept, &error);
        if (code == AN_OK) {
            is_due = false;
            failures = watch->check_failures = 0;
            live_check_reset(&watch->check);
            rounds++;
            continue;
        }
        if (is_over(watch))
            break;
        failures += code != AN_EMPTY;
        if (failures >= (rounds ? MOST_FAILURES : 1))
            return live_failed(&error);
        report_error(&error);
        say("trying again in %.0f s", watch->request->interval);
    } while (wait_for(watch, watch->request->interval));
    return EXIT_DONE;
}

int live_watch(struct live_request *request, struct an_live *live)
{
    struct watch watch = {.request = request,
                          .live = live,
                          .look = request->record.duration < SHORT_LOOK ? request->record.duration
                                                                        : SHORT_LOOK,
                          .check = {.pass = pass}};
    watch.check.context = &watch;
    watch.process = (int)syscall(SYS_pidfd_open, request->options.pid, 0);
    if (watch.process < 0) {
        say_error("process %d: %s", request->options.pid, strerror(errno));
        return EXIT_FAILED;
    }
    int status = watch_on(&watch);
    live_check_reset(&watch.check);
    close(watch.process);
    return status;
}
