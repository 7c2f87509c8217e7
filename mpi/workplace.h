/* A process's own temporary folder, and merges that say nothing there. */
#ifndef AN_MPI_WORKPLACE_H
#define AN_MPI_WORKPLACE_H

#include "base/bytes.h"
#include "job.h"

struct workplace {
    char folder[4096];
    char said[600]; /* the first of what the last merge that failed has said */
};

/* Below $TMPDIR, or /tmp. Ends the job when there can be none. */
void workplace_open(struct workplace *place);
void workplace_close(struct workplace *place);

/* The path of a file in it. */
void workplace_path(const struct workplace *place, const char *name, char path[4200]);

/*
 * Merges the job's inputs of these numbers into a partial result. Inputs that are rejected are in its account, where the
 * failure mode lets them be. False when it was not written: one was rejected, none could be used, or there is no room;
 * place->said tells.
 */
bool workplace_merge(struct workplace *place, const struct job *job, const size_t *numbers,
                     size_t count, const char *output);

/* The same of a file that has partial results, one behind the other. */
bool workplace_join(struct workplace *place, const struct job *job, const char *path,
                    const char *output);

#endif
