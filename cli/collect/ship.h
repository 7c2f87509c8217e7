/* Handing closed partial results to the site's own transport. */
#ifndef AN_CLI_COLLECT_SHIP_H
#define AN_CLI_COLLECT_SHIP_H

#include <sys/types.h>

#include "places.h"

struct shipping {
    const struct collect_request *request;
    const struct places *places;
    struct collect_counts *counts;
    pid_t process; /* the command that runs; 0: none */
    int ended;     /* becomes readable when it has ended; -1 */
    char build[128], name[300];
    uint64_t started, next; /* nanoseconds (base/clock.h): when it began; when another one may */
    double pause;           /* seconds, of the next one after a failure */
    bool is_late;           /* it was told to end, for it took too long */
};

void ship_begin(struct shipping *shipping, const struct collect_request *request,
                const struct places *places, struct collect_counts *counts);

/*
 * Sees to the command that runs, and starts the next one when it is time. Returns in how many seconds there is something to do
 * even if no command ends; negative: not before there is a closed partial result.
 */
double ship_step(struct shipping *shipping);

/* Ends the command that runs, if one does. */
void ship_end(struct shipping *shipping);

#endif
