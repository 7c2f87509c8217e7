/*
 * Lines in which a uuencoded file begins, ends, or is proved: "begin MODE NAME", "end", "crc32 SUM SIZE NAME"
 * (checksum.h).
 */
#include "base/memory.h"
#include "console/checksum.h"
#include "console/streams.h"

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

static enum an_taken open_file(struct an_streams *streams, struct an_line line,
                               const struct beginning *begin)
{
    struct an_stream *stream = new_stream(line, begin);
    return stream && an_streams_open(streams, stream) ? AN_TAKEN : AN_TAKING_FAILED;
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
            return open_file(streams, line, &begin);
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
        if (same && !an_streams_give_up(streams, i, line.number))
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
    return an_streams_close(streams, index, line.number) ? AN_TAKEN : AN_TAKING_FAILED;
}

enum an_taken an_streams_words(struct an_streams *streams, struct an_line line)
{
    enum an_taken taken = take_begin(streams, line);
    if (taken == AN_NOT_TAKEN)
        taken = take_checksum(streams, line);
    return taken == AN_NOT_TAKEN ? take_end(streams, line) : taken;
}
