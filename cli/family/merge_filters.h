/* Which functions a merge keeps: --function and --exclude-function, for all families that have them. */
#ifndef AN_CLI_FAMILY_MERGE_FILTERS_H
#define AN_CLI_FAMILY_MERGE_FILTERS_H

#include <regex.h>

#include "merging.h"

struct merge_filters {
    regex_t keep, drop;
    bool has_keep, has_drop;
};

/* False after a message: an expression is none. To be closed in either case. */
bool merge_filters_open(struct merge_filters *filters, const struct merge_request *request);
void merge_filters_close(struct merge_filters *filters);

/* Whether a function is kept; `filters` are a struct merge_filters. */
bool merge_filters_keep(void *filters, const char *name, size_t length);

#endif
