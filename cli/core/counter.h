/*
 * A command of the user's that prints how much work has been done.
 *
 * It is asked in the middle of a measurement, while a process runs a layout that may be taken back. So it
 * must never keep anneal from ending: one that hangs is ended, with all that it has started.
 */
#ifndef AN_CLI_CORE_COUNTER_H
#define AN_CLI_CORE_COUNTER_H

#include <anneal/error.h>
#include <sys/types.h>

/*
 * Runs `command` by sh, with the mask of whoever called anneal, and takes the number that the first line of
 * its output begins with. Fails when it prints none, ends with another status than 0, takes longer than
 * `patience` seconds, or when *stop becomes 1.
 */
enum an_code counter_read(const char *command, mode_t mask, double patience,
                          const volatile int *stop, double *work, struct an_error *error);

#endif
