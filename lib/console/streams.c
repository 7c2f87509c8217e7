/* Uuencoded files while they are read; see streams.h. */
#include "console/streams.h"

enum { MOST_OPEN = 256 };

/* ---- the open files ---- */

/* How many others may have the same line. */
static size_t overlaps_of(const struct an_streams *streams, const struct an_stream *stream)
{
    size_t count = 0;
    for (size_t i = 0; i < streams->count; i++)
        count += streams->items[i] != stream &&
                 an_prefix_overlaps(&streams->items[i]->prefix, &stream->prefix);
    return count;
}

/* A line with fewer characters than that is of no file. */
static void find_least(struct an_streams *streams)
{
    streams->least = SIZE_MAX;
    for (size_t i = 0; i < streams->count; i++)
        if (streams->items[i]->prefix.solid < streams->least)
            streams->least = streams->items[i]->prefix.solid;
}

static bool add_stream(struct an_streams *streams, struct an_stream *stream)
{
    struct an_stream **slot = an_vector_push(streams);
    if (!slot)
        return false;
    *slot = stream;
    streams->overlaps += overlaps_of(streams, stream);
    find_least(streams);
    return true;
}

static void remove_stream(struct an_streams *streams, size_t index)
{
    struct an_stream **slot = &streams->items[index];
    streams->overlaps -= overlaps_of(streams, *slot);
    an_stream_free(*slot);
    memmove(slot, slot + 1, (streams->count - index - 1) * sizeof *slot);
    streams->count--;
    find_least(streams);
}

void an_streams_settle(struct an_streams *streams, struct an_stream *stream, size_t size)
{
    streams->overlaps -= overlaps_of(streams, stream);
    an_prefix_cut(&stream->prefix, size);
    stream->is_settled = true;
    streams->overlaps += overlaps_of(streams, stream);
    find_least(streams);
}

struct an_stream *an_streams_find(struct an_streams *streams, struct an_line line,
                                  struct an_line *payload)
{
    struct an_stream *best = NULL;
    *payload = line;
    if (line.size < streams->least)
        return NULL;
    for (size_t i = 0; i < streams->count; i++) {
        struct an_stream *stream = streams->items[i];
        if ((best && stream->prefix.size < best->prefix.size) ||
            !an_prefix_may_match(&stream->prefix, line.text, line.size))
            continue;
        size_t at = an_prefix_match(&stream->prefix, stream->prefix.size, line.text, line.size);
        if (at == SIZE_MAX)
            continue;
        best = stream;
        *payload = (struct an_line){line.text + at, line.size - at, line.number};
    }
    return best;
}

enum an_taken an_streams_data(struct an_streams *streams, struct an_line line)
{
    struct an_line payload;
    struct an_uu uu;
    struct an_stream *stream = an_streams_find(streams, line, &payload);
    if (!stream || !an_stream_decode(stream, payload, &uu))
        return AN_NOT_TAKEN;
    stream->is_settled |= uu.count > 0 && !uu.lost;
    stream->width = line.size - payload.size;
    an_stream_take(stream, &uu, payload);
    return stream->bytes.failed ? AN_TAKING_FAILED : AN_TAKEN;
}

/* ---- ends ---- */

bool an_streams_close(struct an_streams *streams, size_t index, uint64_t last_line)
{
    struct an_stream *stream = streams->items[index];
    bool failed = stream->bytes.failed;
    an_buffer_trim(&stream->bytes);
    struct an_found *found = failed
                                 ? NULL
                                 : an_found_add(streams->console, stream->name, stream->name_size,
                                                AN_CONSOLE_UUENCODE, &stream->bytes);
    if (found) {
        an_found_behind(streams->console, found, &stream->prefix);
        found->file.mode = stream->mode;
        found->file.first_line = stream->first_line;
        found->file.last_line = last_line;
        if (stream->trouble[0])
            an_found_blame(found, stream->trouble_line, "%s", stream->trouble);
    }
    remove_stream(streams, index);
    return found != NULL;
}

bool an_streams_give_up(struct an_streams *streams, size_t index, uint64_t line)
{
    struct an_stream *stream = streams->items[index];
    if (!an_stream_is_meant(stream)) {
        remove_stream(streams, index);
        return true;
    }
    an_stream_end(stream, line);
    an_stream_blame(stream, line, "its 'end' is missing");
    return an_streams_close(streams, index, line);
}

/* ---- beginnings ---- */

/* A file of this prefix that is open ends here; it is mixed with the new one, if it was not at its end. */
static bool close_same(struct an_streams *streams, struct an_stream *stream)
{
    size_t i = 0;
    while (i < streams->count && !an_prefix_same(&streams->items[i]->prefix, &stream->prefix))
        i++;
    if (i == streams->count)
        return true;
    stream->is_mixed = an_stream_is_meant(streams->items[i]) && !streams->items[i]->zero_line;
    return an_streams_give_up(streams, i, stream->first_line);
}

bool an_streams_open(struct an_streams *streams, struct an_stream *stream)
{
    bool done =
        close_same(streams, stream) &&
        (streams->count < MOST_OPEN || an_streams_give_up(streams, 0, stream->first_line)) &&
        add_stream(streams, stream);
    if (!done)
        an_stream_free(stream);
    return done;
}

bool an_streams_finish(struct an_streams *streams, uint64_t last_line)
{
    while (streams->count)
        if (!an_streams_give_up(streams, 0, last_line))
            return false;
    return true;
}

void an_streams_free(struct an_streams *streams)
{
    for (size_t i = 0; i < streams->count; i++)
        an_stream_free(streams->items[i]);
    an_vector_free(streams);
}
