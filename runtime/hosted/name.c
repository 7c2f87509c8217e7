/* See name.h. */
#include "hosted/name.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "hosted/environment.h"
#include "hosted/text.h"

AN_RT_APART static void put_host(struct an_rt_text *text)
{
    struct utsname host;
    if (uname(&host) == 0)
        an_rt_text_put(text, host.nodename);
}

static void put_build_id(struct an_rt_text *text, const struct an_rt_identity *identity)
{
    for (size_t i = 0; i < identity->build_id.size; i++)
        an_rt_text_put_hex(text, identity->build_id.begin[i], 2);
}

/* NULL: there is none. */
static const char *temporary(void)
{
    const char *folder = an_rt_getenv("TMPDIR");
    return folder && *folder ? folder : NULL;
}

/* With its slash: what follows is the rest of the name. */
static void put_temporary(struct an_rt_text *text)
{
    const char *folder = temporary();
    if (!folder)
        return;
    an_rt_text_put(text, folder);
    if (folder[strlen(folder) - 1] != '/')
        an_rt_text_put(text, "/");
}

/* %m, %4m, with the number of the file, 0 if there is one, as compiler-rt has it: returns what is behind it, or NULL when it is something else. */
static const char *put_merged(struct an_rt_text *text, const char *at,
                              const struct an_rt_identity *identity)
{
    unsigned pool = 0;
    while (*at >= '0' && *at <= '9' && pool < 1000)
        pool = 10 * pool + (unsigned)(*at++ - '0');
    if (*at != 'm')
        return NULL;
    an_rt_text_put_decimal(text, identity->signature);
    an_rt_text_put(text, "_");
    an_rt_text_put_decimal(text, pool ? (unsigned)getpid() % pool : 0);
    return at + 1;
}

/* What stands behind a percent sign; returns what is behind that. */
static const char *put_one(struct an_rt_text *text, const char *at,
                           const struct an_rt_identity *identity)
{
    switch (*at) {
    case 'p':
        an_rt_text_put_decimal(text, (uint64_t)getpid());
        return at + 1;
    case 'h':
        put_host(text);
        return at + 1;
    case 't':
        put_temporary(text);
        return at + 1;
    case 'b':
        put_build_id(text, identity);
        return at + 1;
    case 'c':
        return at + 1;
    case '%':
        an_rt_text_put(text, "%");
        return at + 1;
    default:
        break;
    }
    const char *behind = put_merged(text, at, identity);
    if (!behind)
        an_rt_text_put(text, "%");
    return behind ? behind : at;
}

bool an_rt_name(const char *pattern, const struct an_rt_identity *identity, char *name, size_t room)
{
    struct an_rt_text text = an_rt_text(name, room);
    while (*pattern) {
        if (*pattern == '%')
            pattern = put_one(&text, pattern + 1, identity);
        else
            an_rt_text_put_bytes(&text, pattern++, 1);
    }
    return !text.overflowed;
}

bool an_rt_name_asks_for(const char *pattern, char what)
{
    while ((pattern = strchr(pattern, '%'))) {
        if (pattern[1] == what)
            return true;
        pattern += pattern[1] ? 2 : 1;
    }
    return false;
}

char an_rt_name_lacks(const char *pattern)
{
    if (an_rt_name_asks_for(pattern, 't') && !temporary())
        return 't';
    if (an_rt_name_asks_for(pattern, 'b') && !an_rt_build_id().size)
        return 'b';
    return 0;
}

bool an_rt_name_is_merged(const char *pattern)
{
    while ((pattern = strchr(pattern, '%'))) {
        pattern++;
        while (*pattern >= '0' && *pattern <= '9')
            pattern++;
        if (*pattern == 'm')
            return true;
        pattern += *pattern ? 1 : 0;
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
    struct an_rt_text text = an_rt_text(other, room);
    an_rt_text_put_bytes(&text, name, (size_t)(dot - name));
    an_rt_text_put(&text, ".");
    an_rt_text_put(&text, tag);
    an_rt_text_put(&text, dot);
    return !text.overflowed;
}

const char *an_rt_name_folder(const char *name)
{
    static char folder[AN_RT_PATH];
    const char *slash = strrchr(name, '/');
    size_t length = !slash || slash == name ? 1 : (size_t)(slash - name);
    memcpy(folder, slash ? name : ".", length);
    folder[length] = 0;
    return folder;
}
