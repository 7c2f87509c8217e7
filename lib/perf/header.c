/*
 * The header of a perf.data file, and what hangs on it.
 *
 *     0    "PERFILE2" as a number of 8 bytes: its order tells that of the file
 *     8    size of the header: 104
 *     16   size of an entry in the table of events
 *     24   table of events:  offset, size
 *     40   the records:      offset, size (0 while perf record runs)
 *     56   (not used any more)
 *     72   256 bits: which features there are
 *     104  ...
 *     behind the records, for each feature in order of its number: offset, size
 *
 *     an entry of the table of events: perf_event_attr, then its ids: offset, size
 */
#include "perf/recording.h"

#include <string.h>

#include "base/bits.h"
#include "perf/format.h"

enum {
    HEADER_SIZE = 104,
    SECTION_SIZE = 16,
    MOST_EVENTS_SIZE = 16 << 20, /* limits on what is read at once, far above what perf writes */
    MOST_IDS_SIZE = 16 << 20,
    MOST_FEATURE_SIZE = 64 << 20,
};

struct section {
    uint64_t offset;
    uint64_t size;
};

struct header {
    uint64_t size;
    uint64_t entry_size;
    struct section events;
    struct section data;
    uint64_t features[PERF_FEATURES / 64];
};

static struct section take_section(struct an_cursor *cursor)
{
    struct section section;
    section.offset = an_cursor_u64(cursor);
    section.size = an_cursor_u64(cursor);
    return section;
}

/* A section of the file in the window, whole. */
static enum an_code load(struct an_source_window *window, struct section section, uint64_t most,
                         const char *what, struct an_error *error)
{
    uint64_t end;
    if (__builtin_add_overflow(section.offset, section.size, &end) || end > window->source->size)
        return an_fail_at(error, AN_TRUNCATED, section.offset,
                          "%s has %llu bytes, but the file ends earlier", what,
                          (unsigned long long)section.size);
    if (section.size > most)
        return an_fail_at(error, AN_MALFORMED, section.offset,
                          "%s has %llu bytes, expected at most %llu", what,
                          (unsigned long long)section.size, (unsigned long long)most);
    enum an_code code = an_source_window_load(window, section.offset, (size_t)section.size, error);
    if (code == AN_OK && window->bytes.size < section.size)
        code = an_fail_at(error, AN_TRUNCATED, section.offset, "the file is shrinking");
    return code;
}

/* ---- events ---- */

static enum an_code read_ids(struct perf_recording *recording, struct section section, size_t event,
                             struct an_error *error)
{
    struct an_source_window window = {.source = recording->source};
    enum an_code code = load(&window, section, MOST_IDS_SIZE, "a table of event ids", error);
    for (size_t at = 0; code == AN_OK && at + 8 <= window.bytes.size; at += 8)
        code = an_perf_event_id(recording, an_get64(window.bytes.data + at, recording->big), event,
                                error);
    an_source_window_free(&window);
    return code;
}

/* An attr says how large it is; older ones left that at 0. */
static struct an_bytes attr_in(const uint8_t *entry, size_t room, bool big)
{
    uint32_t size = room >= 8 ? an_get32(entry + PERF_ATTR_SIZE, big) : 0;
    return (struct an_bytes){entry, size && size < room ? size : room};
}

static enum an_code read_events(struct perf_recording *recording, const struct header *header,
                                struct an_error *error)
{
    struct an_source_window window = {.source = recording->source};
    uint64_t size = header->entry_size;
    if (size < PERF_ATTR_LEAST + SECTION_SIZE || size > MOST_EVENTS_SIZE)
        return an_fail_at(error, AN_MALFORMED, 16,
                          "event descriptions of %llu bytes, expected at least %d",
                          (unsigned long long)size, PERF_ATTR_LEAST + SECTION_SIZE);
    enum an_code code =
        load(&window, header->events, MOST_EVENTS_SIZE, "the table of events", error);
    for (size_t at = 0; code == AN_OK && window.bytes.size - at >= size; at += (size_t)size) {
        size_t room = (size_t)size - SECTION_SIZE;
        struct an_cursor ids = an_cursor_at(window.bytes, at + room, recording->big);
        struct section section = take_section(&ids);
        code = an_perf_event_add(recording, attr_in(window.bytes.data + at, room, recording->big),
                                 header->events.offset + at, error);
        if (code == AN_OK)
            code = read_ids(recording, section, recording->layouts.count - 1, error);
    }
    an_source_window_free(&window);
    return code;
}

/* ---- features ---- */

static enum an_code build_ids(struct perf_recording *recording, struct an_bytes section,
                              uint64_t offset, struct an_error *error)
{
    enum an_code code = AN_OK;
    for (size_t at = 0; code == AN_OK && section.size - at >= PERF_RECORD_HEAD;) {
        uint16_t size = an_get16(section.data + at + 6, recording->big);
        if (size < PERF_RECORD_HEAD || size > section.size - at)
            return an_fail_at(error, AN_MALFORMED, offset + at,
                              "a build id record of %u bytes, but only %zu are left", size,
                              section.size - at);
        code = an_perf_build_id_add(recording, section.data + at, size, offset + at, error);
        at += size;
    }
    return code;
}

static enum an_code event_names(struct perf_recording *recording, struct an_bytes section,
                                uint64_t offset, struct an_error *error)
{
    return an_perf_event_names(recording, an_cursor_at(section, 0, recording->big), offset, error);
}

