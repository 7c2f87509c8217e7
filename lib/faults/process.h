/*
 * A process that is started in two steps: it is there, so that it can be watched, and then runs its program. It
 * is a process group of its own, so that all that it starts can be ended with it, and nothing else.
 *
 *     start ─► waits at the gate ──release──► program ──end──► its group is empty ─► over
 *                                                │               │ after a second
 *                                                └──end it──►────┴─► SIGTERM ──grace──► SIGKILL ─► over
 */
#ifndef AN_FAULTS_PROCESS_H
#define AN_FAULTS_PROCESS_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/error.h"

struct an_process_start {
    const char *program; /* its path */
    char *const *arguments;
    int output, errors; /* descriptors; -1: nowhere */
    double grace;       /* seconds from SIGTERM to SIGKILL */
};

struct an_group { /* a process with its group */
    pid_t pid;
    int handle; /* pidfd, readable when it ends; -1: the kernel has none */
    int gate, ready;
    enum { AN_GROUP_RUNS, AN_GROUP_TOLD, AN_GROUP_KILLED } step;
    bool has_ended; /* itself; others may be left */
    bool left_running;
    int status; /* as waitpid() has it */
    struct rusage usage;
    double ended, deadline, grace;
};

/* Starts the process, which waits to be released, or killed. */
enum an_code an_group_start(struct an_group *group, const struct an_process_start *start,
                            struct an_error *error);

/* Lets it run its program; AN_SYSTEM when that cannot be run: then it has ended. */
enum an_code an_group_release(struct an_group *group, const char *program, struct an_error *error);

/* Notes what has ended, and passes on to the next step when it is time; true when all is over. */
bool an_group_look(struct an_group *group);

/* Tells it to end; it is given the grace. */
void an_group_end(struct an_group *group);

/* Kills it, and waits until it is gone. */
void an_group_kill(struct an_group *group);

#endif
