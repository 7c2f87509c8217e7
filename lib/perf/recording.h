/* A perf.data that was opened: what its readers share. */
#ifndef AN_PERF_RECORDING_H
#define AN_PERF_RECORDING_H

#include "base/map.h"
#include "base/memory.h"
#include "base/vector.h"
#include "perf/attr.h"
#include "perf/source.h"
#include "perf/walk.h"

struct perf_recording {
    struct an_source *source;
    bool big;
    bool pipe;
    bool compressed;
    bool unfinished;
    bool allow_truncated;
    bool short_data;     /* allow_truncated: at `end`, or behind it, something is missing */
    uint64_t start, end; /* of the records */
    struct an_arena arena;
    /* for each event, with the same index */
    struct {
        AN_VECTOR(struct perf_layout);
    } layouts;
    struct {
        AN_VECTOR(struct an_samples_event);
    } events;
    struct an_map ids; /* id of an event -> its index */
    struct {
        AN_VECTOR(struct an_samples_build_id);
    } build_ids;
};

/* Reads the header, the events and the features of a file, or the pipe's records that stand for
 * them. The recording begins zeroed, with source and allow_truncated set. */
enum an_code an_perf_header_read(struct perf_recording *recording, struct an_error *error);
enum an_code an_perf_pipe_read(struct perf_recording *recording, struct an_error *error);
void an_perf_recording_free(struct perf_recording *recording);

/* Adds an event; `offset` is where it stands, for messages. */
enum an_code an_perf_event_add(struct perf_recording *recording, struct an_bytes attr,
                               uint64_t offset, struct an_error *error);
enum an_code an_perf_event_id(struct perf_recording *recording, uint64_t id, size_t event,
                              struct an_error *error);
/* Names event number `index`; the text ends at its first 0 or at `most`. */
enum an_code an_perf_event_name(struct perf_recording *recording, size_t index, const void *text,
                                size_t most, struct an_error *error);

/*
 * Names the events by their descriptions, in which the cursor stands (offset is for messages):
 *     u32 number of events, u32 size of an attr, then for each event
 *     the attr, u32 number of ids, u32 length of the name, the name, padded with 0, the ids
 */
enum an_code an_perf_event_names(struct perf_recording *recording, struct an_cursor cursor,
                                 uint64_t offset, struct an_error *error);

/* Several events must keep their ids in the same place, or no sample tells whose it is. */
enum an_code an_perf_events_check(const struct perf_recording *recording, struct an_error *error);

/* The event of a sample or, with `from_end`, of any other record; NULL when there is none. */
const struct perf_layout *an_perf_layout_of(const struct perf_recording *recording,
                                            const uint8_t *record, uint16_t size, bool from_end);

/* The record of a build id, as it stands in the feature BUILD_ID and in pipes. */
enum an_code an_perf_build_id_add(struct perf_recording *recording, const uint8_t *record,
                                  uint16_t size, uint64_t offset, struct an_error *error);

#endif
