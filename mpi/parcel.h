/* Bytes from one process of the job to another, and to all. MPI counts in int: large ones go in parts. */
#ifndef AN_MPI_PARCEL_H
#define AN_MPI_PARCEL_H

#include "base/bytes.h"

/* Ends the whole job with exit status 1, after a message that names this process. Does not return. */
_Noreturn void parcel_give_up(const char *why);

/* From rank 0 to all; each calls it. The others' buffers, which have to be empty, get the bytes. */
void parcel_share(struct an_buffer *buffer);

void parcel_send(const struct an_buffer *buffer, int rank);

/* Adds what the other process sends. */
void parcel_receive(struct an_buffer *buffer, int rank);

/* "rank 3 (host7)": of this process. Until the next call. */
const char *parcel_own_name(void);

#endif
