/* What the parts of the command train share: the request, running it, telling of it. */
#ifndef AN_CLI_TRAIN_TRAIN_H
#define AN_CLI_TRAIN_TRAIN_H

#include <anneal/train.h>

#include "cli/core/command.h"

struct train_request {
    struct an_train_options options;
    struct an_train_workloads workloads;
    const char *compiler; /* that reads LLVM's profile, as it was named; or NULL */
    const char *ledger;   /* file for the account of all runs, as JSON; or NULL */
    bool is_job;          /* the share is what a job's engine says */
    char *partial;        /* the partial result in the folder that was named, or NULL; owned */
    bool json, quiet;
    size_t told; /* failures, so far */
};

/* While it lasts: callbacks of struct an_train_options; `context` is the request. */
void train_progress(void *context, const struct an_train_counts *counts);
void train_failed(void *context, const struct an_train_run *run);

/* The account in the end, for people, of `seconds` of training. */
void train_tell(const struct train_request *request, const struct an_train_result *result,
                double seconds);

/* The same as JSON on stdout: sums, and the runs that failed. False after a message. */
bool train_tell_json(const struct train_request *request, const struct an_train_result *result,
                     double seconds);

/* The ledger: all of that, and a line for each run. False after a message. */
bool train_write_ledger(const struct train_request *request, const struct an_train_result *result,
                        double seconds);

#endif
