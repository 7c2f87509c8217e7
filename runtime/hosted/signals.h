/*
 * Signals that have profiles written, if the user names some:
 *
 *     ANNEAL_DUMP_SIGNAL=USR2   profiles are written, and the program goes on
 *     ANNEAL_EXIT_SIGNAL=TERM   profiles are written, and the signal ends the program as it would have
 *
 * Several names have commas between them. A program that handles such a signal itself is not disturbed: what
 * it sets comes later than what is set here.
 */
#ifndef AN_RT_SIGNALS_H
#define AN_RT_SIGNALS_H

#include "hosted/process.h"

/* Sets the handlers of this copy, for the first member of a process; with the lock. */
void an_rt_signals_begin(struct an_rt_process *process);

/* The handlers may be of a copy that is about to be unloaded: those of another member take their place. */
void an_rt_signals_pass_on(const struct an_rt_process *process);

void an_rt_on_signal(int signal);

#endif
