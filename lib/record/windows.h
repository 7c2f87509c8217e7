/* The recording of windows: which thread, when, by which method, until when. */
#ifndef AN_RECORD_WINDOWS_H
#define AN_RECORD_WINDOWS_H

#include <anneal/record.h>

#include "record/perf_writer.h"

struct an_recorder;

/* To record as an_record() promises, with options->method EMULATE or STEP; all that has a default must have
 * been set. *out is to be closed in any case. */
enum an_code an_windows_open(const struct an_record_options *options, struct an_perf_writer *writer,
                             struct an_record_counts *counts, struct an_recorder **out,
                             struct an_error *error);

/*
 * Records. Must be called in a thread that has all signals blocked and ends soon after: with it, the
 * kernel lets go of all that is still traced. True: not over, and to be called in another thread.
 */
bool an_windows_run(struct an_recorder *recorder);

/* Returns `code` or, if that is AN_OK, what became of the recording. recorder may be NULL. */
enum an_code an_windows_close(struct an_recorder *recorder, enum an_code code,
                              struct an_error *error);

/* Whether emulation is possible here: executable memory may be made. */
bool an_windows_can_emulate(void);

/* The event that windows are samples of. */
struct perf_event_attr an_windows_attr(void);

#endif
