/* The version comes from the build files, so that it is written down once. */
#include <anneal/version.h>

const char *an_version(void)
{
    return AN_VERSION;
}
