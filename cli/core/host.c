/* See host.h. */
#include "host.h"

#include <unistd.h>

#include "command.h"

const char *host_name(const char *given, const char *option, char name[HOST_NAME])
{
    if (given)
        return given;
    name[HOST_NAME - 1] = '\0';
    if (gethostname(name, HOST_NAME - 1) == 0 && *name)
        return name;
    say_error("this host has no name (give it one with --%s)", option);
    return NULL;
}
