/* Uuencoded files while they are read; see streams.h. */
#include "console/streams.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "console/checksum.h"

enum {
    MOST_OPEN = 256,
    FRAGMENT = 8, /* characters of a line that may be a prompt, or a word */
    PATIENCE =
        64, /* lines in which the first line of data is looked for behind less than the prefix */
};

static void blame(struct an_stream *stream, uint64_t line, const char *what, ...) AN_PRINTF(3, 4);

static void blame(struct an_stream *stream, uint64_t line, const char *what, ...)
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
        blame(stream, number, "the last character of this line has bits that belong to no byte");
    note_extra(stream, line, number);
    an_buffer_put(&stream->bytes, line->bytes, line->count);
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
        blame(stream, stream->tail_line,
              "this line has %zu bytes, expected %d in all but the last line", stream->tail.count,
              AN_UU_FULL);
    stream->tail_text = 0;
}

static void take_zero(struct an_stream *stream, const struct an_uu *line, uint64_t number)
{
    if (stream->zero_line && !stream->zero_is_blank)
        return;
    stream->zero_line = number;
    stream->zero_is_blank = !line->has_back_quote;
    if (stream->odd_line && line->has_back_quote)
        blame(stream, stream->odd_line, "this may have been its last line of data");
}

/* "# " may be a prompt, or three zeros whose blanks are lost; but not where zeros are '`', nor where the
 * data has ended. */
static bool is_prompt(const struct an_stream *stream, const struct an_uu *line, struct an_line text)
{
    bool has_ended = stream->zero_line && !stream->zero_is_blank;
    return line->lost && an_trimmed(text.text, text.size) <= FRAGMENT &&
           (stream->has_back_quote || has_ended) && text.text[0] != 'M';
}

static void take_data(struct an_stream *stream, const struct an_uu *line, struct an_line text)
{
    if (line->count == 0) {
        take_zero(stream, line, text.number);
        return;
    }
    if (is_prompt(stream, line, text))
        return;
    if (stream->zero_line && !stream->zero_is_blank)
        blame(stream, text.number, "there is data behind the line that ends it");
    stream->zero_line = 0;
    stream->odd_line = 0;
    drop_tail(stream, line->count < AN_UU_FULL);
    if (line->count == AN_UU_FULL) {
        accept(stream, line, text.number);
        return;
    }
    stream->tail = *line;
    stream->tail_line = text.number;
    stream->tail_text = an_trimmed(text.text, text.size);
}

