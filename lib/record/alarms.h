/*
 * Windows at moments that threads come to by themselves: each has an alarm (alarm.h).
 *
 *      set an alarm ---> it runs ---> it rings ---> run the window ---> let it go, write --+
 *       (period.h)                                    (calls.h)                            |
 *          ^                                                                               |
 *          +-------------------------------------------------------------------------------+
 *
 * The moments are those of a clock that runs only while the thread is in user mode, and what is recorded
 * begins at the instruction that the clock has met. So threads, functions and instructions have windows
 * in proportion to the time that they take, whatever else the machine does.
 *
 * Threads stay traced for the whole recording. So every signal of theirs stops them for some
 * microseconds, and so does the beginning of a thread. Where that alone would cost more than half of the
 * budget, as in a program whose threads live for milliseconds, this is not the way.
 */
#ifndef AN_RECORD_ALARMS_H
#define AN_RECORD_ALARMS_H

#include "record/recorder.h"

/*
 * Records until there is enough. `cost`: what a window may cost, before any is known; nanoseconds. The
 * kernel must allow alarms (an_alarm_probe()). True: it is not over, but being traced costs the program too
 * much; outside.h is to go on.
 */
bool an_alarms_record(struct an_recorder *recorder, double cost);

#endif
