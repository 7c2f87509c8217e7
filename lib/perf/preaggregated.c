/* Reading and writing pre-aggregated branch profiles; see preaggregated.h. */
#include "perf/preaggregated.h"

#include <string.h>

#include "perf/script_words.h"

static const struct shape {
    enum an_preaggregated_kind kind;
    unsigned places;
    unsigned counts;
    unsigned optional; /* further counts, which BOLT writes from LLVM 23 on */
    const char *expected;
} shapes[] = {
    {AN_PREAGGREGATED_EVENT, 0, 0, 0, "E EVENT"},
    {AN_PREAGGREGATED_SAMPLE, 1, 1, 0, "S ADDRESS COUNT"},
    {AN_PREAGGREGATED_BRANCH, 2, 2, 0, "B FROM TO COUNT MISPREDICTIONS"},
    {AN_PREAGGREGATED_RUN, 2, 1, 0, "F FROM TO COUNT"},
    {AN_PREAGGREGATED_RUN_FROM_OUTSIDE, 2, 1, 0, "f FROM TO COUNT"},
    {AN_PREAGGREGATED_RUN_FROM_RETURN, 2, 1, 0, "r FROM TO COUNT"},
    {AN_PREAGGREGATED_TRACE, 3, 1, 1, "T FROM TO RUN-TO COUNT [MISPREDICTIONS]"},
    {AN_PREAGGREGATED_TRACE_RETURN, 3, 1, 1, "R FROM TO RUN-TO COUNT [MISPREDICTIONS]"},
};

static const struct shape *shape_of(char letter)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if ((char)shapes[i].kind == letter)
            return &shapes[i];
    return NULL;
}

/* A hexadecimal number; -1, -2 and -3 stand for an address that is not there. */
static bool take_address(struct words *number, uint64_t *address)
{
    if (!take_char(number, '-'))
        return take_hex(number, address);
    if (!take_decimal(number, address) || *address < 1 || *address > 3)
        return false;
    *address = -*address;
    return true;
}

static bool take_place(struct words *words, struct an_preaggregated_place *place)
{
    struct word word = words_next(words);
    if (!word.at)
        return false;
    const char *colon = memchr(word.at, ':', (size_t)(word.end - word.at));
    struct words number = {colon ? colon + 1 : word.at, word.end};
    *place = (struct an_preaggregated_place){0};
    if (colon) {
        place->build_id = word.at;
        place->build_id_length = (size_t)(colon - word.at);
    }
    return take_address(&number, &place->offset) && number.at == number.end &&
           (!colon || colon > word.at);
}

/* BOLT keeps counts in 64 bits with a sign. */
static bool take_count(struct words *words, uint64_t *count)
{
    struct word word = words_next(words);
    struct words number = {word.at, word.end};
    return word.at && take_decimal(&number, count) && number.at == number.end &&
           *count <= INT64_MAX;
}

/* A carriage return belongs to the end of the line, wherever it stands. */
static bool take_event(struct words *words, struct an_preaggregated_entry *entry)
{
    struct word word = words_next(words);
    if (!word.at || words_next(words).at)
        return false;
    entry->event = word.at;
    entry->event_length = (size_t)(word.end - word.at);
    return !memchr(entry->event, '\r', entry->event_length);
}

/* What stands behind the letter. */
static bool take_fields(struct words *words, const struct shape *shape,
                        struct an_preaggregated_entry *entry)
{
    struct an_preaggregated_place *places[] = {&entry->from, &entry->to, &entry->run_to};
    uint64_t *counts[] = {&entry->count, &entry->mispredictions};
    entry->kind = shape->kind;
    if (shape->kind == AN_PREAGGREGATED_EVENT)
        return take_event(words, entry);
    for (unsigned i = 0; i < shape->places; i++)
        if (!take_place(words, places[i]))
            return false;
    for (unsigned i = 0; i < shape->counts; i++)
        if (!take_count(words, counts[i]))
            return false;
    for (unsigned i = 0; i < shape->optional && words_peek(words).at; i++)
        if (!take_count(words, counts[shape->counts + i]))
            return false;
    return !words_next(words).at;
}

