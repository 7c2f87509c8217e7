/*
 * Whether the layout in force is still worth what it was.
 *
 *     work in a second of CPU time: the first time, and now ─► no less: nothing is done
 *                                     │ less
 *                                     ▼
 *     turns with the original code ─► a gain: it stays, and this is the first time
 *                                     │ none
 *                                     ▼
 *                                   the original code runs again
 *
 * That a process does less may have many reasons: a busier machine, other requests. Only turns tell; and since they
 * take seconds, in half of which the original code runs, there must be a reason for them.
 */
#include <stdio.h>

#include "base/error.h"
#include "cli/core/output.h"
#include "live.h"

/* So much less work than in the beginning is a reason, if the interval says that it is no chance. */
static const double less = 0.03;

enum { SLICES = 12 };
static const double slice_seconds = 0.5;

static enum an_code take_slices(const struct live_check *check, struct live_clock *clock,
                                struct live_slices *slices, struct an_error *error)
{
    struct an_work_reading last, now, slice;
    bool is_over;
    double duty = live_clock_duty(clock);
    enum an_code code = live_clock_read(clock, &last, &is_over, error);
    for (size_t i = 0; code == AN_OK && !is_over && i < SLICES; i++, last = now) {
        progress_tell((double)i / SLICES, "counting its work");
        live_clock_pause(clock, false);
        if (!check->pass(check->context, duty * slice_seconds))
            break;
        code = live_clock_read(clock, &now, &is_over, error);
        live_clock_pause(clock, true);
        if (duty < 1 && !check->pass(check->context, (1 - duty) * slice_seconds))
            break;
        if (code != AN_OK || is_over || !an_work_slice(&last, &now, &slice))
            break;
        struct an_work_reading *kept = an_vector_push(slices);
        if (!kept)
            return an_fail_memory(error);
        *kept = slice;
    }
    return code;
}

/* How much more work it does than the first time, if that is known. */
static enum an_code measure(struct live_check *check, const struct live_judge *judge,
                            struct an_work_estimate *change, struct an_error *error)
{
    const struct an_work_options options = {
        .size = sizeof options,
        .functions = (const char *const *)check->functions.items,
        .function_count = check->by_traffic ? 0 : check->functions.count,
        .by = check->by_traffic ? AN_WORK_BY_TRAFFIC : judge->request->clock,
    };
    struct live_slices slices = {0};
    struct live_clock clock;
    change->is_known = false;
    enum an_code code = live_clock_open(&clock, judge->request, &options, error);
    if (code == AN_OK && check->functions.count == 0)
        code = live_clock_names(&clock, &check->functions, error);
    if (code == AN_OK) {
        check->by_traffic = live_clock_is_free(&clock);
        code = take_slices(check, &clock, &slices, error);
    }
    if (code == AN_OK && slices.count == SLICES && check->first.count == 0) {
        check->first = slices;
        slices = (struct live_slices){0};
    } else if (code == AN_OK && slices.count == SLICES) {
        an_work_compare(check->first.items, slices.items, SLICES, clock.functions, change);
    }
    live_clock_close(&clock);
    an_vector_free(&slices);
    progress_clear();
    return code;
}

/* The layout and the original code take turns, and the better one stays. */
static enum an_code take_turns(const struct live_judge *judge, unsigned number,
                               struct live_verdict *verdict, struct an_error *error)
{
    struct an_live_round last = {0};
    struct an_error later;
    char kept[4200], rejected[4200];
    enum an_code code = live_take_turns(judge, number, verdict, error);
    enum an_code settled =
        live_settle(judge, number, verdict, &last, code == AN_OK ? error : &later);
    if (settled == AN_OK && verdict->is_taken_back) {
        live_name_force(judge->live, kept, sizeof kept);
        live_name_rejected(judge->live, rejected, sizeof rejected);
        rename(kept, rejected);
    }
    return code == AN_OK ? settled : code;
}

enum an_code live_check(struct live_check *check, const struct live_judge *judge, bool *is_lost,
                        struct an_error *error)
{
    struct live_verdict verdict = {.unit = "none"};
    struct an_work_estimate change;
    unsigned number = live_in_force(judge->live);
    enum an_code code = number ? measure(check, judge, &change, error) : AN_OK;
    *is_lost = false;
    if (code != AN_OK || number == 0 || !change.is_known || change.high >= 1 - less)
        return code;
    verdict.in_force = number;
    verdict.is_measured = true;
    code = take_turns(judge, number, &verdict, error);
    *is_lost = verdict.is_taken_back;
    if (code == AN_OK)
        live_tell_check(judge->request, number, &change, &verdict);
    judge->request->stops = (struct live_stops){0};
    live_verdict_free(&verdict);
    live_check_reset(check);
    return code;
}

void live_check_reset(struct live_check *check)
{
    live_names_free(&check->functions);
    an_vector_free(&check->first);
    check->by_traffic = false;
}
