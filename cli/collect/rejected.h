/* Damaged profiles, which are kept for whoever wants to know what became of them. */
#ifndef AN_CLI_COLLECT_REJECTED_H
#define AN_CLI_COLLECT_REJECTED_H

#include <anneal/error.h>

#include "places.h"

enum { REJECTED_MOST = 100 }; /* the latest ones */

/* Moves a profile there, unless it has been moved, and says why. How many: 0 or 1. */
unsigned rejected_put(const struct places *places, const char *path, const struct an_error *why);

#endif
