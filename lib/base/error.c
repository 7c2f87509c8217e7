/*
 * Error values: one way to report a failure, without allocation, so that running out of memory can
 * be reported like everything else.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void clear(struct an_error *error, enum an_code code, uint64_t offset)
{
    error->code = code;
    error->offset = offset;
    error->file[0] = '\0';
    error->what[0] = '\0';
    error->hint[0] = '\0';
}

static void put_text(char *into, size_t size, const char *format, va_list arguments)
{
    if (vsnprintf(into, size, format, arguments) < 0)
        into[0] = '\0';
    an_utf8_make_plain(
        into); /* it may quote a file's content: the message stays one printable line */
}

enum an_code an_fail(struct an_error *error, enum an_code code, const char *what, ...)
{
    clear(error, code, AN_NO_OFFSET);
    va_list arguments;
    va_start(arguments, what);
    put_text(error->what, sizeof error->what, what, arguments);
    va_end(arguments);
    return code;
}

enum an_code an_fail_at(struct an_error *error, enum an_code code, uint64_t offset,
                        const char *what, ...)
{
    clear(error, code, offset);
    va_list arguments;
    va_start(arguments, what);
    put_text(error->what, sizeof error->what, what, arguments);
    va_end(arguments);
    return code;
}

enum an_code an_fail_errno(struct an_error *error, const char *path, const char *doing)
{
    int number = errno;
    an_fail(error, AN_SYSTEM, "%s: %s", doing, strerror(number));
    return path ? an_error_in(error, path) : AN_SYSTEM;
}

enum an_code an_fail_memory(struct an_error *error)
{
    return an_fail(error, AN_NO_MEMORY, "out of memory");
}

enum an_code an_error_in(struct an_error *error, const char *path)
{
    size_t length = strlen(path);
    if (length < sizeof error->file) {
        memcpy(error->file, path, length + 1);
    } else { /* keep the end, which tells files apart */
        memcpy(error->file, "...", 3);
        memcpy(error->file + 3, path + length - (sizeof error->file - 4), sizeof error->file - 3);
    }
    an_utf8_make_plain(error->file); /* whoever made the file chose its name */
    return error->code;
}

enum an_code an_error_hint(struct an_error *error, const char *hint, ...)
{
    va_list arguments;
    va_start(arguments, hint);
    put_text(error->hint, sizeof error->hint, hint, arguments);
    va_end(arguments);
    return error->code;
}

char *an_error_format(const struct an_error *error, char *text, size_t size)
{
    if (size == 0)
        return text;
    char place[40] = "";
    if (error->offset != AN_NO_OFFSET)
        snprintf(place, sizeof place, "at byte %llu: ", (unsigned long long)error->offset);
    int written = snprintf(text, size, "%s%s%s%s%s%s%s", error->file, error->file[0] ? ": " : "",
                           place, error->what[0] ? error->what : an_code_name(error->code),
                           error->hint[0] ? " (" : "", error->hint, error->hint[0] ? ")" : "");
    if (written < 0)
        text[0] = '\0';
    return text;
}

const char *an_code_name(enum an_code code)
{
    switch (code) {
    case AN_OK:
        return "ok";
    case AN_NO_MEMORY:
        return "no-memory";
    case AN_SYSTEM:
        return "system";
    case AN_UNKNOWN:
        return "unknown-format";
    case AN_EMPTY:
        return "empty";
    case AN_TRUNCATED:
        return "truncated";
    case AN_MALFORMED:
        return "malformed";
    case AN_UNSUPPORTED:
        return "unsupported";
    case AN_MISMATCH:
        return "mismatch";
    case AN_USAGE:
        return "usage";
    }
    return "unknown";
}

void an_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "anneal: internal error: %s:%d: %s\n", file, line, condition);
    abort();
}
