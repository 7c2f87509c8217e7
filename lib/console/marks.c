/* Looking for words; see marks.h. */
#include "console/marks.h"

static const struct {
    const char *text;
    size_t size;
} words[] = {
    {"begin ", 6},      {"begin-base64 ", 13}, {"crc32 ", 6}, {"end", 3}, {"GCOV", 4},
    {"gcov start", 10}, {"Emitting ", 9},      {"gggdg", 5}, /* "gcfn", letter by letter: ogggdghg, or hgggdgog */
    {"66636", 5}, /* the same in digits: 6e666367, or 6766636e */
};
enum { WORDS = sizeof words / sizeof *words, END = 3, FAR = 512 };

void an_marks_start(struct an_marks *marks)
{
    memset(marks, 0, sizeof *marks);
    for (size_t i = 0; i < WORDS; i++)
        for (size_t k = 0; k < 2; k++) {
            uint16_t pair = an_load16(words[i].text + k);
            marks->pairs[pair >> 3] |= (uint8_t)(1u << (pair & 7));
        }
}

/* Where the line begins, or an offset that is too far away for a prefix. */
static size_t line_start(struct an_bytes log, size_t at)
{
    size_t limit = at > FAR ? at - FAR : 0;
    while (at > limit && log.data[at - 1] != '\n' && log.data[at - 1] != '\r')
        at--;
    return at;
}

/*
 * Whether this "end" may be the line that ends a file: nothing is behind it in its line, and the line before
 * has a '`' at its end, or nothing but what is in front of this "end".
 */
static bool is_end(struct an_bytes log, size_t at)
{
    size_t next = at + 3;
    while (next < log.size && log.data[next] == ' ')
        next++;
    if (next < log.size && log.data[next] >= ' ')
        return false;
    size_t start = line_start(log, at), limit = start > FAR ? start - FAR : 0, end = start;
    while (end > limit && (log.data[end - 1] <= ' ' || log.data[end - 1] == 0x7f))
        end--;
    return end && (log.data[end - 1] == '`' || end - line_start(log, end) <= at - start);
}

static bool is_word(struct an_bytes log, size_t at)
{
    for (size_t i = 0; i < WORDS; i++)
        if (log.data[at] == (uint8_t)words[i].text[0] && words[i].size <= log.size - at &&
            memcmp(log.data + at, words[i].text, words[i].size) == 0)
            return i != END || is_end(log, at);
    return false;
}

size_t an_marks_next(const struct an_marks *marks, struct an_bytes log, size_t from)
{
    for (size_t at = from; at + 1 < log.size; at += 2) {
        uint16_t pair = an_load16(log.data + at);
        if (!(marks->pairs[pair >> 3] >> (pair & 7) & 1))
            continue;
        if (at > from && is_word(log, at - 1))
            return at - 1;
        if (is_word(log, at))
            return at;
    }
    return log.size;
}
