/* What the parts of the command worth share: the request, measuring, telling of it. */
#ifndef AN_CLI_WORTH_WORTH_H
#define AN_CLI_WORTH_WORTH_H

#include <anneal/work.h>

#include "base/vector.h"
#include "cli/core/command.h"
#include "cli/core/moves.h"

enum { WORTH_PROCESSES = 2 };

struct worth_request {
    int32_t pids[WORTH_PROCESSES];
    size_t process_count;
    const char *functions[AN_WORK_MOST];
    size_t function_count;
    const char *counters[WORTH_PROCESSES]; /* what tells how much work has been done (counter.h) */
    size_t counter_count;                  /* 0: functions count; 1: it is that of all processes */
    double duration, interval;             /* seconds */
    double overhead;       /* a share of the process's CPU time; 0: AN_WORK_BUDGET */
    enum an_work_by clock; /* without a counter, and without functions that are named */
    bool layouts, json, quiet;
};

struct worth_process {
    int32_t pid;
    char name[64];
    struct an_work *work; /* NULL: a counter of the user's counts */
    struct moves moves;
    size_t functions;             /* in the readings */
    struct an_work_reading total; /* all that was counted */
    struct an_work_reading last;
    struct {
        AN_VECTOR(struct an_work_reading);
    } slices;
    bool is_over; /* it has ended, or executes another program */
    struct an_work_estimate estimate;
};

struct worth_result {
    struct worth_process processes[WORTH_PROCESSES];
    size_t count;
    bool is_interrupted;
    double counted, passed;             /* seconds in which entries were counted, and all of them */
    double duty;                        /* their ratio */
    struct an_work_estimate difference; /* of two: the second one's work to the first one's */
};

/* Measures and tells (run.c); the exit status. */
int worth_run(const struct worth_request *request);

/* Opens what counts the work of a process, and measures all of them: by counters (count.c), or by functions (run.c). Slices end
 * where counters move. */
enum an_code worth_count_open(const struct worth_request *request, struct worth_result *result,
                              struct worth_process *process, struct an_error *error);
enum an_code worth_count(const struct worth_request *request, struct worth_result *result,
                         struct an_error *error);

/* What the slices say (estimate.c), and, between them, that for whoever waits. */
void worth_estimate(struct worth_result *result);
void worth_show_progress(struct worth_result *result, double share);

/* What the layout in force is worth beside the original code (layouts.c); the exit status. */
int worth_layouts(struct worth_request *request);

/* Telling (tell.c). */
void worth_tell(const struct worth_request *request, const struct worth_result *result);
void worth_tell_json(const struct worth_request *request, const struct worth_result *result);

/* Whether what it reads and writes counts its work. */
bool worth_by_traffic(const struct worth_process *process);

/* Why there is no figure for a process, as a sentence; NULL: there is one. */
const char *worth_lack(const struct worth_process *process);

#endif
