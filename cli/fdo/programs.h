/* What ran in the training of a build in two passes, and leaving a program out. */
#ifndef AN_CLI_FDO_PROGRAMS_H
#define AN_CLI_FDO_PROGRAMS_H

#include <json-c/json.h>
#include <stdbool.h>

#include "fdo/store.h"

/* The programs that ran in training, with their shares of the counts. False after a message. */
bool fdo_print_programs(const struct an_fdo_store *store);

/* The same as JSON; NULL after a message. */
struct json_object *fdo_programs_json(const struct an_fdo_store *store);

/* Takes the counts of one of them out of the training. Returns the exit status. */
int fdo_leave_out(const struct an_fdo_store *store, const char *program);

#endif
