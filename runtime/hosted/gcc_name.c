/* See gcc_name.h. */
#include "hosted/gcc_name.h"

#include <string.h>

#include "hosted/environment.h"
#include "hosted/text.h"

/* The name without so many of its leading folders. */
static const char *strip(const char *name, unsigned folders)
{
    const char *rest = name;
    while (folders-- > 0) {
        const char *slash = strchr(rest + 1, '/');
        if (!slash)
            break;
        rest = slash;
    }
    return rest;
}

bool an_rt_gcc_name(const char *given, char name[AN_RT_PATH])
{
    const char *prefix = an_rt_getenv("GCOV_PREFIX"), *levels = an_rt_getenv("GCOV_PREFIX_STRIP");
    const char *rest = given;
    unsigned stripped = levels ? an_rt_text_number(&levels, AN_RT_PATH) : 0;
    if (rest[0] == '/')
        rest = strip(rest, stripped);
    if (!prefix && stripped)
        prefix = ".";
    size_t length = prefix ? strlen(prefix) : 0;
    bool has_slash = length && prefix[length - 1] == '/';
    const char *between = length && !has_slash && rest[0] != '/' ? "/" : "";
    if (has_slash && rest[0] == '/')
        rest++;
    struct an_rt_text text = an_rt_text(name, AN_RT_PATH);
    an_rt_text_put(&text, prefix ? prefix : "");
    an_rt_text_put(&text, between);
    an_rt_text_put(&text, rest);
    return !text.overflowed;
}
