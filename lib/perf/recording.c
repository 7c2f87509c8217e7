/* The events and build ids of a recording, wherever they were read from; see recording.h. */
#include "perf/recording.h"

#include <string.h>

#include "perf/format.h"

void an_perf_recording_free(struct perf_recording *recording)
{
    an_vector_free(&recording->layouts);
    an_vector_free(&recording->events);
    an_vector_free(&recording->build_ids);
    an_map_free(&recording->ids);
    an_arena_free(&recording->arena);
}

enum an_code an_perf_event_add(struct perf_recording *recording, struct an_bytes attr,
                               uint64_t offset, struct an_error *error)
{
    char name[96];
    struct perf_layout *layout = an_vector_push(&recording->layouts);
    struct an_samples_event *event = an_vector_push(&recording->events);
    if (!layout || !event)
        return an_fail_memory(error);
    enum an_code code = an_perf_attr_read(attr, recording->big, layout, event, error);
    if (code != AN_OK) {
        error->offset = offset;
        return code;
    }
    an_perf_attr_name(attr, recording->big, name, sizeof name);
    event->name = an_arena_copy(&recording->arena, name, strlen(name));
    return event->name ? AN_OK : an_fail_memory(error);
}

enum an_code an_perf_event_id(struct perf_recording *recording, uint64_t id, size_t event,
                              struct an_error *error)
{
    bool is_new;
    uint64_t *value = an_map_insert(&recording->ids, id, &is_new);
    if (!value)
        return an_fail_memory(error);
    if (is_new)
        *value = event;
    return AN_OK;
}

enum an_code an_perf_event_name(struct perf_recording *recording, size_t index, const void *text,
                                size_t most, struct an_error *error)
{
    size_t length = strnlen(text, most);
    if (index >= recording->events.count || length == 0)
        return AN_OK;
    char *copy = an_arena_copy(&recording->arena, text, length);
    if (!copy)
        return an_fail_memory(error);
    recording->events.items[index].name = copy;
    return AN_OK;
}

enum an_code an_perf_event_names(struct perf_recording *recording, struct an_cursor cursor,
                                 uint64_t offset, struct an_error *error)
{
    uint32_t count = an_cursor_u32(&cursor);
    uint32_t attr_size = an_cursor_u32(&cursor);
    enum an_code code = AN_OK;
    for (uint32_t i = 0; code == AN_OK && i < count && !cursor.short_read; i++) {
        an_cursor_take(&cursor, attr_size);
        uint32_t ids = an_cursor_u32(&cursor);
        uint32_t length = an_cursor_u32(&cursor);
        const uint8_t *name = an_cursor_take(&cursor, length);
        an_cursor_take(&cursor, (size_t)ids * 8);
        if (name)
            code = an_perf_event_name(recording, i, name, length, error);
    }
    if (code == AN_OK && cursor.short_read)
        code = an_fail_at(error, AN_MALFORMED, offset,
                          "the names of the events do not fit into their section");
    return code;
}

enum an_code an_perf_events_check(const struct perf_recording *recording, struct an_error *error)
{
    const struct perf_layout *first = recording->layouts.items;
    if (recording->layouts.count == 0)
        return an_fail(error, AN_MALFORMED, "the recording describes no event");
    for (size_t i = 1; i < recording->layouts.count; i++) {
        const struct perf_layout *other = &recording->layouts.items[i];
        if (other->id != first->id || other->end_id != first->end_id || !first->id)
            return an_fail(error, AN_MALFORMED,
                           "%zu events whose samples do not say which event they belong to",
                           recording->layouts.count);
    }
    return AN_OK;
}

const struct perf_layout *an_perf_layout_of(const struct perf_recording *recording,
                                            const uint8_t *record, uint16_t size, bool from_end)
{
    const struct perf_layout *first = recording->layouts.items;
    if (recording->layouts.count == 1)
        return first;
    uint16_t place = from_end ? first->end_id : first->id;
    if (place == 0) /* records without an id are those of the first event, as perf takes them */
        return first;
    if (place > size - 8)
        return NULL;
    uint64_t id = an_get64(from_end ? record + size - place : record + place, recording->big);
    const uint64_t *index = id ? an_map_find(&recording->ids, id) : NULL;
    if (!index)
        return id ? NULL : first;
    return *index < recording->layouts.count ? &recording->layouts.items[*index] : NULL;
}

/*
 *     8   pid
 *     12  build id, 20 bytes
 *     32  its size, if misc says so with PERF_MISC_BUILD_ID_SIZE; else it is 20
 *     33  3 bytes of padding
 *     36  file name, to its 0
 */
enum { BUILD_ID_PID = 8, BUILD_ID_BYTES = 12, BUILD_ID_SIZE = 32, BUILD_ID_NAME = 36 };

enum an_code an_perf_build_id_add(struct perf_recording *recording, const uint8_t *record,
                                  uint16_t size, uint64_t offset, struct an_error *error)
{
    if (size <= BUILD_ID_NAME)
        return an_fail_at(error, AN_MALFORMED, offset,
                          "a build id record of %u bytes, expected more than %d", size,
                          BUILD_ID_NAME);
    const char *name = (const char *)record + BUILD_ID_NAME;
    struct an_samples_build_id *place = an_vector_push(&recording->build_ids);
    if (!place)
        return an_fail_memory(error);
    *place = (struct an_samples_build_id){
        .pid = an_get32(record + BUILD_ID_PID, recording->big),
        .misc = an_get16(record + 4, recording->big),
        .size = AN_BUILD_ID_MOST,
        .filename = an_arena_copy(&recording->arena, name, strnlen(name, size - BUILD_ID_NAME)),
    };
    memcpy(place->bytes, record + BUILD_ID_BYTES, AN_BUILD_ID_MOST);
    if (place->misc & PERF_MISC_BUILD_ID_SIZE && record[BUILD_ID_SIZE] <= AN_BUILD_ID_MOST)
        place->size = record[BUILD_ID_SIZE];
    return place->filename ? AN_OK : an_fail_memory(error);
}
