/*
 * After how much CPU time an alarm is to ring: random periods, whose mean keeps what windows cost within
 * the budget.
 *
 * The periods have an exponential distribution, so that the moments have nothing to do with what the
 * thread did before. Their mean follows what a window costs, and how much of its time the program is in
 * user mode, since alarms ring nowhere else; over a thousand windows and ten seconds at least, so that a
 * part of the program whose windows are dear does not get fewer of them.
 *
 * All times are nanoseconds; "run time" is CPU time of the processes.
 */
#ifndef AN_RECORD_PERIOD_H
#define AN_RECORD_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

struct an_period {
    double overhead;      /* the budget */
    double shortest;      /* mean */
    double cost, dearest; /* of a window: on average of late; about the most of late */
    double run,
        covered; /* between two windows, on average of late: run time, and how much of it the
                               periods of alarms are that have rung */
    double covered_since;  /* the last window */
    uint64_t windows;      /* that the averages are of */
    uint64_t spent_before; /* up to the last window */
    uint64_t run_before;   /* likewise */
    uint64_t *random;
};

/* `frequency`: windows in a second of run time, at most, on average. `first_cost`: what a window may cost,
 * before any is known. */
void an_period_start(struct an_period *period, double overhead, unsigned frequency,
                     double first_cost, uint64_t *random);

/* Of the next alarm. `spent` and `run`: since the start. */
uint64_t an_period_next(const struct an_period *period, uint64_t spent, uint64_t run);

/* An alarm of this period has rung. False when no window can be paid for now. */
bool an_period_rings(struct an_period *period, uint64_t nanoseconds, uint64_t spent, uint64_t run);

/* A window has been taken, and is paid for. */
void an_period_taken(struct an_period *period, uint64_t spent, uint64_t run);

#endif
