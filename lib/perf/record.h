/* Stepping from record to record in a piece of memory; see walk.h. */
#ifndef AN_PERF_RECORD_H
#define AN_PERF_RECORD_H

#include "perf/format.h"
#include "perf/walk.h"

/* The head at bytes, of which 8 must be there. */
static inline void an_perf_record_head(struct perf_record *record, const uint8_t *bytes,
                                       uint64_t offset, bool big)
{
    record->bytes = bytes;
    record->offset = offset;
    record->type = an_get32(bytes, big);
    record->misc = an_get16(bytes + 4, big);
    record->size = an_get16(bytes + 6, big);
}

/* Bytes that follow the record and do not count in its size. The record must be there whole. */
static inline uint64_t an_perf_record_tail(const struct perf_record *record, bool big)
{
    if (record->type == PERF_AUXTRACE && record->size >= PERF_RECORD_HEAD + 8)
        return an_get64(record->bytes + PERF_RECORD_HEAD, big);
    if (record->type == PERF_HEADER_TRACING_DATA && record->size >= PERF_RECORD_HEAD + 4)
        return an_get32(record->bytes + PERF_RECORD_HEAD, big);
    return 0;
}

#endif
