/*
 * A process of its own for what traces others.
 *
 * A tracer that is killed may harm what it traces. So what a user kills, anneal, is not the tracer: that
 * one notices, and comes to an orderly end. It has a process group of its own, so that what is sent
 * to the whole group of anneal, from the keyboard or by kill, reaches anneal, which hands it on.
 */
#ifndef AN_CLI_CORE_TRACER_H
#define AN_CLI_CORE_TRACER_H

#include <signal.h>
#include <sys/types.h>

/* The signals that end what anneal does. */
void tracer_signals(sigset_t *signals);

/* To be called first in the new process, whose parent is `parent`: from here on *stop becomes 1 when it
 * shall end, and nothing stops this process while it holds a thread. */
void tracer_begin(pid_t parent, const char *name);

extern volatile int tracer_stop;

/* What a shell makes of a status of waitpid(). */
int tracer_status(int status);

/* Runs a function in such a process. Returns its exit status. */
int tracer_run(const char *name, int (*work)(void *context), void *context);

#endif
