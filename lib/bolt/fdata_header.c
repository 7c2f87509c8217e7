/* Recognising fdata, its header, and what is said about its lines; see fdata_header.h. */
#include "bolt/fdata_header.h"

#include <string.h>

#include "base/kind.h"
#include "partial/partial.h"

enum { LINES_LOOKED_AT = 8, MOST_EVENTS = 1000 };

static const char no_lbr[] = "no_lbr";
static const char bolted[] = "boltedcollection";

/* ---- recognising ---- */

static bool is_word(const char *text, size_t length, const char *word, const char *after)
{
    size_t size = strlen(word);
    return length >= size && memcmp(text, word, size) == 0 &&
           (length == size || strchr(after, text[size]));
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* "1 main 1c " and more; when the text is all that there is of the line, as far as it goes. Where a name has control
 * characters, no less than that will do. */
static bool begins_like_a_record(const char *text, size_t length, bool cut)
{
    size_t at = 2;
    if (length < 3 || text[0] < '0' || text[0] > '5' || text[1] != ' ')
        return false;
    while (at < length && text[at] == ' ')
        at++;
    size_t name = at;
    for (; at < length && text[at] != ' '; at++) {
        if ((unsigned char)text[at] < ' ' && text[at] != '\t')
            cut = false;
        at += text[at] == '\\';
    }
    if (at >= length)
        return cut;
    if (at == name)
        return false;
    while (at < length && text[at] == ' ')
        at++;
    size_t offset = at;
    while (at < length && is_hex(text[at]))
        at++;
    return at == length ? cut : at > offset && text[at] == ' ';
}

/* Lines of text may stand in a partial result, as they are. */
static bool looks_like_text(const void *bytes, size_t size)
{
    const char *text = bytes;
    if (an_partial_recognise(bytes, size, NULL))
        return false;
    if (is_word(text, size, no_lbr, " \n") || is_word(text, size, bolted, "\n"))
        return true;
    for (int i = 0; i < LINES_LOOKED_AT && size; i++) {
        const char *newline = memchr(text, '\n', size);
        size_t length = newline ? (size_t)(newline - text) : size;
        if (begins_like_a_record(text, length, !newline))
            return true;
        if (!newline)
            return false;
        text += length + 1;
        size -= length + 1;
    }
    return false;
}

bool an_fdata_recognise(const void *bytes, size_t size)
{
    unsigned family;
    return looks_like_text(bytes, size) ||
           (an_partial_recognise(bytes, size, &family) && family == AN_PARTIAL_FDATA);
}

/* ---- errors ---- */

static size_t line_number(struct an_bytes file, size_t at)
{
    size_t number = 1;
    for (size_t i = 0; i < at; i++)
        number += file.data[i] == '\n';
    return number;
}

static bool has_word(struct an_bytes file, size_t start, size_t length)
{
    const char *line = (const char *)file.data + start;
    return memmem(line, length, no_lbr, sizeof no_lbr - 1) ||
           memmem(line, length, bolted, sizeof bolted - 1);
}

static enum an_code hint_at_cause(struct an_bytes file, size_t start, size_t length,
                                  struct an_error *error)
{
    const char *line = (const char *)file.data + start;
    if (length && line[length - 1] == '\r')
        return an_error_hint(error, "the file has DOS line ends: remove them with dos2unix");
    if (memchr(line, '\0', length))
        return an_error_hint(error, "a full disk or a crash leaves zero bytes behind: record "
                                    "this profile again");
    if (has_word(file, start, length))
        return an_error_hint(error, "files were concatenated; name them one by one instead");
    return an_error_hint(error,
                         "the line is torn: its writer was interrupted, or several wrote to one "
                         "file; record this profile again, or leave it out");
}

enum an_code an_fdata_wrong_line(struct an_bytes file, size_t start, size_t at, const char *wanted,
                                 struct an_error *error)
{
    enum { BEFORE = 30, SHOWN = 60 };
    const char *line = (const char *)file.data + start;
    const char *newline = memchr(line, '\n', file.size - start);
    size_t length = newline ? (size_t)(newline - line) : file.size - start;
    size_t from = length > SHOWN && at > BEFORE ? at - BEFORE : 0;
    size_t shown = length - from > SHOWN ? SHOWN : length - from;
    an_fail_at(error, AN_MALFORMED, start + at, "line %zu: \"%s%.*s%s\", expected %s",
               line_number(file, start), from ? "..." : "", (int)shown, line + from,
               from + shown < length ? "..." : "", wanted);
    return hint_at_cause(file, start, length, error);
}

enum an_code an_fdata_cut_line(struct an_bytes file, size_t start, struct an_error *error)
{
    size_t number = line_number(file, start), length = file.size - start;
    an_fail_at(error, AN_TRUNCATED, file.size, "line %zu ends without a newline: \"%.*s%s\"",
               number, length > 60 ? 60 : (int)length, (const char *)file.data + start,
               length > 60 ? "..." : "");
    return an_error_hint(error,
                         "its writer was interrupted; record this profile again, or keep the "
                         "complete lines with head -n %zu",
                         number - 1);
}

/* ---- the header ---- */

bool an_fdata_next_event(const char **at, const char *end, struct an_fdata_event *event)
{
    while (*at < end && **at == ' ')
        ++*at;
    const char *start = *at;
    while (*at < end && **at != ' ')
        *at += **at == '\\' && *at + 1 < end ? 2 : 1;
    *event = (struct an_fdata_event){start, (size_t)(*at - start)};
    return event->length != 0;
}

static enum an_code take_events(struct an_bytes file, struct fdata_header *header,
                                struct an_error *error)
{
    const char *at = header->events, *end = at + header->events_length;
    struct an_fdata_event event;
    for (size_t count = 0; an_fdata_next_event(&at, end, &event); count++)
        if (count == MOST_EVENTS)
            return an_fdata_wrong_line(
                file, header->size, (size_t)(event.name - (const char *)file.data) - header->size,
                "at most 1000 names of events", error);
    return AN_OK;
}

/* One header line, of `length` bytes; *is_one tells whether it is one. */
static enum an_code take_line(struct an_bytes file, size_t length, struct fdata_header *header,
                              bool *is_one, struct an_error *error)
{
    const char *line = (const char *)file.data + header->size;
    enum an_code code = AN_OK;
    *is_one = true;
    if (!header->no_lbr && is_word(line, length, no_lbr, " ")) {
        header->no_lbr = true;
        header->events = line + sizeof no_lbr - 1;
        header->events_length = length - (sizeof no_lbr - 1);
        code = take_events(file, header, error);
    } else if (!header->bolted && length == sizeof bolted - 1 &&
               is_word(line, length, bolted, "")) {
        header->bolted = true;
    } else {
        *is_one = false;
    }
    return code;
}

static enum an_code unknown(struct an_bytes file, struct an_error *error)
{
    const char *what = an_kind_describe(file), *hint = an_kind_hint(file);
    if (what)
        an_fail_at(error, AN_UNKNOWN, 0, "this is %s, expected a BOLT profile (fdata)", what);
    else
        return an_fail_at(error, AN_UNKNOWN, 0,
                          "not a BOLT profile (fdata): no line like \"1 main 0 \"");
    return an_error_hint(error, "%s",
                         hint ? hint : "profiles of different kinds cannot be merged into one");
}

enum an_code an_fdata_header_read(struct an_bytes file, struct fdata_header *header,
                                  struct an_error *error)
{
    *header = (struct fdata_header){.events = ""};
    if (!looks_like_text(file.data, file.size))
        return unknown(file, error);
    for (bool is_one = true; is_one && header->size < file.size;) {
        const char *line = (const char *)file.data + header->size;
        const char *newline = memchr(line, '\n', file.size - header->size);
        if (!newline)
            break;
        size_t length = (size_t)(newline - line);
        enum an_code code = take_line(file, length, header, &is_one, error);
        if (code != AN_OK)
            return code;
        header->size += is_one ? length + 1 : 0;
    }
    return AN_OK;
}
