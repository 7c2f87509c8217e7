/*
 * What the process that leads tells the others before they begin: the inputs, and the options that shape partial
 * results.
 */
#ifndef AN_MPI_JOB_H
#define AN_MPI_JOB_H

#include "cli/family/commands.h"

struct job {
    const struct family *family;
    struct inputs inputs;
    struct an_llvm_merge_options merge; /* without callbacks */
    char *resume;                       /* a folder of pieces, or NULL */
    struct correlating *correlating;    /* binaries that complete raw profiles */
    size_t correlating_count;
};

/*
 * To all processes, from the one that leads (rank 0); each calls it. The leader gives a job, or NULL when there is
 * none; the others get it, and free it. False when there is none, or no memory for it (then after a message).
 */
bool job_tell(const struct job *job);
bool job_hear(struct job *job);
void job_free(struct job *job);

#endif
