/* Splitting and cleaning lines; see line.h. */
#include "console/line.h"

struct an_lines an_lines_of(struct an_bytes log)
{
    struct an_lines lines = {.number = 1};
    an_lines_go_on(&lines, log);
    if (log.size >= 3 && memcmp(log.data, "\xef\xbb\xbf", 3) == 0)
        lines.at = 3; /* the mark that some programs put before UTF-8 */
    return lines;
}

void an_lines_go_on(struct an_lines *lines, struct an_bytes log)
{
    lines->log = log;
    lines->feed = 0;
    lines->has_returns = log.size && memchr(log.data + lines->at, '\r', log.size - lines->at);
}

static void find_feed(struct an_lines *lines)
{
    const uint8_t *feed = memchr(lines->log.data + lines->at, '\n', lines->log.size - lines->at);
    lines->feed = feed ? (size_t)(feed - lines->log.data) : lines->log.size;
}

bool an_lines_next(struct an_lines *lines, struct an_line *line)
{
    if (lines->at >= lines->log.size)
        return false;
    if (lines->feed <= lines->at && lines->log.data[lines->at] != '\n')
        find_feed(lines);
    else if (lines->log.data[lines->at] == '\n')
        lines->feed = lines->at;
    const uint8_t *start = lines->log.data + lines->at;
    size_t size = lines->feed - lines->at;
    const uint8_t *back = lines->has_returns ? memchr(start, '\r', size) : NULL;
    size_t end = back ? (size_t)(back - start) : size;
    *line = (struct an_line){(const char *)start, end, lines->number};
    bool fed = !back || (end + 1 == size && lines->feed < lines->log.size);
    size_t next = fed ? lines->feed + 1 : lines->at + end + 1;
    lines->at = next < lines->log.size ? next : lines->log.size;
    lines->number += fed;
    return true;
}

void an_lines_skip_to(struct an_lines *lines, size_t offset)
{
    const uint8_t *from = lines->log.data + lines->at, *to = lines->log.data + offset;
    const uint8_t *start = to;
    while (start > from && start[-1] != '\n' && start[-1] != '\r')
        start--;
    size_t feeds = 0;
    for (const uint8_t *p = from; p < start; p++)
        feeds += *p == '\n';
    lines->number += feeds;
    lines->at = (size_t)(start - lines->log.data);
    if (lines->feed < lines->at)
        lines->feed = 0;
}

/* How long the escape sequence is that begins here. */
static size_t escape_length(const char *text, size_t size)
{
    enum { MOST = 256 }; /* one that was torn must not eat the whole line */
    size_t i = 2;
    size = size < MOST ? size : MOST;
    if (size < 2)
        return size;
    if (text[1] == '[') {
        while (i < size && text[i] >= 0x20 && text[i] < 0x40)
            i++;
        return i < size && text[i] >= 0x40 && text[i] < 0x7f ? i + 1 : i;
    }
    if (text[1] == ']' || text[1] == 'P' || text[1] == '_' || text[1] == '^') {
        for (; i < size; i++)
            if (text[i] == '\a')
                return i + 1;
            else if (text[i] == '\x1b')
                return i + 1 < size && text[i + 1] == '\\' ? i + 2 : i;
        return 2;
    }
    if (text[1] == '(' || text[1] == ')' || text[1] == '#')
        return size < 3 ? size : 3;
    return 2;
}

static bool is_control(char c)
{
    return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
}

struct an_line an_line_clean(struct an_line line, struct an_buffer *buffer)
{
    size_t i = 0;
    while (i < line.size && !is_control(line.text[i]))
        i++;
    if (i == line.size)
        return line;
    buffer->size = 0;
    char *to = (char *)an_buffer_extend(buffer, line.size);
    if (!to)
        return (struct an_line){line.text, i, line.number};
    memcpy(to, line.text, i);
    size_t size = i;
    while (i < line.size) {
        char c = line.text[i];
        if (c == '\x1b') {
            i += escape_length(line.text + i, line.size - i);
            continue;
        }
        if (c == '\b')
            size -= size > 0;
        else if (!is_control(c))
            to[size++] = c;
        i++;
    }
    return (struct an_line){to, size, line.number};
}

size_t an_trimmed(const char *text, size_t size)
{
    while (size && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        size--;
    return size;
}
