/*
 * One run as a list of names: what a debugger's breakpoints, ftrace or a log of calls gives after a
 * line of awk, and what `llvm-profdata order` prints.
 *
 *     # a comment
 *     main
 *     parser.c;next_token     a local function with its file in front, as LLVM's profiles have it
 */
#include <string.h>

#include "base/error.h"
#include "order/behaviour.h"

/* No linker and no profile has longer names. */
enum { LONGEST_NAME = 1 << 16 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static enum an_code add_line(struct an_behaviour *behaviour, struct an_map *seen, const char *line,
                             size_t length, uint64_t offset, struct an_error *error)
{
    while (length && is_blank(line[length - 1]))
        length--;
    for (; length && is_blank(*line); length--, offset++)
        line++;
    if (!length || *line == '#')
        return AN_OK;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            return an_fail_at(error, AN_MALFORMED, offset + i,
                              "byte 0x%02x, expected the text of a list of names",
                              (uint8_t)line[i]);
    if (length > LONGEST_NAME)
        return an_fail_at(error, AN_MALFORMED, offset, "a name of %zu bytes", length);
    uint32_t number = an_behaviour_number_of(behaviour, line, length);
    bool is_new = false;
    uint64_t *known = number == AN_NO_NUMBER ? NULL : an_map_insert(seen, number + 1u, &is_new);
    if (!known || (is_new && !an_behaviour_enter(behaviour, number)))
        return an_fail_memory(error);
    return AN_OK;
}

enum an_code an_behaviour_add_names(struct an_behaviour *behaviour, const void *bytes, size_t size,
                                    struct an_error *error)
{
    const char *at = bytes, *end = at + size;
    struct an_map seen = {0};
    enum an_code code = AN_OK;
    an_behaviour_begin_run(behaviour);
    while (code == AN_OK && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        code = add_line(behaviour, &seen, at, (size_t)(stop - at),
                        (uint64_t)(at - (const char *)bytes), error);
        at = newline ? newline + 1 : end;
    }
    if (code == AN_OK && !an_behaviour_end_run(behaviour, 1))
        code = an_fail_memory(error);
    an_map_free(&seen);
    return code;
}
