/*
 * What a perf_event_attr says about the records of its event: which fields a sample has, and where.
 *
 *     SAMPLE:  head | IDENTIFIER | IP | TID | TIME | ADDR | ID | STREAM_ID | CPU | PERIOD |   fixed
 *              READ | CALLCHAIN | RAW | BRANCH_STACK | ...                                 varying
 *     others:  head | payload | TID | TIME | ID | STREAM_ID | CPU | IDENTIFIER      with sample_id_all
 *
 * Of each list only those fields are there whose bit is set in sample_type; each field of the first
 * and the last has 8 bytes, so that their places are known once and for all.
 */
#ifndef AN_PERF_ATTR_H
#define AN_PERF_ATTR_H

#include "base/bytes.h"
#include "base/error.h"
#include "perf/samples.h"

struct perf_layout {
    uint64_t sample_type;
    uint64_t read_format;
    uint64_t branch_type;
    uint64_t period; /* of a sample that does not tell its own */
    bool sample_id_all;
    /* offsets in a SAMPLE, from its head on; 0: not there */
    uint16_t ip, tid, time, addr, id, cpu, own_period;
    uint16_t fixed; /* where the fields of varying size begin */
    /* offsets from the end of any other record; 0: not there */
    uint16_t end_time, end_id, end_size;
};

/*
 * Reads an attr, of which `bytes` may hold more or less than this version of it: what is missing
 * is 0. Fills layout and everything of event but its name.
 */
enum an_code an_perf_attr_read(struct an_bytes bytes, bool big, struct perf_layout *layout,
                               struct an_samples_event *event, struct an_error *error);

/* What perf would call the event, as far as the numbers tell. Cut to size, terminated. */
void an_perf_attr_name(struct an_bytes attr, bool big, char *text, size_t size);

#endif
