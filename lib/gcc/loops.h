/*
 * How often the flow went around in circles within a line. A line is several blocks, most of which run one
 * after the other, so that the sum of their counts says nothing; it ran as often as the flow came into it
 * from elsewhere, and as it went around within:
 *
 *     for (i = 0; i < 8; i++) sum += i;      came in 1 time, to block 2
 *       ┌─────────┐                          went around 8 times: 3 ─► 4 ─► 3
 *     2 ─► 4 ─► 3 ┘                          so the line ran 9 times
 *          └───────► elsewhere
 *
 * Circles are found as gcov finds them: elementary ones, by the algorithm of K. A. Hawick and H. A. James
 * (Enumerating Circuits and Loops in Graphs with Self-Arcs and Multiple-Arcs, 2008). The least count of a
 * circle's arcs is how often it was gone around; that is taken off all of them before the search goes on. The
 * order in which circles are found matters, and is gcov's.
 *
 * Each circle uses up an arc, so that their number is no more than that of the arcs; still, thousands of blocks
 * that lead to each other at random would take minutes. The search in a line ends after AN_LOOPS_MOST_STEPS, about
 * a second, and in all lines together after four times as many; then counts are too small. gcov has no such
 * limit; what compilers make stays far below it.
 */
#ifndef AN_GCC_LOOPS_H
#define AN_GCC_LOOPS_H

#include "base/vector.h"

enum {
    AN_LOOPS_MOST_STEPS = 1 << 26,
    AN_LOOPS_MOST_LINES = 4
}; /* steps: arcs that are looked at, and nodes that wait for others */

/* An arc between two blocks of the line. */
struct an_loop_arc {
    uint32_t to;
    int64_t count; /* what was not gone around yet */
};

/* A block of the line. Blocks of a function ascend. */
struct an_loop_node {
    uint32_t first_arc, arc_count;
    uint32_t waiting; /* this and what follows: private */
    bool is_blocked, is_start;
};

/* A line, and what the search takes; all zeros at first. */
struct an_loops {
    struct {
        AN_VECTOR(struct an_loop_node);
    } nodes;
    struct {
        AN_VECTOR(struct an_loop_arc);
    } arcs;
    struct {
        AN_VECTOR(struct an_loop_frame);
    } frames;
    struct {
        AN_VECTOR(struct an_loop_waiter);
    } waiters;
    struct {
        AN_VECTOR(uint32_t);
    } unblocked;
    uint64_t steps; /* of all lines until now */
};

void an_loops_free(struct an_loops *loops);

/*
 * Counts the circles that begin at each of the starts in turn: nodes, some of them perhaps repeatedly.
 * False when memory runs out.
 */
bool an_loops_count(struct an_loops *loops, const uint32_t *starts, size_t count, int64_t *around);

#endif
