/*
 * A window by single steps: the thread itself executes its next instructions, one at a time, and
 * traps behind each of them. x86-64 only. It takes some microseconds for each instruction, where
 * processors are virtual some twenty: see emulate.h for the cheap way.
 *
 * If the tracer dies between two steps, the trap that is on its way ends the process: the kernel
 * delivers it. Whoever uses this must not be killed.
 */
#ifndef AN_RECORD_STEP_H
#define AN_RECORD_STEP_H

#include "record/memory.h"
#include "record/window.h"

struct an_stepper;

/* NULL when memory runs out. */
struct an_stepper *an_stepper_new(void);
void an_stepper_free(struct an_stepper *stepper);

/*
 * Adds branches to the window of a stopped thread until it is full, and stops before what cannot be
 * stepped. AN_WINDOW_GONE: the thread has ended (*signal is -1, *status tells how) or is stopped by
 * a *signal that it has to get.
 */
enum an_window_end an_stepper_run(struct an_stepper *stepper, struct an_window *window,
                                  uint64_t rip, int *signal, int *status);

#endif
