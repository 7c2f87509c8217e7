/* Which sources a report is about; see cov.h. */
#include "cov.h"

#include <fnmatch.h>

static bool matches(const struct option_list *globs, const char *name)
{
    for (size_t i = 0; i < globs->count; i++)
        if (fnmatch(globs->items[i], name, 0) == 0)
            return true;
    return false;
}

bool cov_takes(const struct cov_request *request, const struct an_coverage_source *source)
{
    bool included = request->include.count == 0 || matches(&request->include, source->name);
    return included && !matches(&request->exclude, source->name);
}
