/* What the parts of the command fdo share. */
#ifndef AN_CLI_FDO_FDO_H
#define AN_CLI_FDO_FDO_H

#include <json-c/json.h>
#include <stdbool.h>

#include "fdo/builds.h"
#include "fdo/store.h"

/* A path as the project has it: relative to the folder in which the store is. */
const char *fdo_shown(const struct an_fdo_store *store, const char *path);

/* "build-a (gcc-12)". Returns name. */
const char *fdo_build_name(const struct an_fdo_build *build, char name[PATH_MAX]);

/* The programs that ran in training, with their shares of the counts (programs.c). False after a message. */
bool fdo_print_programs(const struct an_fdo_store *store);

/* The same as JSON; NULL after a message. */
struct json_object *fdo_programs_json(const struct an_fdo_store *store);

/* Takes the counts of one of them out of the training. Returns the exit status. */
int fdo_leave_out(const struct an_fdo_store *store, const char *program);

#endif
