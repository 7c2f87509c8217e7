/*
 * What the header of a file tells is told by records in a pipe:
 *
 *     "PERFILE2", u64 16                          then nothing but records
 *
 *     HEADER_ATTR      head | perf_event_attr, as long as it says | its ids
 *     EVENT_UPDATE     head | u64 kind | u64 id | name, to its 0          kind 2
 *     HEADER_FEATURE   head | u64 number | the feature
 *     HEADER_BUILD_ID  as in the feature BUILD_ID
 *
 * They may come late (perf inject adds build ids where a file is first met), so the stream is
 * walked once when it is opened.
 */
#include "perf/recording.h"

#include <string.h>

#include "perf/format.h"

enum { PIPE_HEADER = 16 };

static enum an_code add_attr(struct perf_recording *recording, const struct perf_record *record,
                             struct an_error *error)
{
    size_t room = record->size - PERF_RECORD_HEAD;
    const uint8_t *attr = record->bytes + PERF_RECORD_HEAD;
    uint32_t size = room >= 8 ? an_get32(attr + PERF_ATTR_SIZE, recording->big) : 0;
    if (size == 0)
        size = PERF_ATTR_LEAST;
    if (size > room)
        return an_fail_at(error, AN_MALFORMED, record->offset,
                          "an event description of %u bytes in a record of %u", size, record->size);
    enum an_code code =
        an_perf_event_add(recording, (struct an_bytes){attr, size}, record->offset, error);
    for (size_t at = size; code == AN_OK && room - at >= 8; at += 8)
        code = an_perf_event_id(recording, an_get64(attr + at, recording->big),
                                recording->layouts.count - 1, error);
    return code;
}

static enum an_code update_event(struct perf_recording *recording, const struct perf_record *record,
                                 struct an_error *error)
{
    enum { KIND = 8, ID = 16, NAME = 24 };
    if (record->size <= NAME ||
        an_get64(record->bytes + KIND, recording->big) != PERF_EVENT_UPDATE_NAME)
        return AN_OK;
    const uint64_t *index =
        an_map_find(&recording->ids, an_get64(record->bytes + ID, recording->big));
    if (!index)
        return AN_OK;
    return an_perf_event_name(recording, *index, record->bytes + NAME, record->size - NAME, error);
}

static enum an_code feature(struct perf_recording *recording, const struct perf_record *record,
                            struct an_error *error)
{
    struct an_cursor cursor = an_cursor_at((struct an_bytes){record->bytes, record->size},
                                           PERF_RECORD_HEAD, recording->big);
    if (an_cursor_u64(&cursor) != PERF_FEATURE_EVENT_DESC)
        return AN_OK;
    return an_perf_event_names(recording, cursor, record->offset, error);
}

static enum an_code metadata(void *context, const struct perf_record *record,
                             struct an_error *error)
{
    struct perf_recording *recording = context;
    switch (record->type) {
    case PERF_HEADER_ATTR:
        return add_attr(recording, record, error);
    case PERF_EVENT_UPDATE:
        return update_event(recording, record, error);
    case PERF_HEADER_FEATURE:
        return feature(recording, record, error);
    case PERF_HEADER_BUILD_ID:
        return an_perf_build_id_add(recording, record->bytes, record->size, record->offset, error);
    default:
        return AN_OK;
    }
}

enum an_code an_perf_pipe_read(struct perf_recording *recording, struct an_error *error)
{
    recording->start = PIPE_HEADER;
    recording->end = recording->source->size;
    /* Nothing has told yet whether records are compressed. To walk as if some were finds all. */
    struct perf_walk walk = {
        .source = recording->source,
        .start = recording->start,
        .end = recording->end,
        .big = recording->big,
        .compressed = true,
        .allow_truncated = recording->allow_truncated,
        .threads = 1,
        .context = recording,
        .in_order = metadata,
    };
    enum an_code code = an_perf_walk(&walk, error);
    recording->compressed = walk.met_compressed;
    if (code == AN_OK)
        code = an_perf_events_check(recording, error);
    return code;
}
