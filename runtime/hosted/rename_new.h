/* Names for files that nobody else has given away. */
#ifndef AN_RT_RENAME_NEW_H
#define AN_RT_RENAME_NEW_H

#include <stdbool.h>

/*
 * Gives a file another name, unless there is one of that name (EEXIST). Names begin in that folder, or AT_FDCWD. Some file
 * systems cannot do this in one step.
 */
bool an_rt_rename_new(int folder, const char *from, const char *to);

#endif
