/* Where the file goes that the compiler named after an object: GCOV_PREFIX and GCOV_PREFIX_STRIP change its folder. */
#ifndef AN_RT_GCC_NAME_H
#define AN_RT_GCC_NAME_H

#include <stdbool.h>

#include "hosted/name.h"

/* False: the name is too long. */
bool an_rt_gcc_name(const char *given, char name[AN_RT_PATH]);

#endif
