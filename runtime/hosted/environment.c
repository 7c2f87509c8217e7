/* See environment.h. */
#include "hosted/environment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

const char *an_rt_getenv(const char *name)
{
    return secure_getenv(name);
}

static bool is_plain;

void an_rt_environment_begin(void)
{
    const char *value = an_rt_getenv("ANNEAL_PROFILE_PLAIN");
    is_plain = value && *value && strcmp(value, "0") != 0;
}

bool an_rt_is_plain(void)
{
    return is_plain;
}

bool an_rt_may_write_to(const char *path)
{
    return path[0] == '/' || !getauxval(AT_SECURE);
}
