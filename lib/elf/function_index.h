/* The index over a table of functions, inside of functions.h. */
#ifndef AN_ELF_FUNCTION_INDEX_H
#define AN_ELF_FUNCTION_INDEX_H

#include "elf/functions.h"

/* Makes the index of a table that is sorted and complete. Without one, look-ups search the whole
 * table. False when memory runs out. */
bool an_functions_make_index(struct an_functions *functions);

#endif
