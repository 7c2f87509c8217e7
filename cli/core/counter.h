/*
 * What the user has that tells how much work has been done: a command that prints it, a file, or a page of a server.
 *
 *     redis-cli info stats | sed -n 's/^total_commands_processed://p'
 *     file:/run/server/requests
 *     http://localhost/server-status?auto#Total Accesses
 *
 * It is asked in the middle of a measurement, while a process runs a layout that may be taken back. So it
 * must never keep anneal from ending: one that hangs is ended, with all that it has started.
 */
#ifndef AN_CLI_CORE_COUNTER_H
#define AN_CLI_CORE_COUNTER_H

#include <stdint.h>

#include <anneal/error.h>
#include <sys/types.h>

/*
 * Seconds that an answer may take. On a busy machine, a script of some commands may take ten; and while the kernel places
 * probes (perf, bpftrace), no process of the machine can fork.
 */
enum { COUNTER_PATIENCE = 60 };

/*
 * The number that it tells now. A command is run by sh, with the mask of whoever called anneal and the process's id as "$1";
 * pages are fetched by curl. The number is what the text begins with, or what comes behind the words that "#" leads to. Fails
 * when there is none, a command ends with another status than 0 or takes longer than `patience` seconds, or when *stop
 * becomes 1.
 */
enum an_code counter_read(const char *source, int32_t pid, mode_t mask, double patience,
                          const volatile int *stop, double *work, struct an_error *error);

#endif
