/* Telling whether two raw profiles come from the same binary, loaded anywhere. */
#ifndef AN_LLVM_RAW_LAYOUT_H
#define AN_LLVM_RAW_LAYOUT_H

#include "llvm/raw.h"

/*
 * Whether `image` has the same functions in the same places as `known`, which was checked: its
 * records and names need no check then. The addresses of functions may all differ by *delta, the distance
 * between the two loads, which is computed from record `probe` of both (when has_probe).
 * Names are not compared: records refer to them by their hashes.
 */
bool an_raw_same_layout(const struct raw_image *known, const struct raw_image *image,
                        bool has_probe, uint64_t probe, uint64_t *delta);

/* The same number for profiles of the same layout, and almost always another one for others. Who knows
 * the secret can make others that have the same. */
uint64_t an_raw_layout_hash(const struct raw_image *image, uint64_t secret);

#endif
