/* Where anneal's runtime for profiled programs is, and what a link with it needs. */
#ifndef AN_CLI_RT_LIBRARY_H
#define AN_CLI_RT_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

/*
 * The library beside this program, wherever that was moved to or built; else where it was to be installed. False
 * when it is not there; `path` is then where it should be.
 */
bool rt_library(char path[PATH_MAX]);

/* The folder of the sources for boards, found in the same way. */
bool rt_board(char path[PATH_MAX]);

/* The linker script for counting in a file, which lies beside the library. */
bool rt_script(const char *library, char path[PATH_MAX]);

/*
 * The functions that end a process without its exit handlers, or begin one without those of fork, for the linker's
 * --wrap: runtime/hosted/ends.c and births.c stand in for them. Ended by NULL.
 */
enum { RT_WRAPPED_MOST = 16 };
extern const char *const rt_wrapped[RT_WRAPPED_MOST];

#endif
