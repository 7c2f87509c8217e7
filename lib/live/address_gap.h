/*
 * Where new code can go: within reach of the old code, since direct jumps and calls span 2 GiB, and
 * clear of what may grow.
 *
 *     program       heap ->                                      new code
 *     +----+--------+-----+........................................+----+
 *     |                                                                 |
 *     first                                              first + 2 GiB at most
 *
 * As far up as possible, so that the heap has room. Code of a program at fixed addresses may have
 * addresses in 32 bits, which is below 2 GiB, too, as such programs begin near 0.
 */
#ifndef AN_LIVE_ADDRESS_GAP_H
#define AN_LIVE_ADDRESS_GAP_H

#include "live/target.h"

/*
 * Finds `size` free bytes (multiples of pages) as of the last look at the mappings; *address is where
 * the process would have them. `random` chooses a place among those near the upper end: the address
 * of a function should not be a number that programs use (a constant that equals it would be taken
 * for it). AN_SYSTEM when there is no such gap.
 */
enum an_code an_address_gap_find(const struct an_target *target, uint64_t size, uint64_t random,
                                 uint64_t *address, struct an_error *error);

/* Whether code of the program can jump to addresses below this one. */
bool an_address_gap_reaches(const struct an_target *target, uint64_t end);

#endif
