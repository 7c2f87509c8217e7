/* What paths and builds are called in the reports of anneal fdo. */
#ifndef AN_CLI_FDO_NAMES_H
#define AN_CLI_FDO_NAMES_H

#include <limits.h>
#include <stdbool.h>

#include "fdo/builds.h"
#include "fdo/store.h"

/* A path as the project has it: relative to the folder in which the store is. */
const char *fdo_shown(const struct an_fdo_store *store, const char *path);

/* "build-a (gcc-12)". Returns name. */
const char *fdo_build_name(const struct an_fdo_build *build, char name[PATH_MAX]);

#endif
