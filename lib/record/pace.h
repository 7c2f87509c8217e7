/*
 * When threads are looked at: at random moments, as often as wanted, but never so often that what it
 * costs exceeds its share of what the processes run.
 *
 * The moments know nothing of what the processes do just then: they come in wall-clock time, the
 * intervals have an exponential distribution, and their mean follows how much the processes ran in
 * the last second. At each of them every thread has the same chance to be looked at, whether it runs
 * or not, and those that run have a window recorded. So each thread, and each part of its code, has
 * windows in proportion to the time that it runs. (Moments that wait until a window can be paid for,
 * or until somebody runs, prefer whoever runs then: the long ones among threads that begin to run
 * together, and the last part of what they do.)
 *
 * What has to be paid for is the time for which threads are held, and what the recorder computes
 * beyond that. All times are nanoseconds; "run time" is CPU time of the processes.
 */
#ifndef AN_RECORD_PACE_H
#define AN_RECORD_PACE_H

#include <stdint.h>

struct an_pace {
    double overhead;           /* the budget */
    double interval;           /* run time of a thread between two windows, at least, on average */
    double cost, dearest;      /* of a moment: on average of late; about the most of late */
    double run_rate;           /* run time in a unit of time, of late */
    unsigned moments;          /* that the average is of */
    uint64_t spent;            /* in all */
    uint64_t spent_before;     /* up to the last moment */
    uint64_t start, time, run; /* run at time, when the rate was looked at */
    uint64_t next;             /* moment */
    uint64_t *random;
};

/* `first_cost`: what a moment may cost, before any is known. */
void an_pace_start(struct an_pace *pace, double overhead, unsigned frequency, double first_cost,
                   uint64_t time, uint64_t *random);

/* What went before the start, if anything did: they ran for so long, and so much was spent. It belongs to the budget, but
 * is the cost of no moment. */
void an_pace_carry(struct an_pace *pace, uint64_t run, uint64_t spent);

/* How long to wait; 0: it is a moment. `run`: run time since the start. Moments that could not be paid
 * for are left out. */
uint64_t an_pace_wait(struct an_pace *pace, uint64_t time, uint64_t run);

/* Something has to be paid for. */
void an_pace_charge(struct an_pace *pace, uint64_t cost);

/* The moment is over, and paid for. `chance`: that of each thread to be looked at. */
void an_pace_next(struct an_pace *pace, uint64_t time, double chance);

#endif
