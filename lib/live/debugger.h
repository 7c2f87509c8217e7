/*
 * Letting debuggers know about new code, so that backtraces pass through it and functions have names.
 *
 * The dynamic linker keeps a list of what it has loaded where debuggers look for it; since glibc 2.35
 * it is a list of lists, one for each namespace (dlmopen), and debuggers from gdb 13 on follow it. A
 * generation gets a list of its own, in its page (attach.h):
 *
 *     _r_debug of ld.so, version 2        in the generation's page, 1024 bytes from its start
 *     | version 4 | map 8 | ... | next ─┼──► | r_debug, 48 bytes     | next ─┼──► what followed before
 *                                             | link_map: bias, name, .dynamic, none, none |
 *                                             | the path of the file                        |
 *
 * Source: <link.h> and elf/rtld-debugger-interface.txt of glibc; gdb/solib-svr4.c.
 */
#ifndef AN_LIVE_DEBUGGER_H
#define AN_LIVE_DEBUGGER_H

#include "live/generation.h"
#include "live/target.h"

/* Both do nothing where there is no such list: a static program, another C library, an older one. The
 * generation is mapped; what fails is not worth an error. */
void an_debugger_add(const struct an_target *target, const struct an_generation *generation,
                     const char *path);
void an_debugger_remove(const struct an_target *target, const struct an_generation *generation);

#endif
