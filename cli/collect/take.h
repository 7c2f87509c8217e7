/* Taking profiles out of the spool. */
#ifndef AN_CLI_COLLECT_TAKE_H
#define AN_CLI_COLLECT_TAKE_H

#include "collect.h"
#include "places.h"

/* Files in the spool, whatever they are. */
struct spooled {
    uint64_t files, bytes;
};

/* How much there is; has all folders of the spool watched by the inotify instance `watch`, unless that is negative. */
struct spooled take_look(const struct places *places, int watch);

/* Takes what is a profile in the spool, at most about `most` bytes. */
void take_profiles(struct places *places, uint64_t most, struct collect_counts *counts);

#endif
