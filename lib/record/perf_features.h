/*
 * What a perf.data tells about itself beside its records: the machine, who recorded, the event.
 */
#ifndef AN_RECORD_PERF_FEATURES_H
#define AN_RECORD_PERF_FEATURES_H

#include <linux/perf_event.h>

#include "base/bytes.h"
#include "perf/format.h"

/* The event that a recording is of. */
struct an_perf_event {
    const struct perf_event_attr *attr;
    const char *name;
};

/*
 * Appends the content of a feature. False when there is nothing to tell: only of HOSTNAME,
 * OSRELEASE, VERSION, ARCH, CMDLINE, EVENT_DESC and BRANCH_STACK, as far as the system tells.
 */
bool an_perf_feature_put(struct an_buffer *to, enum perf_feature feature,
                         const struct an_perf_event *event);

#endif
