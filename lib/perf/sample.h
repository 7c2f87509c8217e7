/* Decoding the records of a perf.data: samples, and what happens to processes. */
#ifndef AN_PERF_SAMPLE_H
#define AN_PERF_SAMPLE_H

#include "perf/format.h"
#include "perf/recording.h"

/* The branches of one sample in the machine's byte order; one for each thread. Only recordings of
 * the other byte order need it. */
struct perf_scratch {
    uint8_t branches[PERF_RECORD_MOST];
};

/* Decodes a SAMPLE. *known is false for a sample of no event that is described. scratch may be
 * NULL when the recording has the machine's byte order. */
enum an_code an_perf_sample_read(const struct perf_recording *recording,
                                 const struct perf_record *record, struct perf_scratch *scratch,
                                 struct an_branch_sample *sample, bool *known,
                                 struct an_error *error);

/* Decodes an MMAP, MMAP2, COMM, FORK or EXIT; *is_task is false for all other records. */
enum an_code an_perf_task_read(const struct perf_recording *recording,
                               const struct perf_record *record, struct an_task_event *event,
                               bool *is_task, struct an_error *error);

#endif
