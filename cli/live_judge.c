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
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "live.h"

enum { LONGEST = 10 }; /* seconds that are measured after a switch */

static double time_after(const struct live_request *request)
{
    double time = request->record.duration;
    return time < LONGEST ? time : LONGEST;
}

static void conclude(const struct live_judge *judge, struct live_verdict *verdict, double noise)
{
    verdict->is_known = true;
    verdict->worth = (struct an_worth){.before = verdict->before,
                                       .after = verdict->after,
                                       .noise = noise,
                                       .is_first = judge->is_first};
    an_worth_judge(&verdict->worth);
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

static enum an_code read_counter(const struct live_request *request, double *work,
                                 struct an_error *error)
{
    mode_t mask = umask(request->mask);
    FILE *pipe = popen(request->counter, "re");
    umask(mask);
    char text[256] = "", *end = text;
    if (pipe && fgets(text, sizeof text, pipe))
        *work = strtod(text, &end);
    int status = pipe ? pclose(pipe) : -1;
    if (status == 0 && end != text)
        return AN_OK;
    text[strcspn(text, "\n")] = '\0';
    if (status)
        return an_fail(error, AN_SYSTEM, "--counter: '%s' has failed", request->counter);
    return an_fail(error, AN_SYSTEM, "--counter: '%s' has not printed a number but '%s'",
                   request->counter, text);
}

static enum an_code read_time(const struct live_request *request, double *time,
                              struct an_error *error)
{
    if (cpu_time(request->options.pid, time))
        return AN_OK;
    return an_fail(error, AN_SYSTEM, "process %d has ended", request->options.pid);
}

static enum an_code start_counting(struct live_judge *judge, struct an_error *error)
{
    enum an_code code = read_counter(judge->request, &judge->work, error);
    return code == AN_OK ? read_time(judge->request, &judge->time, error) : code;
}

/* CPU seconds for a unit since the start; 0 when no work was done. */
static enum an_code cost_since(const struct live_judge *judge, double *cost, struct an_error *error)
{
    double work = 0, time = 0;
    enum an_code code = read_counter(judge->request, &work, error);
    if (code == AN_OK)
        code = read_time(judge->request, &time, error);
    if (code == AN_OK)
        *cost = work > judge->work ? (time - judge->time) / (work - judge->work) : 0;
    return code;
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
    verdict->uncertainty = sqrt(before + after);
    conclude(judge, verdict, an_worth_noise(verdict->uncertainty));
}

/* ---- both ---- */

enum an_code live_judge_begin(struct live_judge *judge, struct an_error *error)
{
    snprintf(judge->before_file, sizeof judge->before_file, "%s/before.data",
             an_live_folder(judge->live));
    snprintf(judge->after_file, sizeof judge->after_file, "%s/after.data",
             an_live_folder(judge->live));
    enum an_code code = judge->request->counter ? start_counting(judge, error) : AN_OK;
    if (code == AN_OK && judge->request->counter && judge->request->profile)
        sleep((unsigned)ceil(time_after(judge->request))); /* there is no recording meanwhile */
    return code;
}

enum an_code live_judge_end_of_before(struct live_judge *judge, struct an_error *error)
{
    return judge->request->counter ? cost_since(judge, &judge->cost, error) : AN_OK;
}

static enum an_code judge_counter(struct live_judge *judge, struct live_verdict *verdict,
                                  struct an_error *error)
{
    enum { NOISE = 3 }; /* percent, that two measurements of the same code may differ by */
    verdict->unit = "counter";
    verdict->before = judge->cost;
    enum an_code code = start_counting(judge, error);
    if (code == AN_OK)
        sleep((unsigned)ceil(time_after(judge->request)));
    if (code == AN_OK)
        code = cost_since(judge, &verdict->after, error);
    if (code != AN_OK)
        return code;
    if (verdict->before > 0 && verdict->after > 0)
        conclude(judge, verdict, NOISE * 0.01);
    return AN_OK;
}

enum an_code live_judge_after(struct live_judge *judge, struct live_verdict *verdict,
                              struct an_error *error)
{
    enum an_code code = AN_OK;
    *verdict = (struct live_verdict){.unit = "none"};
    if (judge->request->counter)
        code = judge_counter(judge, verdict, error);
    else if (!judge->request->profile && !judge->request->keep_anyway)
        judge_samples(judge, verdict);
    unlink(judge->before_file);
    unlink(judge->after_file);
    return code;
}
