/*
 * What the user says in the environment. A program that has more rights than who started it (set-user-ID, file
 * capabilities) does not listen: its profile would go, with these rights, wherever they want.
 */
#ifndef AN_RT_ENVIRONMENT_H
#define AN_RT_ENVIRONMENT_H

#include <stdbool.h>

/* NULL: it is not set, or not to be obeyed. */
const char *an_rt_getenv(const char *name);

/* When this copy starts. */
void an_rt_environment_begin(void);

/*
 * Whether ANNEAL_PROFILE_PLAIN is set: then profiles are written with the plainest calls of the system, for programs
 * that have forbidden themselves the others (plain.h).
 */
bool an_rt_is_plain(void);

/* Whether the program may write to a file of that name. Who started it chose the current folder, too. */
bool an_rt_may_write_to(const char *path);

#endif
