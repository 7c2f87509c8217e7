/*
 * Branch stacks from the processor, by way of the kernel: events of perf_event_open(2) for each
 * thread and processor, their ring buffers, and the records in these as they are.
 */
#ifndef AN_RECORD_LBR_H
#define AN_RECORD_LBR_H

#include <linux/perf_event.h>

#include <anneal/record.h>

#include "base/error.h"

/* The event that is recorded: cycles in user mode, with branch stacks. `frequency` 0: 4000. */
struct perf_event_attr an_lbr_attr(unsigned frequency);

/* 0 when this machine lets the caller record such an event of `pid` (0: of itself), or the errno. */
int an_lbr_probe(const struct perf_event_attr *attr, int32_t pid);

/*
 * Records an event, which need not have branch stacks, as an_record() would. `name` is what the
 * event is called.
 */
enum an_code an_lbr_record(const struct an_record_options *options,
                           const struct perf_event_attr *attr, const char *name,
                           struct an_record_counts *counts, struct an_error *error);

#endif