/* u32 version, type, level, ratio, mmap length */
static enum an_code compression(struct perf_recording *recording, struct an_bytes section,
                                uint64_t offset, struct an_error *error)
{
    struct an_cursor cursor = an_cursor_at(section, 4, recording->big);
    uint32_t type = an_cursor_u32(&cursor);
    if (cursor.short_read || type != PERF_COMPRESSED_ZSTD)
        return an_fail_at(error, AN_UNSUPPORTED, offset, "compression method %u, expected 1 (zstd)",
                          type);
    recording->compressed = true;
    return AN_OK;
}

static enum an_code read_feature(struct perf_recording *recording, unsigned feature,
                                 struct section section, struct an_error *error)
{
    static const struct {
        unsigned feature;
        const char *what;
        enum an_code (*read)(struct perf_recording *, struct an_bytes, uint64_t, struct an_error *);
    } wanted[] = {
        {PERF_FEATURE_BUILD_ID, "the table of build ids", build_ids},
        {PERF_FEATURE_EVENT_DESC, "the table of event names", event_names},
        {PERF_FEATURE_COMPRESSED, "the description of compression", compression},
    };
    struct an_source_window window = {.source = recording->source};
    enum an_code code = AN_OK;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (wanted[i].feature != feature)
            continue;
        code = load(&window, section, MOST_FEATURE_SIZE, wanted[i].what, error);
        if (code == AN_OK)
            code = wanted[i].read(recording, window.bytes, section.offset, error);
    }
    an_source_window_free(&window);
    return code;
}

static enum an_code read_features(struct perf_recording *recording, const struct header *header,
                                  struct an_error *error)
{
    struct an_source_window window = {.source = recording->source};
    struct section table = {recording->end, 0};
    for (unsigned i = 0; i < PERF_FEATURES; i++)
        table.size += an_bit(header->features, i) * SECTION_SIZE;
    enum an_code code =
        load(&window, table, PERF_FEATURES * SECTION_SIZE, "the table of features", error);
    struct an_cursor cursor = an_cursor_at(window.bytes, 0, recording->big);
    for (unsigned i = 0; code == AN_OK && i < PERF_FEATURES; i++)
        if (an_bit(header->features, i))
            code = read_feature(recording, i, take_section(&cursor), error);
    an_source_window_free(&window);
    return code;
}

/* ---- the header ---- */

static enum an_code parse(struct perf_recording *recording, struct header *header,
                          struct an_error *error)
{
    struct an_source_window window = {.source = recording->source};
    enum an_code code = an_source_window_load(&window, 0, HEADER_SIZE, error);
    struct an_cursor cursor = an_cursor_at(window.bytes, 8, recording->big);
    header->size = an_cursor_u64(&cursor);
    header->entry_size = an_cursor_u64(&cursor);
    header->events = take_section(&cursor);
    header->data = take_section(&cursor);
    take_section(&cursor);
    for (int i = 0; i < PERF_FEATURES / 64; i++)
        header->features[i] = an_cursor_u64(&cursor);
    an_source_window_free(&window);
    if (code != AN_OK)
        return code;
    if (cursor.short_read)
        return an_fail_at(error, AN_TRUNCATED, recording->source->size,
                          "the file ends within its header of %d bytes", HEADER_SIZE);
    if (header->size != HEADER_SIZE)
        return an_fail_at(error, AN_UNSUPPORTED, 8, "a header of %llu bytes, expected %d",
                          (unsigned long long)header->size, HEADER_SIZE);
    return AN_OK;
}

/* The bits are words of the size that the recording machine had: a big-endian one of 32 bits
 * leaves their halves swapped. Every recording has a host name. */
static void straighten_features(struct header *header, bool big)
{
    const uint64_t sign = (uint64_t)1 << PERF_FEATURE_HOSTNAME;
    if (!big || header->features[0] & sign || !(header->features[0] >> 32 & sign))
        return;
    for (int i = 0; i < PERF_FEATURES / 64; i++)
        header->features[i] = header->features[i] >> 32 | header->features[i] << 32;
}

/* Where the records are. A recording that is not finished does not know where they end. */
static enum an_code place_data(struct perf_recording *recording, const struct header *header,
                               struct an_error *error)
{
    uint64_t file = recording->source->size;
    recording->start = header->data.offset;
    recording->unfinished = header->data.size == 0;
    if (recording->unfinished && header->data.offset <= file) {
        recording->end = file;
        return AN_OK;
    }
    if (__builtin_add_overflow(header->data.offset, header->data.size, &recording->end))
        return an_fail_at(error, AN_MALFORMED, 40, "the data ends beyond any possible file");
    if (recording->end <= file)
        return AN_OK;
    if (recording->allow_truncated && recording->start <= file) {
        recording->end = file;
        recording->short_data = true;
        return AN_OK;
    }
    an_fail_at(error, AN_TRUNCATED, file, "the data ends at byte %llu, but the file ends earlier",
               (unsigned long long)recording->end);
    return an_error_hint(error, "the recording is truncated; use --failure-mode=warn to read what "
                                "there is");
}

enum an_code an_perf_header_read(struct perf_recording *recording, struct an_error *error)
{
    struct header header;
    enum an_code code = parse(recording, &header, error);
    if (code == AN_OK)
        code = place_data(recording, &header, error);
    if (code == AN_OK)
        code = read_events(recording, &header, error);
    if (code == AN_OK)
        code = an_perf_events_check(recording, error);
    if (code != AN_OK)
        return code;
    straighten_features(&header, recording->big);
    if (!recording->unfinished && !recording->short_data)
        code = read_features(recording, &header, error);
    if (code == AN_TRUNCATED && recording->allow_truncated)
        recording->short_data = true;
    /* The features stand behind the data: without its end there are none. What matters of them is
     * said in the header too. */
    if (recording->unfinished || recording->short_data) {
        recording->compressed = header.features[0] >> PERF_FEATURE_COMPRESSED & 1;
        return AN_OK;
    }
    return code;
}
