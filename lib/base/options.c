/* Taking options from callers of any version; see options.h. */
#include "base/options.h"

#include <string.h>

#include <anneal/version.h>

#include "base/error.h"

static bool all_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

enum an_code an_options_take(void *taken, size_t size, const void *given, struct an_error *error)
{
    size_t known = sizeof known;
    memset(taken, 0, size);
    if (given)
        memcpy(&known, given, sizeof known);
    if (known < sizeof known)
        return an_fail(error, AN_USAGE, "options without their size; set .size");
    if (known > size && !all_zero((const unsigned char *)given + size, known - size))
        return an_fail(error, AN_USAGE,
                       "options that libanneal %s does not know; the program needs a newer one",
                       an_version());
    if (given)
        memcpy(taken, given, known < size ? known : size);
    memcpy(taken, &size, sizeof size);
    return AN_OK;
}
