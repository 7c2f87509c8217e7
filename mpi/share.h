/*
 * Who merges what. What may not be torn apart is a unit: an input, or of GCC's files all of a run's folder. Units go
 * round the processes; with a folder of pieces, which have to be the same for any number of processes, groups of
 * units do.
 */
#ifndef AN_MPI_SHARE_H
#define AN_MPI_SHARE_H

#include "job.h"

/* Units of one piece: a merge of so many profiles takes long enough to be worth a file. */
enum { SHARE_PIECE = 256 };

struct share {
    size_t *numbers; /* of inputs, ascending */
    size_t count;
};

/* The inputs of one process. False when memory runs out. */
bool share_of_process(const struct job *job, int rank, int processes, struct share *share);

/* The inputs of one piece, and how many pieces there are. */
bool share_of_piece(const struct job *job, size_t piece, struct share *share);
size_t share_pieces(const struct job *job);
void share_free(struct share *share);

#endif
