/*
 * Windows that come to a system call: the thread makes it itself, and the window goes on behind it. A
 * window that ended there would tell less of the code behind system calls than of other code, since
 * only moments just before would see it.
 *
 *      run ----> a system call: pending ----> its beginning ----> its end ----> run
 *
 * How long the call takes is nobody's business; other windows are taken meanwhile.
 */
#ifndef AN_RECORD_CALLS_H
#define AN_RECORD_CALLS_H

#include "record/recorder.h"

/* Runs a window of a stopped thread as far as it goes, and lets the thread go. True when it is pending;
 * then the window is not over. */
bool an_calls_run(struct an_recorder *recorder, struct an_window *window,
                  const struct user_regs_struct *registers);

/*
 * A pending thread stands where a system call begins or ends (AN_EVENT_SYSCALL). False when it is
 * pending for something else. *is_over: its window is, and the thread is let go.
 */
bool an_calls_event(struct an_recorder *recorder, struct an_pending_thread *pending, bool *is_over);

/* Something else has happened to a pending thread. What is known of the window is written. */
void an_calls_abandon(struct an_recorder *recorder, struct an_pending_thread *pending);

/*
 * At the end: threads that were told to stop, or are on their way to a system call, are waited for.
 * Were they let go before, what they are about to wait for would return EINTR, and nobody would mend
 * that. Those that arrive may be sent to another call.
 */
void an_calls_settle(struct an_recorder *recorder, void (*handle_events)(struct an_recorder *));

#endif
