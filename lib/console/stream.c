/* One uuencoded file; see stream.h. */
#include "console/stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

enum { FRAGMENT = 8 /* characters of a line that may be a prompt, or a word */ };

void an_stream_blame(struct an_stream *stream, uint64_t line, const char *what, ...)
{
    va_list arguments;
    if (stream->trouble[0])
        return;
    va_start(arguments, what);
    vsnprintf(stream->trouble, sizeof stream->trouble, what, arguments);
    va_end(arguments);
    stream->trouble_line = line;
}

/* ---- lines of data ---- */

bool an_stream_decode(const struct an_stream *stream, struct an_line text, struct an_uu *line)
{
    return stream->is_base64 ? an_uu_decode_base64(text.text, text.size, line)
                             : an_uu_decode(text.text, text.size, line);
}

static void note_extra(struct an_stream *stream, const struct an_uu *line, uint64_t number)
{
    uint8_t sum = 0;
    for (size_t i = 0; stream->sums && !line->has_extra && i < line->count; i++)
        sum = (uint8_t)(sum + line->bytes[i]);
    stream->lines++;
    stream->extras += line->has_extra;
    stream->sums += line->has_extra && line->extra_is_sum;
    if (line->has_extra && !stream->extra_line)
        stream->extra_line = number;
    if (!line->has_extra && !stream->no_extra_line && sum % 64)
        stream->no_extra_line = number;
    if (line->has_extra && !line->extra_is_sum && !stream->wrong_sum_line)
        stream->wrong_sum_line = number;
}

static void accept(struct an_stream *stream, const struct an_uu *line, uint64_t number)
{
    stream->has_back_quote |= line->has_back_quote;
    stream->has_blank |= line->has_blank;
    stream->keeps_blank |= line->keeps_blank;
    if (line->lost && !stream->lost_line)
        stream->lost_line = number;
    if (line->has_filling)
        an_stream_blame(stream, number,
                        "the last character of this line has bits beyond its last byte");
    note_extra(stream, line, number);
    an_buffer_put(&stream->bytes, line->bytes, line->count);
}

bool an_stream_has_ended(const struct an_stream *stream)
{
    return stream->zero_line && !stream->zero_is_blank;
}

/* Whether blanks at the end of lines are zeros, and get lost, as far as one can see. */
static bool loses_blanks(const struct an_stream *stream)
{
    return stream->has_blank && !stream->has_back_quote && !stream->keeps_blank;
}

/* A short line with others behind it was a prompt or the like, unless it is too long for that. */
static void drop_tail(struct an_stream *stream, bool next_is_short)
{
    bool is_prompt = stream->tail.lost && !loses_blanks(stream);
    if (stream->tail_text > FRAGMENT || (stream->tail_text && next_is_short && !is_prompt))
        an_stream_blame(stream, stream->tail_line,
                        "this line has %zu bytes, expected %zu in every line but the last",
                        stream->tail.count, stream->full);
    stream->tail_text = 0;
}

static void take_zero(struct an_stream *stream, const struct an_uu *line, uint64_t number)
{
    if (an_stream_has_ended(stream))
        return;
    stream->zero_line = number;
    stream->zero_is_blank = !line->has_back_quote;
    if (stream->odd_line && line->has_back_quote)
        an_stream_blame(stream, stream->odd_line, "this may have been its last line of data");
}

/* "# " may be a prompt, or three zeros whose blanks are lost; but not where zeros are '`', nor where the
 * data has ended. */
static bool is_prompt(const struct an_stream *stream, const struct an_uu *line, struct an_line text)
{
    bool has_ended = an_stream_has_ended(stream);
    return line->lost && an_trimmed(text.text, text.size) <= FRAGMENT &&
           (stream->has_back_quote || has_ended) && text.text[0] != 'M';
}

/* Lines of base64 are usually as long as others, but need not be; all but the last one are alike. */
static void widen(struct an_stream *stream, const struct an_uu *line, uint64_t number)
{
    if (stream->lines)
        an_stream_blame(stream, number, "this line has %zu bytes, expected %zu", line->count,
                        stream->full);
    stream->full = line->count;
}

void an_stream_take(struct an_stream *stream, const struct an_uu *line, struct an_line text)
{
    if (line->count == 0) {
        take_zero(stream, line, text.number);
        return;
    }
    if (is_prompt(stream, line, text))
        return;
    if (an_stream_has_ended(stream))
        an_stream_blame(stream, text.number, "data follows the line that ends it");
    stream->zero_line = 0;
    stream->odd_line = 0;
    if (line->count > stream->full)
        widen(stream, line, text.number);
    drop_tail(stream, line->count < stream->full);
    if (line->count == stream->full) {
        accept(stream, line, text.number);
        return;
    }
    stream->tail = *line;
    stream->tail_line = text.number;
    stream->tail_text = an_trimmed(text.text, text.size);
}

/* ---- the end of a file ---- */

static void check_extras(struct an_stream *stream)
{
    if (!stream->extras)
        return;
    if (2 * stream->sums > stream->lines) {
        if (stream->wrong_sum_line)
            an_stream_blame(stream, stream->wrong_sum_line,
                            "the checksum at the end of this line is wrong");
        if (stream->no_extra_line)
            an_stream_blame(stream, stream->no_extra_line,
                            "this line has no checksum at its end, unlike others");
    } else if (stream->extras != stream->lines) {
        an_stream_blame(stream, stream->extra_line, "this line has one character too many");
    }
}

void an_stream_end(struct an_stream *stream, uint64_t line)
{
    if (stream->tail_text)
        accept(stream, &stream->tail, stream->tail_line);
    if (!stream->zero_line)
        an_stream_blame(stream, line, "its end, or the empty line before it, is missing");
    if (stream->lost_line && !loses_blanks(stream))
        an_stream_blame(stream, stream->lost_line,
                        "this line is shorter than its first character says");
    check_extras(stream);
    if (stream->is_mixed)
        an_stream_blame(stream, stream->first_line,
                        "it began within another file: lines of both may be mixed");
}

bool an_stream_is_meant(const struct an_stream *stream)
{
    return stream->is_settled || an_stream_has_ended(stream) ||
           memchr(stream->name, '.', stream->name_size) ||
           memchr(stream->name, '/', stream->name_size);
}

void an_stream_free(struct an_stream *stream)
{
    if (!stream)
        return;
    an_buffer_free(&stream->bytes);
    free(stream->name);
    free(stream);
}