static enum an_code wrong(struct words line, const struct shape *shape, uint64_t offset,
                          struct an_error *error)
{
    int shown = line.end - line.at > 60 ? 60 : (int)(line.end - line.at);
    return an_fail_at(error, AN_MALFORMED, offset, "\"%.*s\", expected %s", shown, line.at,
                      shape ? shape->expected : "a line that begins with B, F, f, r, T, R, S or E");
}

static enum an_code read_line(struct words line, uint64_t offset,
                              an_preaggregated_callback *callback, void *context,
                              struct an_error *error)
{
    struct an_preaggregated_entry entry = {.file_offset = offset};
    struct words words = line;
    struct word letter = words_next(&words);
    if (!letter.at)
        return AN_OK;
    const struct shape *shape = letter.end - letter.at == 1 ? shape_of(*letter.at) : NULL;
    if (!shape || !take_fields(&words, shape, &entry))
        return wrong(line, shape, offset, error);
    return callback(context, &entry, error);
}

bool an_preaggregated_recognise(struct an_bytes start)
{
    if (start.size < 3)
        return false;
    const char *text = (const char *)start.data;
    const char *newline = memchr(text, '\n', start.size);
    const struct shape *shape = shape_of(*text);
    struct an_preaggregated_entry entry = {0};
    struct words words = {text + 1, newline ? newline : text + start.size};
    return shape && newline && text[1] == ' ' && take_fields(&words, shape, &entry);
}

enum an_code an_preaggregated_read(struct an_bytes text, an_preaggregated_callback *callback,
                                   void *context, struct an_error *error)
{
    enum an_code code = AN_OK;
    for (size_t at = 0; code == AN_OK && at < text.size;) {
        const char *line = (const char *)text.data + at;
        const char *newline = memchr(line, '\n', text.size - at);
        if (!newline) {
            an_fail_at(error, AN_TRUNCATED, at, "the last line has no newline");
            return an_error_hint(error, "if it is complete, add a newline");
        }
        const char *end = newline;
        while (end > line && end[-1] == '\r')
            end--;
        code = read_line((struct words){line, end}, at, callback, context, error);
        at += (size_t)(newline - line) + 1;
    }
    return code;
}

/* ---- writing ---- */

static void put_hex(struct an_buffer *buffer, uint64_t value)
{
    char digits[16], *end = digits + sizeof digits, *start = end;
    do {
        *--start = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value);
    an_buffer_put(buffer, start, (size_t)(end - start));
}

static void put_place(struct an_buffer *buffer, const struct an_preaggregated_place *place)
{
    an_buffer_put(buffer, " ", 1);
    if (place->build_id) {
        an_buffer_put(buffer, place->build_id, place->build_id_length);
        an_buffer_put(buffer, ":", 1);
    }
    put_hex(buffer, place->offset);
}

void an_preaggregated_write(struct an_buffer *buffer, const struct an_preaggregated_entry *entry)
{
    const struct an_preaggregated_place *places[] = {&entry->from, &entry->to, &entry->run_to};
    const uint64_t counts[] = {entry->count, entry->mispredictions};
    const struct shape *shape = shape_of((char)entry->kind);
    an_assert(shape);
    an_buffer_put(buffer, &(char){(char)entry->kind}, 1);
    if (shape->kind == AN_PREAGGREGATED_EVENT) {
        an_buffer_put(buffer, " ", 1);
        an_buffer_put(buffer, entry->event, entry->event_length);
    }
    for (unsigned i = 0; i < shape->places; i++)
        put_place(buffer, places[i]);
    unsigned written = shape->counts + (entry->mispredictions ? shape->optional : 0);
    for (unsigned i = 0; i < written; i++) {
        an_buffer_put(buffer, " ", 1);
        an_buffer_decimal(buffer, counts[i], 0);
    }
    an_buffer_put(buffer, "\n", 1);
}
