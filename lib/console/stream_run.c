/*
 * Whole lines of data, one after the other, straight from the log: what stands in front is compared, and the
 * data is decoded to where it belongs. Since a character that is no data, as the end of a line, is noticed by
 * the decoder, ends of lines need not be looked for. What is not as expected is left to the other ways.
 *
 * Cores print in turn, as a rule, so the files are tried in turn.
 */
#include "console/streams.h"

enum {
    MUCH = 1 << 19,  /* bytes: a file that has so many will probably have many more */
    MOST_WIDE = 512, /* characters in front of the data */
};

/* Room for one more line. */
static bool make_room(const struct an_streams *streams, struct an_buffer *bytes)
{
    if (bytes->capacity - bytes->size >= AN_UU_ROOM)
        return true;
    size_t share = streams->ahead / streams->count / 4 * 3;
    if (bytes->size >= MUCH && share >= MUCH)
        an_buffer_expect(bytes, bytes->size + share);
    return an_buffer_reserve(bytes, bytes->size + AN_UU_ROOM);
}

/* Whether texts are the same; that most are not is seen without a call. */
static inline bool is_same(const char *one, const char *other, size_t size)
{
    if (size >= 8 && (an_load64(one) != an_load64(other) ||
                      an_load64(one + size - 8) != an_load64(other + size - 8)))
        return false;
    return (size >= 8 && size <= 16) || memcmp(one, other, size) == 0;
}

/* Where the data of the line begins, or SIZE_MAX. */
static size_t data_of(const struct an_stream *stream, const char *text, size_t size)
{
    const struct an_prefix *prefix = &stream->prefix;
    size_t at = prefix->has_time ? stream->width : prefix->size, tail = prefix->tail;
    if (size < at + AN_UU_FULL_TEXT || at > MOST_WIDE || at < tail || text[at] != 'M' ||
        !is_same(text + at - tail, prefix->key + prefix->size - tail, tail))
        return SIZE_MAX;
    if (!prefix->has_time)
        return at;
    return an_prefix_match(prefix, prefix->size, text, at) == at ? at : SIZE_MAX;
}

/* The length of what ends a line, or 0. */
static size_t end_length(const char *text, size_t size)
{
    if (size && text[0] == '\n')
        return 1;
    return size > 1 && text[0] == '\r' && text[1] == '\n' ? 2 : 0;
}

/* Takes the line if it is one of this file; returns its length, or 0. */
static size_t take_line(const struct an_streams *streams, struct an_stream *stream,
                        const char *text, size_t size)
{
    size_t at = data_of(stream, text, size);
    if (at == SIZE_MAX || !an_stream_is_plain(stream))
        return 0;
    size_t end = at + AN_UU_FULL_TEXT, length = end + end_length(text + end, size - end);
    if (length == end || !make_room(streams, &stream->bytes))
        return 0;
    unsigned meaning = an_uu_decode_whole(text + at + 1, stream->bytes.data + stream->bytes.size);
    if (meaning & AN_UU_WRONG)
        return 0;
    an_stream_took_plain(stream, meaning, text[end - 1]);
    return length;
}

/* Whether it is plain that a line is none of these: it is too short. */
static bool is_short(const struct an_streams *streams, const char *text, size_t size)
{
    size_t least = streams->least + AN_UU_FULL_TEXT;
    return size < least || memchr(text, '\n', least);
}

/* The same for whichever file it is of. */
static size_t take_any(struct an_streams *streams, const char *text, size_t size)
{
    enum { FEW = 4 }; /* so many tries cost no more than to look whether the line is long enough */
    for (size_t i = 0; i < streams->count; i++) {
        if (i == FEW && is_short(streams, text, size))
            return 0;
        streams->turn = streams->turn + 1 < streams->count ? streams->turn + 1 : 0;
        size_t length = take_line(streams, streams->items[streams->turn], text, size);
        if (length)
            return length;
    }
    return 0;
}

void an_streams_run(struct an_streams *streams, struct an_lines *lines)
{
    const char *log = (const char *)lines->log.data;
    for (size_t length = 1; length && !streams->overlaps; lines->at += length) {
        length = take_any(streams, log + lines->at, lines->log.size - lines->at);
        lines->number += length > 0;
    }
}
