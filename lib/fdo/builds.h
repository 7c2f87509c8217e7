/*
 * Builds of a project that share a store: in folders of their own (build-a, build-b: the first part of a path below the
 * outermost folder; "." for what is in that), or by compilers of their own.
 */
#ifndef AN_FDO_BUILDS_H
#define AN_FDO_BUILDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

struct an_fdo_build {
    const char *folder;
    size_t folder_length;
    const char *compiler; /* "": not known */
    /* In the report (report.h): */
    size_t files, used; /* with functions; with a profile */
    unsigned long long functions;
    /* In training (training.h): */
    uint64_t counts, shared; /* all; those in files to which several programs add */
};

/* In the order in which they were asked for. */
struct an_fdo_builds {
    AN_VECTOR(struct an_fdo_build);
};

/*
 * The number of the build that a unit or a program is of, by its path and its compiler (NULL: not known), which are not
 * copied; added if it is new. `base` is the outermost folder. SIZE_MAX: no memory.
 */
size_t an_fdo_builds_number(struct an_fdo_builds *builds, const char *path, const char *base,
                            const char *compiler);

#endif
