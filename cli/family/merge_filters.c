/* Choosing functions by their names; see merge_filters.h. */
#include "merge_filters.h"

static bool compile(regex_t *filter, const char *pattern, bool *has)
{
    int status = pattern ? regcomp(filter, pattern, REG_EXTENDED | REG_NOSUB) : 0;
    *has = pattern && status == 0;
    if (status == 0)
        return true;
    char text[256];
    regerror(status, filter, text, sizeof text);
    say_error("'%s': %s", pattern, text);
    return false;
}

bool merge_filters_open(struct merge_filters *filters, const struct merge_request *request)
{
    *filters = (struct merge_filters){.has_keep = false};
    return compile(&filters->keep, request->keep, &filters->has_keep) &&
           compile(&filters->drop, request->drop, &filters->has_drop);
}

void merge_filters_close(struct merge_filters *filters)
{
    if (filters->has_keep)
        regfree(&filters->keep);
    if (filters->has_drop)
        regfree(&filters->drop);
}

static bool matches(const regex_t *filter, const char *name, size_t length)
{
    regmatch_t range = {0, (regoff_t)length};
    return regexec(filter, name, 1, &range, REG_STARTEND) == 0;
}

bool merge_filters_keep(void *context, const char *name, size_t length)
{
    const struct merge_filters *filters = context;
    return !(filters->has_drop && matches(&filters->drop, name, length)) &&
           !(filters->has_keep && !matches(&filters->keep, name, length));
}
