/* See ordering.h. */
#include "ordering.h"

#include "base/error.h"
#include "cli/core/output.h"

bool ordering_took(enum an_code code, struct an_error *error, const char *path)
{
    if (code == AN_OK)
        return true;
    if (!error->file[0])
        an_error_in(error, path);
    report_error(error);
    return false;
}
