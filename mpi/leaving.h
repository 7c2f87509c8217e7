/* Leaving nothing behind when the job is ended by a signal, as mpirun and srun do when another process has died. */
#ifndef AN_MPI_LEAVING_H
#define AN_MPI_LEAVING_H

/* From here on a signal that ends the process removes the folder first. To be called before there are other threads. */
void leaving_watch(void);

/* The folder, an absolute or relative path that stays where it is; NULL: none (any more). */
void leaving_removes(const char *folder);

/* Removes it now: the process ends next. */
void leaving_clean(void);

#endif
