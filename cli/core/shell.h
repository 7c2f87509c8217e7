/* Commands of the user's, for sh. */
#ifndef AN_CLI_CORE_SHELL_H
#define AN_CLI_CORE_SHELL_H

#include <sys/types.h>

/*
 * Starts sh -c COMMAND, with up to two words for it to find as "$1" and "$2", or NULL. It has nothing to read, `output` to print
 * to, and none of the signals that anneal ignores are ignored; its errors are shown. It leads a process group of its own, so that
 * all that it starts can be ended with it. 0, or an errno.
 */
int shell_start(const char *command, const char *first, const char *second, int output,
                pid_t *process);

#endif