/* The open file with the longest prefix that the line has; *payload is what follows. */
static struct an_stream *stream_of(struct an_streams *streams, struct an_line line,
                                   struct an_line *payload)
{
    struct an_stream *best = NULL;
    *payload = line;
    for (size_t i = 0; i < streams->count; i++) {
        struct an_stream *stream = &streams->items[i];
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
    struct an_stream *stream = stream_of(streams, line, &payload);
    if (!stream || !an_uu_decode(payload.text, payload.size, &uu))
        return AN_NOT_TAKEN;
    stream->is_settled |= uu.count > 0 && !uu.lost;
    take_data(stream, &uu, payload);
    return stream->bytes.failed ? AN_TAKING_FAILED : AN_TAKEN;
}

/* ---- the end of a file ---- */

static void check_extras(struct an_stream *stream)
{
    if (!stream->extras)
        return;
    if (2 * stream->sums > stream->lines) {
        if (stream->wrong_sum_line)
            blame(stream, stream->wrong_sum_line, "the sum at the end of this line is wrong");
        if (stream->no_extra_line)
            blame(stream, stream->no_extra_line, "this line has no sum at its end, as others have");
    } else if (stream->extras != stream->lines) {
        blame(stream, stream->extra_line, "this line has one character too many");
    }
}

static void check_whole(struct an_stream *stream, uint64_t line)
{
    if (stream->tail_text)
        accept(stream, &stream->tail, stream->tail_line);
    if (!stream->zero_line)
        blame(stream, line, "its end, or the line of no bytes before it, is missing");
    if (stream->lost_line && !loses_blanks(stream))
        blame(stream, stream->lost_line, "this line is shorter than its first character says");
    check_extras(stream);
    if (stream->is_mixed)
        blame(stream, stream->first_line,
              "it began within another file: lines of both may be mixed");
}

static void close_files(struct an_stream *stream)
{
    an_buffer_free(&stream->bytes);
    free(stream->name);
}

static void remove_stream(struct an_streams *streams, size_t index)
{
    struct an_stream *stream = &streams->items[index];
    close_files(stream);
    memmove(stream, stream + 1, (streams->count - index - 1) * sizeof *stream);
    streams->count--;
}

/* "begin 500 iterations", and no data behind it, is a sentence. */
static bool is_meant(const struct an_stream *stream)
{
    return stream->is_settled || (stream->zero_line && !stream->zero_is_blank) ||
           memchr(stream->name, '.', stream->name_size) ||
           memchr(stream->name, '/', stream->name_size);
}

/* The file at this index is done, whole or not. False when memory runs out. */
static bool finish(struct an_streams *streams, size_t index, uint64_t last_line)
{
    struct an_stream *stream = &streams->items[index];
    bool failed = stream->bytes.failed;
    struct an_found *found = failed
                                 ? NULL
                                 : an_found_add(streams->console, stream->name, stream->name_size,
                                                AN_CONSOLE_UUENCODE, &stream->bytes);
    if (found) {
        found->prefix = stream->prefix;
        found->file.mode = stream->mode;
        found->file.first_line = stream->first_line;
        found->file.last_line = last_line;
        found->file.core = an_prefix_core(&stream->prefix);
        if (stream->trouble[0])
            an_found_blame(found, stream->trouble_line, "%s", stream->trouble);
    }
    remove_stream(streams, index);
    return found != NULL;
}

/* One whose end is not there. */
static bool give_up(struct an_streams *streams, size_t index, uint64_t line)
{
    if (!is_meant(&streams->items[index])) {
        remove_stream(streams, index);
        return true;
    }
    check_whole(&streams->items[index], line);
    blame(&streams->items[index], line, "its 'end' is missing");
    return finish(streams, index, line);
}

/* ---- words ---- */

/* "begin MODE NAME" at this place of a line: where MODE stands, and NAME. */
static bool parse_begin(struct an_line line, size_t at, unsigned *mode, size_t *name)
{
    size_t i = at + 6, end = an_trimmed(line.text, line.size);
    *mode = 0;
    while (i < end && line.text[i] >= '0' && line.text[i] <= '7' && i < at + 12)
        *mode = *mode * 8 + (unsigned)(line.text[i++] - '0');
    if (i < at + 9 || i >= end || line.text[i] != ' ')
        return false;
    while (i < end && line.text[i] == ' ')
        i++;
    *name = i;
    return i < end;
}

static bool open_file(struct an_streams *streams, struct an_line line, size_t at, unsigned mode,
                      size_t name)
{
    struct an_stream stream = {.mode = mode & 07777, .first_line = line.number};
    if (!an_prefix_of(&stream.prefix, line.text, at))
        stream.prefix.size = 0;
    for (size_t i = 0; i < streams->count; i++)
        if (an_prefix_same(&streams->items[i].prefix, &stream.prefix)) {
            stream.is_mixed = is_meant(&streams->items[i]) && !streams->items[i].zero_line;
            if (!give_up(streams, i, line.number))
                return false;
            break;
        }
    if (streams->count == MOST_OPEN && !give_up(streams, 0, line.number))
        return false;
    stream.name_size = an_trimmed(line.text, line.size) - name;
    stream.name = an_alloc(stream.name_size + 1, 1);
    struct an_stream *slot = stream.name ? an_vector_push(streams) : NULL;
    if (!slot) {
        free(stream.name);
        return false;
    }
    memcpy(stream.name, line.text + name, stream.name_size);
    *slot = stream;
    return true;
}

static enum an_taken take_begin(struct an_streams *streams, struct an_line line)
{
    unsigned mode;
    size_t name, at = 0;
    for (const char *found; at + 6 < line.size; at++) {
        found = memmem(line.text + at, line.size - at, "begin ", 6);
        if (!found)
            return AN_NOT_TAKEN;
        at = (size_t)(found - line.text);
        if (parse_begin(line, at, &mode, &name))
            return open_file(streams, line, at, mode, name) ? AN_TAKEN : AN_TAKING_FAILED;
    }
    return AN_NOT_TAKEN;
}

static enum an_taken take_checksum(struct an_streams *streams, struct an_line line)
{
    struct an_checksum checksum;
    if (!an_checksum_parse(line, &checksum))
        return AN_NOT_TAKEN;
    for (size_t i = streams->count; i-- > 0;) {
        const struct an_stream *stream = &streams->items[i];
        bool same = stream->name_size == checksum.name_size &&
                    memcmp(stream->name, checksum.name, checksum.name_size) == 0;
        if (same && !give_up(streams, i, line.number))
            return AN_TAKING_FAILED;
    }
    return an_checksum_take(streams->console, &checksum, line.number) ? AN_TAKEN : AN_TAKING_FAILED;
}

static enum an_taken take_end(struct an_streams *streams, struct an_line line)
{
    struct an_line payload;
    struct an_stream *stream = stream_of(streams, line, &payload);
    if (!stream || an_trimmed(payload.text, payload.size) != 3 ||
        memcmp(payload.text, "end", 3) != 0)
        return AN_NOT_TAKEN;
    check_whole(stream, line.number);
    return finish(streams, (size_t)(stream - streams->items), line.number) ? AN_TAKEN
                                                                           : AN_TAKING_FAILED;
}

enum an_taken an_streams_words(struct an_streams *streams, struct an_line line)
{
    enum an_taken taken = take_begin(streams, line);
    if (taken == AN_NOT_TAKEN)
        taken = take_checksum(streams, line);
    return taken == AN_NOT_TAKEN ? take_end(streams, line) : taken;
}

/* ---- noise ---- */

/* Whether this is, by its length, a whole line of data. */
static bool is_as_long_as_it_says(const char *text, size_t size)
{
    size_t count = size ? (size_t)(text[0] - 0x20) & 0x3f : 0;
    return count && size == 1 + 4 * ((count + 2) / 3);
}

/* A file whose "begin" had something else in front: the first line of data shows how much of that was
 * its prefix. */
static bool settle(struct an_stream *stream, struct an_line line)
{
    struct an_uu uu;
    size_t at[AN_PREFIX_MOST], size = 0;
    if (stream->is_settled || stream->attempts++ >= PATIENCE)
        return false;
    while (size < stream->prefix.size &&
           (at[size] = an_prefix_match(&stream->prefix, size, line.text, line.size)) != SIZE_MAX)
        size++;
    while (size-- > 0) {
        struct an_line rest = {line.text + at[size], line.size - at[size], line.number};
        if (!is_as_long_as_it_says(rest.text, rest.size) ||
            !an_uu_decode(rest.text, rest.size, &uu))
            continue;
        stream->prefix.size = size;
        stream->is_settled = true;
        take_data(stream, &uu, rest);
        return true;
    }
    return false;
}

/* A whole line of data behind something else. If that began with 'M' it may be a damaged line. */
static bool take_glued(struct an_stream *stream, struct an_line payload)
{
    struct an_uu uu;
    if (payload.size <= AN_UU_FULL_TEXT || payload.text[0] == 'M' || stream->extras)
        return false;
    const char *text = payload.text + payload.size - AN_UU_FULL_TEXT;
    if (text[0] != 'M' || !an_uu_decode(text, AN_UU_FULL_TEXT, &uu))
        return false;
    take_data(stream, &uu, (struct an_line){text, AN_UU_FULL_TEXT, payload.number});
    return true;
}

static void suspect(struct an_stream *stream, struct an_line payload)
{
    size_t size = an_trimmed(payload.text, payload.size), wrong = 0;
    for (size_t i = 0; i < size; i++)
        wrong += payload.text[i] < 0x20 || payload.text[i] > 0x60;
    if (stream->zero_line && !stream->zero_is_blank)
        return;
    if (an_uu_resembles(payload.text, size) || (size > FRAGMENT && wrong == 0))
        blame(stream, payload.number, "this may have been a line of data");
    else if (size <= AN_UU_FULL_TEXT && wrong <= 1)
        stream->odd_line = payload.number;
}

enum an_taken an_streams_noise(struct an_streams *streams, struct an_line line)
{
    struct an_line payload;
    struct an_stream *stream = stream_of(streams, line, &payload);
    bool taken = stream && take_glued(stream, payload);
    for (size_t i = 0; !taken && i < streams->count; i++) {
        stream = &streams->items[i];
        taken = settle(stream, line);
    }
    if (taken)
        return stream->bytes.failed ? AN_TAKING_FAILED : AN_TAKEN;
    stream = stream_of(streams, line, &payload);
    if (stream)
        suspect(stream, payload);
    return AN_NOT_TAKEN;
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
        close_files(&streams->items[i]);
    an_vector_free(streams);
}
