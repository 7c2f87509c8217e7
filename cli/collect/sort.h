/* Sorting what was taken by builds. */
#ifndef AN_CLI_COLLECT_SORT_H
#define AN_CLI_COLLECT_SORT_H

#include "parts.h"
#include "places.h"

struct sorted {
    uint64_t given;   /* to their parts */
    uint64_t waiting; /* somebody writes to them */
};

/* Gives each profile that nobody writes to any more to its part. */
struct sorted sort_profiles(const struct places *places, struct parts *parts);

#endif
