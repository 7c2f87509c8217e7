/*
 * Partial results that are left in a folder, so that a job that was cut off goes on where it was. A piece is known by
 * what it is made of: the options, and the path, weight, size and time of each input. A file that has changed since
 * makes another piece.
 */
#ifndef AN_MPI_PIECES_H
#define AN_MPI_PIECES_H

#include "share.h"

/* The piece's path in the folder job->resume. */
void pieces_path(const struct job *job, const struct share *share, char path[4200]);

#endif
