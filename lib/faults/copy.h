/* A copy of a binary that nobody else runs, so that it can be taken out of the page cache. */
#ifndef AN_FAULTS_COPY_H
#define AN_FAULTS_COPY_H

#include "base/error.h"

struct an_private_copy {
    char *folder; /* made for it */
    char *path;   /* in that folder, with the name of the original */
};

/*
 * Copies a file: into a new folder beside it, for it is the same disk then, or else into one in TMPDIR or
 * /tmp; not in memory. Removed by an_copy_remove(), also on failure.
 */
enum an_code an_copy_make(struct an_private_copy *copy, const char *path, struct an_error *error);
void an_copy_remove(struct an_private_copy *copy);

#endif
