/* Taking profiles out of the spool. */
#ifndef AN_CLI_COLLECT_TAKE_H
#define AN_CLI_COLLECT_TAKE_H

#include "collect.h"
#include "places.h"

/*
 * Looks through the spool and takes what is a profile, at most about `most` bytes of them; has all its folders watched by the
 * inotify instance `watch`, unless that is negative.
 */
void take_profiles(struct places *places, int watch, uint64_t most, struct collect_counts *counts);

#endif
