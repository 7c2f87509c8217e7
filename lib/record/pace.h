/*
 * When the next window may be taken: at random moments, as often as wanted, but never so often that
 * what they cost exceeds its share of what the processes ran.
 *
 * A window costs the time for which its thread was held, and what the recorder computes beyond that.
 * All times are nanoseconds, and CPU time of the processes ("run time") is what rates are of: who
 * sleeps is not looked at.
 */
#ifndef AN_RECORD_PACE_H
#define AN_RECORD_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct an_pace {
    double overhead;    /* the budget */
    double interval;    /* run time between two windows, at least, on average */
    double cost;        /* of a window, on average of late */
    double run_rate;    /* run time in a unit of time, of late */
    uint64_t spent;     /* in all */
    uint64_t time, run; /* at the last look */
    uint64_t next_run;  /* the run time at which the next window is wanted */
    uint64_t *random;
};

/* `first_cost`: what a window may cost, before any is known. */
void an_pace_start(struct an_pace *pace, double overhead, unsigned frequency, double first_cost,
                   uint64_t time, uint64_t *random);

/* How long to wait before the next window; 0: it may be now. `run`: run time since the start. */
uint64_t an_pace_wait(struct an_pace *pace, uint64_t time, uint64_t run);

/* An attempt at a window has cost so much; `run` as above. Chooses the moment of the next one, which
 * is soon when no window came of it: then there is none to keep a distance from. */
void an_pace_spend(struct an_pace *pace, uint64_t cost, uint64_t run, bool taken);

/* The recorder has computed, beyond windows. */
void an_pace_charge(struct an_pace *pace, uint64_t cost);

#endif
