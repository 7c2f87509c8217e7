/* See environment.h. */
#include "hosted/environment.h"

#include <stdlib.h>
#include <sys/auxv.h>

const char *an_rt_variable(const char *name)
{
    return secure_getenv(name);
}

bool an_rt_may_write_to(const char *path)
{
    return path[0] == '/' || !getauxval(AT_SECURE);
}
