/* Which sources gcov tells of, and what it calls them. */
#include <string.h>

#include "gcov.h"

const char *gcov_shown_name(const struct gcov *gcov, const struct an_coverage_source *source)
{
    size_t size = gcov->prefix ? strlen(gcov->prefix) : 0;
    bool has_it =
        size > 0 && strncmp(gcov->prefix, source->name, size) == 0 && source->name[size] == '/';
    return has_it ? source->name + size + 1 : source->name;
}

bool gcov_takes(const struct gcov *gcov, const struct an_coverage_source *source)
{
    return !gcov->relative_only || gcov_shown_name(gcov, source)[0] != '/';
}
