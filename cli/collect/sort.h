/* Sorting what was taken by builds. */
#ifndef AN_CLI_COLLECT_SORT_H
#define AN_CLI_COLLECT_SORT_H

#include "parts.h"
#include "places.h"

/* Gives each profile that nobody writes to any more to its part. Returns how many have to wait. */
uint64_t sort_profiles(const struct places *places, struct parts *parts);

#endif
