/* perf.data as samples.h wants it. */
#ifndef AN_PERF_DATA_H
#define AN_PERF_DATA_H

#include "perf/recording.h"
#include "perf/samples.h"

/* Whether these first bytes are of a perf.data, of any version and byte order. */
bool an_perf_recognise(struct an_bytes start);

/* recording begins zeroed, with source and allow_truncated set; freed by the caller in any case. */
enum an_code an_perf_open(struct perf_recording *recording, struct an_bytes start,
                          struct an_error *error);
enum an_code an_perf_tasks(struct perf_recording *recording, struct an_samples_counts *counts,
                           an_task_callback *callback, void *context, struct an_error *error);
enum an_code an_perf_each(struct perf_recording *recording, struct an_samples_counts *counts,
                          unsigned threads, an_sample_callback *callback, void *context,
                          struct an_error *error);

#endif
