/*
 * On which processor the calling thread runs, and when. The choice is among those on which it might run
 * in the beginning: what taskset(1) and the like have said holds.
 */
#ifndef AN_RECORD_AFFINITY_H
#define AN_RECORD_AFFINITY_H

#include <sched.h>
#include <stdbool.h>

struct an_affinity {
    cpu_set_t allowed;
    bool known; /* what is allowed */
};

/* To be called by the thread that is moved. */
void an_affinity_open(struct an_affinity *place);

/* To this processor and no other. False when it may not; then it may run on all that are allowed. */
bool an_affinity_on(const struct an_affinity *place, int cpu);

/* To any but this one, if there is another one. -1: to any. */
void an_affinity_off(const struct an_affinity *place, int cpu);

/*
 * Before all others, and at once when its time comes. A held thread waits for the one that holds it,
 * and a moment that is late because others run is no random one; that one keeps to a budget, and does
 * not keep a processor busy. Not everybody may ask for that; then as nearly so as is allowed.
 */
void an_affinity_first(void);

#endif
