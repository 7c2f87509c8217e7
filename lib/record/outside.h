/*
 * Where the kernel refuses perf events: windows at moments that are chosen from outside.
 *
 *      +-> wait ------> choose a thread ---> stop it ---> run the window --> let it go, write
 *      |  (pace.h)       (tasks.h)          (tracee.h)     (calls.h)             |
 *      +-------------------------------------------------------------------------+
 *
 * A thread is traced only while a window of it is taken. Code between system calls that follow each
 * other closely is seen too rarely, since stopping a thread takes effect where the kernel lets it go;
 * alarms.h has no such bias.
 */
#ifndef AN_RECORD_OUTSIDE_H
#define AN_RECORD_OUTSIDE_H

#include "record/recorder.h"

/* Records until there is enough. `cost`: what a window may cost, before any is known; nanoseconds. */
void an_outside_record(struct an_recorder *recorder, double cost);

#endif
