/*
 * What the user says in the environment. A program that has more rights than who started it (set-user-ID, file
 * capabilities) does not listen: its profile would go, with these rights, wherever they want.
 */
#ifndef AN_RT_ENVIRONMENT_H
#define AN_RT_ENVIRONMENT_H

#include <stdbool.h>

/* NULL: it is not set, or not to be obeyed. */
const char *an_rt_variable(const char *name);

/* Whether the program may write to a file of that name. Who started it chose the current folder, too. */
bool an_rt_may_write_to(const char *path);

#endif
