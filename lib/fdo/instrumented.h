/*
 * Whether what is linked was compiled with counters. In pass 2 that is an object of pass 1 that the build has not made
 * anew: it would be linked without the runtime, and the linker would complain of names that nobody has heard of.
 */
#ifndef AN_FDO_INSTRUMENTED_H
#define AN_FDO_INSTRUMENTED_H

#include "fdo/objects.h"

/*
 * True when an object has counters of GCC's or clang's -fprofile-generate and the like, also if it is for link-time
 * optimisation. `where`, of PATH_MAX characters, is its name then, with the archive's in front: libx.a(y.o). (An an_fdo_take.)
 */
bool an_fdo_name_instrumented(void *where, const struct an_fdo_object *object);

#endif
