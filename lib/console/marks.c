/* Looking for words; see marks.h. */
#include "console/marks.h"

static const struct {
    const char *text;
    size_t size;
} words[AN_MARKS] = {
    {"begin ", 6},      {"crc32 ", 6},    {"end", 3},   {"GCOV", 4},
    {"gcov start", 10}, {"Emitting ", 9}, {"gggdg", 5}, /* "gcfn", letter by letter: ogggdghg, or hgggdgog */
    {"66636", 5}, /* the same in digits: 6e666367, or 6766636e */
};
enum { END = 2 };

/* The line that ends a file has nothing behind that word. */
static bool is_end(struct an_bytes log, size_t at)
{
    if (at + 3 == log.size)
        return true;
    uint8_t next = log.data[at + 3];
    return next == '\r' || next == '\n' || next == ' ' || next == '\x1b';
}

static size_t find(struct an_bytes log, size_t from, size_t word)
{
    while (from < log.size) {
        const uint8_t *found =
            memmem(log.data + from, log.size - from, words[word].text, words[word].size);
        if (!found)
            break;
        size_t at = (size_t)(found - log.data);
        if (word != END || is_end(log, at))
            return at;
        from = at + 1;
    }
    return log.size;
}

size_t an_marks_next(struct an_marks *marks, size_t from)
{
    size_t next = marks->log.size;
    for (size_t i = 0; i < AN_MARKS; i++) {
        if (marks->at[i] < from || from == 0)
            marks->at[i] = find(marks->log, from, i);
        if (marks->at[i] < next)
            next = marks->at[i];
    }
    return next;
}
