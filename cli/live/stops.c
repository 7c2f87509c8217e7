/* Adding up how often and how long a process was stopped. */
#include "live.h"

static void add(struct an_live_stops *to, const struct an_live_stops *more)
{
    to->count += more->count;
    to->sum += more->sum;
    to->longest = more->longest > to->longest ? more->longest : to->longest;
}

void live_add_round(struct live_stops *to, struct an_live_stops *what,
                    const struct an_live_round *round)
{
    add(what, &round->stopped);
    add(&to->calls, &round->called);
}

/* The processor's own branch records take no stops. */
void live_add_held(struct an_live_stops *to, const struct an_record_counts *counts)
{
    const struct an_live_stops held = {
        .count = counts->stops, .sum = counts->stopped_seconds, .longest = counts->longest_stop};
    add(to, &held);
}
