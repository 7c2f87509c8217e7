/* What the parts of the command faults share: the request, and telling of the result. */
#ifndef AN_CLI_FAULTS_FAULTS_H
#define AN_CLI_FAULTS_FAULTS_H

#include <anneal/faults.h>

#include "cli/core/command.h"

struct faults_request {
    struct an_faults_options options;
    struct option_list with, against;
    bool json, quiet, show_output;
};

/* A table for people, with notes on what to think of it. */
void faults_tell(const struct faults_request *request, const struct an_faults_result *result);

/* All numbers as JSON on stdout. False after a message. */
bool faults_tell_json(const struct faults_request *request, const struct an_faults_result *result);

/* From so much read-ahead on (bytes), there is a note: it is more than Linux does by itself. */
enum { FAULTS_MUCH_READ_AHEAD = 128 << 10 };

#endif
