/*
 * Whether a new layout is worth keeping: by turns (turns.c) or, where the process has no function that counts its
 * work, by samples: the odds of the functions that were moved, before the switch and after it (lib/live/share.h).
 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/core/output.h"
#include "live.h"

enum { LONGEST = 10 }; /* seconds that are sampled after a switch */

/* ---- samples ---- */

static bool share_of(const struct live_judge *judge, const char *recording,
                     struct an_live_share *share)
{
    struct an_error error;
    return an_live_share(judge->live, recording, share, &error) == AN_OK && share->is_known;
}

static void judge_samples(const struct live_judge *judge, struct live_verdict *verdict)
{
    struct an_record_options record = judge->request->record;
    struct an_record_counts counts;
    struct an_live_share before, after;
    struct an_error error;
    record.duration = fmin(record.duration, LONGEST);
    record.until_dense = false;
    verdict->unit = "samples";
    if (!judge->request->quiet)
        progress_step("sampling");
    if (an_live_sample(judge->live, &record, judge->after_file, &counts, &error) != AN_OK)
        return;
    live_add_held(&judge->request->stops.recording, &counts);
    if (!share_of(judge, judge->before_file, &before) ||
        !share_of(judge, judge->after_file, &after))
        return;
    double ratio = after.odds / before.odds;
    double half = hypot(before.half_width, after.half_width); /* of its logarithm */
    verdict->is_known = true;
    verdict->before = before.odds;
    verdict->after = after.odds;
    verdict->worth = (struct an_worth){.cost = {.is_known = true,
                                                .value = ratio,
                                                .low = ratio * exp(-half),
                                                .high = ratio * exp(half)}};
    an_worth_judge(&verdict->worth);
    verdict->outcome = verdict->worth.outcome;
    if (!verdict->worth.is_refused)
        verdict->choice = AN_WORTH_NEW;
}

/* ---- both ---- */

bool live_is_judged(const struct live_request *request)
{
    return !request->options.dry_run &&
           (!request->keep_anyway || request->counter || request->has_worth_time);
}

enum an_code live_judge_begin(struct live_judge *judge, struct an_error *error)
{
    double ignored;
    snprintf(judge->before_file, sizeof judge->before_file, "%s/before.data",
             an_live_folder(judge->live));
    snprintf(judge->after_file, sizeof judge->after_file, "%s/after.data",
             an_live_folder(judge->live));
    return judge->request->counter ? live_read_counter(judge->request, &ignored, error) : AN_OK;
}

/* Work that cannot be counted is no failure, unless it was to be counted by a command. */
static enum an_code judge_after(const struct live_judge *judge, unsigned number,
                                struct live_verdict *verdict, struct an_error *error)
{
    struct an_error refusal;
    enum an_code code = live_take_turns(judge, number, verdict, &refusal);
    if (code == AN_OK || judge->request->counter) {
        if (code != AN_OK)
            *error = refusal;
        return code;
    }
    snprintf(verdict->why, sizeof verdict->why, "%s", refusal.what);
    if (verdict->is_known || verdict->in_force != number)
        return AN_OK; /* there were enough turns, or the next one could not be taken */
    verdict->unit = "none";
    if (!judge->request->profile)
        judge_samples(judge, verdict);
    return AN_OK;
}

enum an_code live_judge_after(const struct live_judge *judge, unsigned number,
                              struct live_verdict *verdict, struct an_error *error)
{
    *verdict = (struct live_verdict){.unit = "none", .in_force = number};
    enum an_code code = AN_OK;
    if (live_is_judged(judge->request)) { /* what is not seen to be a gain does not stay */
        verdict->is_measured = true;
        verdict->choice = judge->before ? AN_WORTH_BEFORE : AN_WORTH_ORIGINAL;
        code = judge_after(judge, number, verdict, error);
    }
    unlink(judge->before_file);
    unlink(judge->after_file);
    return code;
}
