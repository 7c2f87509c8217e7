/*
 * A uuencoded file while it is read: what its lines said so far, and what is wrong with it.
 *
 *     begin 644 obj/queue.gcda3     a mode and a name
 *     M...                          45 bytes each (uu.h)
 *     #...                          a shorter line, if that does not come out even
 *     `                             a line of no bytes
 *     end
 *
 * In base64 it begins with "begin-base64" and ends with a line "====".
 */
#ifndef AN_CONSOLE_STREAM_H
#define AN_CONSOLE_STREAM_H

#include "console/found.h"
#include "console/uu.h"

struct an_stream {
    struct an_prefix prefix;
    size_t width;      /* of what stood in front of its last line of data */
    unsigned attempts; /* to find the first line of data behind less than that */
    bool is_settled;   /* lines of data had this prefix; before, it may end in something else */
    bool is_base64;    /* of "begin-base64" */
    size_t full;       /* bytes in its lines but the last one */
    bool is_mixed;     /* it began while another one with this prefix was open */
    char *name;
    size_t name_size;
    unsigned mode;
    uint64_t first_line;
    struct an_buffer bytes;
    struct an_uu tail; /* a line of less than 45 bytes: the last one, if another does not follow */
    uint64_t tail_line;
    size_t tail_text;   /* its length in characters; 0: there is none */
    uint64_t odd_line;  /* it may have been a short line, and nothing came after it yet */
    uint64_t zero_line; /* the line of no bytes */
    bool zero_is_blank; /* it had nothing in it: it may have been another empty line */
    uint64_t lost_line; /* the first one that lost blanks at its end */
    uint64_t extra_line, no_extra_line, wrong_sum_line; /* the first ones of their kind */
    size_t lines, extras, sums;
    bool has_back_quote, has_blank, keeps_blank;
    uint64_t trouble_line; /* the first damage that was seen */
    char trouble[160];
};

/* Its damage, if it had none before. */
void an_stream_blame(struct an_stream *stream, uint64_t line, const char *what, ...)
    AN_PRINTF(3, 4);

/* Whether a text, without the prefix, is a line of its data. */
bool an_stream_decode(const struct an_stream *stream, struct an_line text, struct an_uu *line);

/* A line of data; text is without the prefix. bytes.failed tells that memory ran out. */
void an_stream_take(struct an_stream *stream, const struct an_uu *line, struct an_line text);

/* Whether it now waits for whole lines of data, of which nothing has to be known but their bytes. */
static inline bool an_stream_is_plain(const struct an_stream *stream)
{
    return stream->is_settled && !stream->tail_text && !stream->zero_line && !stream->sums &&
           !stream->is_base64;
}

/* Takes one of these, whose bytes are behind the file's in its buffer. `last` is its last character. */
static inline void an_stream_took_plain(struct an_stream *stream, unsigned meaning, char last)
{
    stream->bytes.size += AN_UU_FULL;
    stream->has_back_quote |= (meaning & AN_UU_BACK_QUOTE) != 0;
    stream->has_blank |= (meaning & AN_UU_BLANK) != 0;
    stream->keeps_blank |= last == ' ';
    stream->odd_line = 0;
    stream->lines++;
}

/* "end" was in this line, or would have been: whether all is there. */
void an_stream_end(struct an_stream *stream, uint64_t line);

/* Whether the line of no bytes was there. */
bool an_stream_has_ended(const struct an_stream *stream);

/* "begin 500 iterations", and no data behind it, is a sentence. */
bool an_stream_is_meant(const struct an_stream *stream);

void an_stream_free(struct an_stream *stream);

#endif
