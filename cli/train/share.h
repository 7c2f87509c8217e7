/* Which of the runs are made here, when several processes train together. */
#ifndef AN_CLI_TRAIN_SHARE_H
#define AN_CLI_TRAIN_SHARE_H

#include "train.h"

/*
 * Takes "2/8", or "job": as Slurm, OpenMPI or another MPI has numbered this process of a job or of an array of jobs. False after
 * a message.
 */
bool share_take(struct train_request *request, const char *text);

/*
 * Where the partial result goes, when it does: the file that was named, or one in the folder that was named, with the share in
 * its name. Returns an exit status; other than EXIT_DONE after a message.
 */
int share_name_output(struct train_request *request);

#endif
