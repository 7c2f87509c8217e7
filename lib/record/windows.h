/* The recording of windows: which thread, when, by which method, until when. */
#ifndef AN_RECORD_WINDOWS_H
#define AN_RECORD_WINDOWS_H

#include <anneal/record.h>

#include "record/perf_writer.h"

/*
 * Records as an_record() promises, with options->method EMULATE or STEP; all that has a default must
 * have been set. Must be called in a thread that has all signals blocked and ends soon after: with
 * it, the kernel lets go of threads that wait in system calls.
 */
enum an_code an_windows_record(const struct an_record_options *options,
                               struct an_perf_writer *writer, struct an_record_counts *counts,
                               struct an_error *error);

/* Whether emulation is possible here: executable memory may be made. */
bool an_windows_can_emulate(void);

/* The event that windows are samples of. */
struct perf_event_attr an_windows_attr(void);

#endif
