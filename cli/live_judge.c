/*
 * Whether a new layout is worth keeping.
 *
 * With --counter: CPU time of the process for each unit of work, while the profile is recorded and
 * after the switch. Without: the odds of the functions that were moved, by samples (lib/live/share.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live.h"

enum { LONGEST = 10 }; /* seconds that are measured after a switch */

static double time_after(const struct live_request *request)
{
    double time = request->record.duration;
    return time < LONGEST ? time : LONGEST;
}

/* ---- the counter ---- */

static bool cpu_time(int32_t pid, double *seconds)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return false;
    *seconds = (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
    return true;
}

static bool read_counter(const struct live_request *request, double *work)
{
    FILE *pipe = popen(request->counter, "re");
    char text[256] = "", *end = text;
    if (pipe && fgets(text, sizeof text, pipe))
        *work = strtod(text, &end);
    int status = pipe ? pclose(pipe) : -1;
    if (status == 0 && end != text)
        return true;
    text[strcspn(text, "\n")] = '\0';
    say_error("--counter: '%s' has %s%s%s", request->counter,
              status ? "failed" : "not printed a number but: '", status ? "" : text,
              status ? "" : "'");
    return false;
}

static bool start_counting(struct live_judge *judge)
{
    return read_counter(judge->request, &judge->work) &&
           cpu_time(judge->request->options.pid, &judge->time);
}

/* CPU seconds for a unit since the start; 0 when no work was done. */
static bool cost_since(const struct live_judge *judge, double *cost)
{
    double work, time;
    if (!read_counter(judge->request, &work) || !cpu_time(judge->request->options.pid, &time))
        return false;
    *cost = work > judge->work ? (time - judge->time) / (work - judge->work) : 0;
    return true;
}

/* ---- samples ---- */

/* Odds of the moved functions, and the square of the standard error of their logarithm. */
static bool odds(struct live_judge *judge, const char *recording, double *ratio, double *square)
{
    enum { FEWEST = 20 }; /* samples on either side */
    struct an_error error;
    uint64_t inside, all;
    if (an_live_share(judge->live, recording, &inside, &all, &error) != AN_OK)
        return false;
    if (inside < FEWEST || all - inside < FEWEST)
        return false;
    *ratio = (double)inside / (double)(all - inside);
    *square = 1 / (double)inside + 1 / (double)(all - inside);
    return true;
}

static void judge_samples(struct live_judge *judge, struct live_verdict *verdict)
{
    struct an_record_options record = judge->request->record;
    struct an_record_counts counts;
    struct an_error error;
    double before, after;
    record.duration = time_after(judge->request);
    verdict->unit = "samples";
    if (an_live_sample(judge->live, &record, judge->after_file, &counts, &error) != AN_OK ||
        !odds(judge, judge->before_file, &verdict->before, &before) ||
        !odds(judge, judge->after_file, &verdict->after, &after))
        return;
    verdict->is_known = true;
    verdict->uncertainty = sqrt(before + after);
    /* An original that ran better is reason enough; another layout has to be worse beyond doubt. */
    double worse = log(verdict->after / verdict->before);
    verdict->is_worse = worse > (judge->is_first ? 0 : 2 * verdict->uncertainty);
}

/* ---- both ---- */

bool live_judge_begin(struct live_judge *judge)
{
    snprintf(judge->before_file, sizeof judge->before_file, "%s/before.data",
             an_live_folder(judge->live));
    snprintf(judge->after_file, sizeof judge->after_file, "%s/after.data",
             an_live_folder(judge->live));
    if (!judge->request->counter)
        return true;
    if (!start_counting(judge))
        return false;
    if (judge->request->profile) /* there is no recording meanwhile */
        sleep((unsigned)ceil(time_after(judge->request)));
    return true;
}

bool live_judge_end_of_before(struct live_judge *judge)
{
    return !judge->request->counter || cost_since(judge, &judge->cost);
}

static bool judge_counter(struct live_judge *judge, struct live_verdict *verdict)
{
    enum { TOLERANCE = 3 }; /* percent that a later layout may be worse by chance */
    verdict->unit = "counter";
    verdict->before = judge->cost;
    if (!start_counting(judge))
        return false;
    sleep((unsigned)ceil(time_after(judge->request)));
    if (!cost_since(judge, &verdict->after))
        return false;
    verdict->is_known = verdict->before > 0 && verdict->after > 0;
    double limit = judge->is_first ? 1 : 1 + TOLERANCE * 0.01;
    verdict->is_worse = verdict->is_known && verdict->after >= verdict->before * limit;
    return true;
}

bool live_judge_after(struct live_judge *judge, struct live_verdict *verdict)
{
    *verdict = (struct live_verdict){.unit = "none"};
    bool done = true;
    if (judge->request->counter)
        done = judge_counter(judge, verdict);
    else if (!judge->request->profile && !judge->request->keep_anyway)
        judge_samples(judge, verdict);
    unlink(judge->before_file);
    unlink(judge->after_file);
    return done;
}
