/*
 * Lines that are not simply data, nor words: what stands in front of a line of data, where a file's "begin"
 * had something else in front, and what may be left of a line of data.
 */
#include "console/digits.h"
#include "console/streams.h"

enum {
    SHORTEST = 5, /* characters of a line of data */
    FRAGMENT = 8, /* characters of a line that may be a prompt, or a word */
    PATIENCE =
        64, /* lines in which the first line of data is looked for behind less than the prefix */
};

/* Whether this is, by its length, a whole line of data. In base64 no line tells how long it is. */
static bool is_as_long_as_it_says(const struct an_stream *stream, struct an_line text)
{
    size_t count = text.size ? (size_t)(text.text[0] - 0x20) & 0x3f : 0;
    if (stream->is_base64)
        return text.size > AN_UU_FULL;
    return count && text.size == 1 + 4 * ((count + 2) / 3);
}

/* A file whose "begin" had something else in front: the first line of data shows how much of that was
 * its prefix. */
static bool settle(struct an_streams *streams, struct an_stream *stream, struct an_line line)
{
    struct an_uu uu;
    size_t at[AN_PREFIX_MOST];
    if (stream->is_settled || stream->attempts++ >= PATIENCE)
        return false;
    size_t size = an_prefix_steps(&stream->prefix, line.text, line.size, at);
    while (size-- > 0) {
        struct an_line rest = {line.text + at[size], line.size - at[size], line.number};
        if (!is_as_long_as_it_says(stream, rest) || !an_stream_decode(stream, rest, &uu))
            continue;
        an_streams_settle(streams, stream, size);
        stream->width = at[size];
        an_stream_take(stream, &uu, rest);
        return true;
    }
    return false;
}

/* A whole line of data behind something else. If that began with 'M' it may be a damaged line. */
static bool take_glued(struct an_stream *stream, struct an_line payload)
{
    struct an_uu uu;
    if (payload.size <= AN_UU_FULL_TEXT || payload.text[0] == 'M' || stream->extras ||
        stream->is_base64)
        return false;
    const char *text = payload.text + payload.size - AN_UU_FULL_TEXT;
    if (text[0] != 'M' || !an_uu_decode(text, AN_UU_FULL_TEXT, &uu))
        return false;
    an_stream_take(stream, &uu, (struct an_line){text, AN_UU_FULL_TEXT, payload.number});
    return true;
}

/* What has many characters of base64, and few others, was a line of it once. */
static void suspect_base64(struct an_stream *stream, struct an_line payload)
{
    enum { RARE = 8 };
    size_t size = an_trimmed(payload.text, payload.size), wrong = 0;
    for (size_t i = 0; i < size; i++)
        wrong += !an_digits_only(AN_BASE64, payload.text + i, 1);
    if (size > FRAGMENT && wrong * RARE <= size)
        an_stream_blame(stream, payload.number, "this may have been a line of data");
    else if (size > 0 && wrong <= 1)
        stream->odd_line = payload.number;
}

static void suspect(struct an_stream *stream, struct an_line payload)
{
    size_t size = an_trimmed(payload.text, payload.size), wrong = 0;
    if (an_stream_has_ended(stream))
        return;
    for (size_t i = 0; i < size; i++)
        wrong += payload.text[i] < 0x20 || payload.text[i] > 0x60;
    if (an_uu_resembles(payload.text, size) || (size > FRAGMENT && wrong == 0))
        an_stream_blame(stream, payload.number, "this may have been a line of data");
    else if (size <= AN_UU_FULL_TEXT && wrong <= 1)
        stream->odd_line = payload.number;
}

enum an_taken an_streams_noise(struct an_streams *streams, struct an_line line)
{
    struct an_line payload;
    struct an_stream *stream = an_streams_find(streams, line, &payload), *taker = stream;
    bool taken = stream && take_glued(stream, payload);
    for (size_t i = 0; !taken && line.size >= SHORTEST && i < streams->count; i++) {
        taker = streams->items[i];
        taken = settle(streams, taker, line);
    }
    if (taken)
        return taker->bytes.failed ? AN_TAKING_FAILED : AN_TAKEN;
    if (stream && stream->is_base64)
        suspect_base64(stream, payload);
    else if (stream)
        suspect(stream, payload);
    return AN_NOT_TAKEN;
}
