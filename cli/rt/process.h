/*
 * A running program with anneal's runtime in it, seen from outside: what its copies of the runtime have in
 * common, found by the notes in its memory (runtime/hosted/process.h draws them).
 */
#ifndef AN_CLI_RT_PROCESS_H
#define AN_CLI_RT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <anneal/error.h>

struct rt_process {
    pid_t pid;
    int memory;       /* /proc/PID/mem */
    uint64_t address; /* of its struct an_rt_process */
};

/* Fails when there is no such process, its memory may not be read, or it has no such runtime. The caller
 * closes it, also on failure. */
enum an_code rt_process_open(struct rt_process *process, pid_t pid, struct an_error *error);
void rt_process_close(struct rt_process *process);

/* False when not all of it could be read. */
bool rt_process_read(const struct rt_process *process, uint64_t address, void *to, size_t size);

/* The number that a word on the command line is, if it is a process; 0 after a message. */
pid_t rt_process_number(const char *text);

#endif
