/* What the parts of the command worth share: the request, measuring, telling of it. */
#ifndef AN_CLI_WORTH_WORTH_H
#define AN_CLI_WORTH_WORTH_H

#include <anneal/work.h>

#include "base/vector.h"
#include "cli/core/command.h"

enum { WORTH_PROCESSES = 2 };

struct worth_request {
    int32_t pids[WORTH_PROCESSES];
    size_t process_count;
    const char *functions[AN_WORK_MOST];
    size_t function_count;
    const char *counter;       /* with layouts: a command that prints how much work has been done */
    double duration, interval; /* seconds */
    double overhead;           /* a share of the process's CPU time; 0: the usual one */
    bool layouts, json, quiet;
};

struct worth_process {
    int32_t pid;
    char name[64];
    struct an_work *work;
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

/* What the layout in force is worth beside the original code (layouts.c); the exit status. */
int worth_layouts(struct worth_request *request);

/* Telling (tell.c). */
void worth_tell(const struct worth_request *request, const struct worth_result *result);
void worth_tell_json(const struct worth_request *request, const struct worth_result *result);

/* Why there is no figure for a process, as a sentence; NULL: there is one. */
const char *worth_lack(const struct worth_process *process);

#endif
