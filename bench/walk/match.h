/*
 * Which branch of a layout does the work of which branch of the program.
 *
 * Found by going through a function and its copy side by side from the entry, each time both ways
 * at a conditional branch: BOLT rearranges blocks, turns conditions round, and adds and removes
 * unconditional jumps, but the decisions stay the same, in the same order. So this needs nothing of
 * what BOLT says about its output (BAT), and can judge those who use that.
 */
#ifndef AN_BENCH_MATCH_H
#define AN_BENCH_MATCH_H

#include "copies.h"

/*
 * Sets origin and inverted of the layouts' sites. Where the two sides do not agree nobody goes on:
 * the program's site becomes a stop. To be called before the plan is made. The number of those.
 */
size_t match_all(struct graph *graph, const struct copies *copies);

/* Gives the layouts' sites the biases and the targets of their origins, when the plan is made. */
void match_settle(struct graph *graph);

#endif
