/*
 * What is done with a record that the kernel made: it is written as it is, and counted; the
 * build-ids of files that are mapped are noted for the recording's table.
 */
#ifndef AN_RECORD_PERF_INTAKE_H
#define AN_RECORD_PERF_INTAKE_H

#include <anneal/record.h>

#include "record/density.h"
#include "record/perf_writer.h"

struct an_perf_intake {
    struct an_perf_writer *writer;
    uint64_t sample_type;            /* of the event; without READ, CALLCHAIN and RAW */
    struct an_record_counts *counts; /* samples, branches and lost grow */
    struct an_density *density;
};

/* Takes a record, head and all. */
void an_perf_intake_take(const struct an_perf_intake *intake, const uint8_t *record, size_t size);

#endif
