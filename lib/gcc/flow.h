/*
 * How often each arc and each block of a function ran. Only arcs that are not on a spanning tree of the
 * control flow have counters; what enters a block leaves it, and that tells the others:
 *
 *            entry                       known: a = 7, c = 3
 *              │ tree                    block 3 is entered by c only, so d = 3
 *              2 ──a──► exit             block 2 is left by a and c: it ran 10 times, and so did the entry
 *              │ c
 *              3 ──d: tree──► exit
 *
 * Counts of programs whose threads lose some can come out below 0, as gcov's do. So they can in clang's programs that call
 * exit(): clang does not count that a call does not come back. LLVM leaves out the sign then, which is right for lines
 * that only such calls follow.
 */
#ifndef AN_GCC_FLOW_H
#define AN_GCC_FLOW_H

#include "gcc/gcno.h"

/* What solving takes; all zeros at first, it may be used again and again. */
struct an_flow_work {
    bool as_llvm; /* for the caller to set: an arc's count that comes out below 0 loses its sign */
    struct an_flow_node *nodes;
    uint32_t *ready, *order;
    size_t node_capacity, ready_capacity, order_capacity;
};

void an_flow_work_free(struct an_flow_work *work);

/* How many counters a function has. */
uint32_t an_flow_counters(const struct an_gcno *gcno, const struct an_gcno_function *function);

/*
 * Finds the counts of a function's arcs, in the order of the gcno, and of its blocks. Without counters it
 * never ran. An arc that nothing tells, since there is a circle where a tree should be, gets 0. False when
 * memory runs out.
 */
bool an_flow_solve(struct an_flow_work *work, const struct an_gcno *gcno,
                   const struct an_gcno_function *function, const uint64_t *counters, int64_t *arcs,
                   int64_t *blocks);

#endif
