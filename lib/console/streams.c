/* Uuencoded files while they are read; see streams.h. */
#include "console/streams.h"

#include <stdlib.h>

#include "console/checksum.h"

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

/* The file at this index is done, whole or not. False when memory runs out. */
static bool finish(struct an_streams *streams, size_t index, uint64_t last_line)
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

/* One whose end is not there. */
static bool give_up(struct an_streams *streams, size_t index, uint64_t line)
{
    struct an_stream *stream = streams->items[index];
    if (!an_stream_is_meant(stream)) {
        remove_stream(streams, index);
        return true;
    }
    an_stream_end(stream, line);
    an_stream_blame(stream, line, "its 'end' is missing");
    return finish(streams, index, line);
}

/* ---- words ---- */

/* What a line says that begins a file; its offsets are in the line. */
struct beginning {
    size_t at;   /* "begin" */
    size_t name; /* up to the end of the line */
    unsigned mode;
    bool is_base64;
};

/* "begin MODE NAME", or "begin-base64 MODE NAME", at this place of a line that has no blanks at its end. */
static bool parse_begin(struct an_line line, size_t at, struct beginning *begin)
{
    static const char word[] = "begin-base64 ";
    size_t end = line.size, i = at + 6;
    *begin = (struct beginning){.at = at};
    if (end - at >= sizeof word && memcmp(line.text + at, word, sizeof word - 1) == 0) {
        begin->is_base64 = true;
        i = at + sizeof word - 1;
    } else if (end <= i || line.text[at + 5] != ' ') {
        return false;
    }
    size_t digits = i;
    while (i < end && line.text[i] >= '0' && line.text[i] <= '7' && i < digits + 6)
        begin->mode = begin->mode * 8 + (unsigned)(line.text[i++] - '0');
    if (i < digits + 3 || i >= end || line.text[i] != ' ')
        return false;
    while (i < end && line.text[i] == ' ')
        i++;
    begin->name = i;
    return i < end && end - i <= AN_FOUND_MOST_NAME;
}

/* A file of this prefix that is open ends here; it is mixed with the new one, if it was not at its end. */
static bool close_same(struct an_streams *streams, struct an_stream *stream)
{
    size_t i = 0;
    while (i < streams->count && !an_prefix_same(&streams->items[i]->prefix, &stream->prefix))
        i++;
    if (i == streams->count)
        return true;
    stream->is_mixed = an_stream_is_meant(streams->items[i]) && !streams->items[i]->zero_line;
    return give_up(streams, i, stream->first_line);
}

static struct an_stream *new_stream(struct an_line line, const struct beginning *begin)
{
    struct an_stream *stream = an_alloc_zero(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->mode = begin->mode & 07777;
    stream->is_base64 = begin->is_base64;
    stream->full = AN_UU_FULL;
    stream->first_line = line.number;
    if (!an_prefix_of(&stream->prefix, line.text, begin->at))
        an_prefix_cut(&stream->prefix, 0);
    stream->name_size = line.size - begin->name;
    stream->name = an_alloc(stream->name_size + 1, 1);
    if (!stream->name) {
        an_stream_free(stream);
        return NULL;
    }
    memcpy(stream->name, line.text + begin->name, stream->name_size);
    return stream;
}

static bool open_file(struct an_streams *streams, struct an_line line,
                      const struct beginning *begin)
{
    struct an_stream *stream = new_stream(line, begin);
    if (!stream)
        return false;
    bool done = close_same(streams, stream) &&
                (streams->count < MOST_OPEN || give_up(streams, 0, line.number)) &&
                add_stream(streams, stream);
    if (!done)
        an_stream_free(stream);
    return done;
}

static enum an_taken take_begin(struct an_streams *streams, struct an_line line)
{
    struct beginning begin;
    line.size = an_trimmed(line.text, line.size);
    for (size_t at = 0; at < line.size; at++) {
        const char *found = memmem(line.text + at, line.size - at, "begin", 5);
        if (!found)
            return AN_NOT_TAKEN;
        at = (size_t)(found - line.text);
        if (parse_begin(line, at, &begin))
            return open_file(streams, line, &begin) ? AN_TAKEN : AN_TAKING_FAILED;
    }
    return AN_NOT_TAKEN;
}

static enum an_taken take_checksum(struct an_streams *streams, struct an_line line)
{
    struct an_checksum checksum;
    if (!an_checksum_parse(line, &checksum))
        return AN_NOT_TAKEN;
    for (size_t i = streams->count; i-- > 0;) {
        const struct an_stream *stream = streams->items[i];
        bool same = stream->name_size == checksum.name_size &&
                    memcmp(stream->name, checksum.name, checksum.name_size) == 0;
        if (same && !give_up(streams, i, line.number))
            return AN_TAKING_FAILED;
    }
    return an_checksum_take(streams->console, &checksum, line.number) ? AN_TAKEN : AN_TAKING_FAILED;
}

/* Whether a text, without blanks at its end, ends with the word that ends a file. */
static bool is_end(bool is_base64, const char *text, size_t size)
{
    const char *word = is_base64 ? "====" : "end";
    size_t length = strlen(word);
    return size >= length && memcmp(text + size - length, word, length) == 0;
}

static enum an_taken take_end(struct an_streams *streams, struct an_line line)
{
    static const struct an_uu zero = {.count = 0, .has_back_quote = true};
    struct an_line payload;
    line.size = an_trimmed(line.text, line.size);
    if (!is_end(false, line.text, line.size) && !is_end(true, line.text, line.size))
        return AN_NOT_TAKEN;
    struct an_stream *stream = an_streams_find(streams, line, &payload);
    if (!stream || !is_end(stream->is_base64, payload.text, payload.size) ||
        payload.size != (stream->is_base64 ? 4 : 3))
        return AN_NOT_TAKEN;
    size_t index = 0;
    while (streams->items[index] != stream)
        index++;
    if (stream->is_base64)
        an_stream_take(stream, &zero, payload);
    an_stream_end(stream, line.number);
    return finish(streams, index, line.number) ? AN_TAKEN : AN_TAKING_FAILED;
}

enum an_taken an_streams_words(struct an_streams *streams, struct an_line line)
{
    enum an_taken taken = take_begin(streams, line);
    if (taken == AN_NOT_TAKEN)
        taken = take_checksum(streams, line);
    return taken == AN_NOT_TAKEN ? take_end(streams, line) : taken;
}

bool an_streams_finish(struct an_streams *streams, uint64_t last_line)
{
    while (streams->count)
        if (!give_up(streams, 0, last_line))
            return false;
    return true;
}

void an_streams_free(struct an_streams *streams)
{
    for (size_t i = 0; i < streams->count; i++)
        an_stream_free(streams->items[i]);
    an_vector_free(streams);
}
