/* See name.h. */
#include "hosted/name.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct text {
    char *to;
    size_t room, used;
    bool overflowed;
};

__attribute__((format(printf, 2, 3))) static void print(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->to + text->used, text->room - text->used, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= text->room - text->used)
        text->overflowed = true;
    else
        text->used += (size_t)length;
}

static void print_host(struct text *text)
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    print(text, "%s", name);
}

static void print_build_id(struct text *text, const struct an_rt_identity *identity)
{
    for (size_t i = 0; i < identity->build_id.size; i++)
        print(text, "%02x", identity->build_id.begin[i]);
}

static void print_temporary(struct text *text)
{
    const char *folder = getenv("TMPDIR");
    print(text, "%s", folder && *folder ? folder : "/tmp");
}

/* %m, %4m: returns what is behind it, or NULL when it is something else. */
static const char *print_merged(struct text *text, const char *at,
                                const struct an_rt_identity *identity)
{
    unsigned pool = 0;
    while (*at >= '0' && *at <= '9' && pool < 1000)
        pool = 10 * pool + (unsigned)(*at++ - '0');
    if (*at != 'm')
        return NULL;
    print(text, "%llu", (unsigned long long)identity->signature);
    if (pool)
        print(text, "_%u", (unsigned)getpid() % pool);
    return at + 1;
}

/* What stands behind a percent sign; returns what is behind that. */
static const char *print_one(struct text *text, const char *at,
                             const struct an_rt_identity *identity)
{
    switch (*at) {
    case 'p':
        print(text, "%ld", (long)getpid());
        return at + 1;
    case 'h':
        print_host(text);
        return at + 1;
    case 't':
        print_temporary(text);
        return at + 1;
    case 'b':
        print_build_id(text, identity);
        return at + 1;
    case 'c':
        return at + 1;
    case '%':
        print(text, "%%");
        return at + 1;
    default:
        break;
    }
    const char *behind = print_merged(text, at, identity);
    if (!behind)
        print(text, "%%");
    return behind ? behind : at;
}

bool an_rt_name(const char *pattern, const struct an_rt_identity *identity, char *name, size_t room)
{
    struct text text = {name, room, 0, false};
    while (*pattern) {
        if (*pattern == '%')
            pattern = print_one(&text, pattern + 1, identity);
        else
            print(&text, "%c", *pattern++);
    }
    return !text.overflowed;
}

bool an_rt_name_is_continuous(const char *pattern)
{
    while ((pattern = strchr(pattern, '%'))) {
        if (pattern[1] == 'c')
            return true;
        pattern += pattern[1] ? 2 : 1;
    }
    return false;
}

bool an_rt_name_with(const char *name, const char *tag, char *other, size_t room)
{
    const char *slash = strrchr(name, '/');
    const char *file = slash ? slash + 1 : name;
    const char *dot = strrchr(file, '.');
    if (!dot || dot == file)
        dot = file + strlen(file);
    int length = snprintf(other, room, "%.*s.%s%s", (int)(dot - name), name, tag, dot);
    return length >= 0 && (size_t)length < room;
}
