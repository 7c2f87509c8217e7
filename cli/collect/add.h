/* Adding what was sorted to partial results, and closing these. */
#ifndef AN_CLI_COLLECT_ADD_H
#define AN_CLI_COLLECT_ADD_H

#include "parts.h"
#include "places.h"

/*
 * Adds everything, and removes it once it is on the disk. False after a message: something has to be tried again, and nothing of
 * it is lost.
 */
bool add_profiles(const struct collect_request *request, const struct places *places,
                  struct collect_counts *counts);

/* Closes the partial results that nothing will be added to. */
void close_parts(const struct places *places, const struct parts *parts,
                 struct collect_counts *counts);

#endif
