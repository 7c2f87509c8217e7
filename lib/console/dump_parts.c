/* What the readers of dumps share; see dump_parts.h. */
#include "console/dump_parts.h"

const char *an_dump_find(struct an_line line, const char *word)
{
    return memmem(line.text, line.size, word, strlen(word));
}

struct an_line an_dump_behind(struct an_line line, const char *at)
{
    return (struct an_line){at, line.size - (size_t)(at - line.text), line.number};
}

bool an_dumps_failed(const struct an_dumps *dumps)
{
    return dumps->digits.bytes.failed || dumps->name.failed || dumps->text.failed ||
           dumps->test.failed;
}

struct an_found *an_dumps_add_file(struct an_dumps *dumps)
{
    struct an_buffer bytes = dumps->digits.bytes;
    dumps->digits.bytes = (struct an_buffer){0};
    struct an_found *found = an_found_add(dumps->console, (const char *)dumps->name.data,
                                          dumps->name.size, dumps->form, &bytes);
    if (!found) {
        an_buffer_free(&bytes);
        return NULL;
    }
    an_found_behind(dumps->console, found, &dumps->prefix);
    found->file.first_line = dumps->first_line;
    found->file.last_line = dumps->last_line;
    if (dumps->odd_line)
        an_found_blame(found, dumps->odd_line, "this may have been a line of data");
    else if (!an_digits_whole(&dumps->digits))
        an_found_blame(found, dumps->last_line, "half a byte is missing");
    dumps->digits.held = dumps->digits.bits = 0;
    dumps->name.size = 0;
    dumps->odd_line = 0;
    return found;
}

enum an_taken an_dumps_result(const struct an_dumps *dumps, bool done)
{
    return done && !an_dumps_failed(dumps) ? AN_TAKEN : AN_TAKING_FAILED;
}

enum an_taken an_dumps_read_digits(struct an_dumps *dumps, struct an_line line)
{
    enum an_digits kind = dumps->digits.kind;
    if (!an_digits_only(kind, line.text, line.size))
        return AN_NOT_TAKEN;
    an_digits_read(&dumps->digits, line.text, line.size);
    dumps->last_line = line.number;
    return an_dumps_result(dumps, true);
}

/* What is mostly digits was a line of data once. */
enum an_taken an_dumps_suspect(struct an_dumps *dumps, struct an_line line)
{
    enum { LONG = 16, RARE = 16 };
    size_t wrong = 0, size = an_trimmed(line.text, line.size);
    for (size_t i = 0; i < size; i++)
        wrong += !an_digits_only(dumps->digits.kind, line.text + i, 1);
    if (size >= LONG && wrong * RARE <= size && !dumps->odd_line)
        dumps->odd_line = line.number;
    return AN_NOT_TAKEN;
}
