/*
 * How much of a profile (fdata) functions have that llvm-bolt may leave where they are: those with computed gotos, whose
 * names are in the traits of a binary (elf/traits.h).
 */
#ifndef AN_LIVE_LABEL_SHARE_H
#define AN_LIVE_LABEL_SHARE_H

#include "base/error.h"

/* `names`: with commas between; the sum of their shares, from 0 to 1. Fails when the profile cannot be read. */
enum an_code an_label_share(const char *names, const char *profile, double *share,
                            struct an_error *error);

#endif
