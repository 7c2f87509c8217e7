/* What the parts of the command record share: the request, running it, telling of it. */
#ifndef AN_CLI_RECORD_RECORD_H
#define AN_CLI_RECORD_RECORD_H

#include <anneal/record.h>

#include "cli/core/command.h"

struct record_request {
    struct an_record_options options;
    char **command;      /* to be run, or NULL: options.pid is recorded */
    int gate;            /* where the command waits for a byte before it begins */
    const char *account; /* a file for the account as JSON, or NULL */
    double fleet_rate;   /* the share of the hosts that record at a time; 0: this is the only one */
    const char *fleet_host; /* this host's name among them; NULL: its own */
    bool json, quiet;
};

/* Runs the request in a process of its own (run.c). Returns the exit status. */
int record_run(struct record_request *request);

/* A line on the terminal while it lasts; `context` is the request. */
void record_progress(void *context, const struct an_record_counts *counts);

/* The account in the end; false after a message. */
bool record_tell(const struct record_request *request, const struct an_record_counts *counts);

#endif
