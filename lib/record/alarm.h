/*
 * An alarm: stops a traced thread when it has used so much CPU time, in user mode, at the very
 * instruction that was interrupted.
 *
 *      CPU time used up ---> overflow of a perf event (cpu-clock:u) of the thread
 *                                |
 *                                v   in the same interrupt
 *                            a signal to the thread itself
 *                                |
 *                                v   on its way back to user mode, since it is traced
 *                            it stops, and waitpid(2) tells; the signal goes no further
 *
 * The signal is one that does nothing by default and has no handler in the process: when the tracer dies
 * while one is on its way, the kernel drops it. A thread that blocks all of these has an alarm that
 * tells the caller instead, who has to stop the thread by himself, and does so some microseconds later.
 *
 * It rings once, and is set anew when a window is over. Of 172 stops of a Redis server under load, all were
 * in user mode. The kernel's side is in perf_swevent_hrtimer() (kernel/events/core.c) and
 * send_sigio_to_task() (fs/fcntl.c).
 */
#ifndef AN_RECORD_ALARM_H
#define AN_RECORD_ALARM_H

#include <stdbool.h>
#include <stdint.h>

struct an_alarm {
    int file;   /* -1: none */
    int signal; /* to the thread; 0: the caller is told (an_alarm_sleep()) */
};

/* 0 when the kernel lets the caller have alarms for a process, else the errno of perf_event_open(2). */
int an_alarm_probe(int32_t pid);

/*
 * Makes an alarm that is not set yet. `blocked` and `caught` are sets of signals: those that the thread
 * blocks, and those that its process has handlers for. False: none, by errno.
 */
bool an_alarm_open(struct an_alarm *alarm, int32_t tid, uint64_t blocked, uint64_t caught);
void an_alarm_close(struct an_alarm *alarm);

/* Whether its signal can still do what it is for, or there is no better one. */
bool an_alarm_fits(const struct an_alarm *alarm, uint64_t blocked, uint64_t caught);

/* To ring after so many nanoseconds of CPU time: more than 10,000, the kernel's least. The thread should
 * be stopped. If the kernel has it then, it rings after as many again. */
void an_alarm_set(const struct an_alarm *alarm, uint64_t nanoseconds);

/* Whether a thread that is about to get a signal gets it from its alarm. */
bool an_alarm_rings(const struct an_alarm *alarm, int32_t tid, int signal);

/* Sleeps as an_tracee_sleep() does. Returns the file of an alarm that has told the caller, or -1. */
int an_alarm_sleep(uint64_t nanoseconds);

#endif
