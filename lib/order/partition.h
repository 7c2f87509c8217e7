/*
 * Recursive balanced partitioning: an order of nodes such that those which share many sets come
 * close to each other.
 *
 * (L. Dhulipala et al., "Compressing Graphs and Indexes with Recursive Graph Bisection", 2016; for
 * functions: E. Hoag et al., "Optimizing Function Layout for Mobile Applications", 2022, and
 * llvm/lib/Support/BalancedPartitioning.cpp. The objective is theirs.)
 *
 * Here the sets of one run are nested: those that were entered within the first step, within the
 * first two, and so on. So a node has one entry for each run, its first set, and what it gains by a
 * move is a sum over the rest of that chain, which is the same for all nodes with that first set: it
 * is summed up once for each set, and a node looks up one number for each run. LLVM looks at every
 * set of every node.
 */
#ifndef AN_ORDER_PARTITION_H
#define AN_ORDER_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct partition {
    uint32_t node_count;
    const uint32_t *first;   /* node n has entries[first[n]] ... entries[first[n + 1] - 1] */
    const uint32_t *entries; /* sets: of each run at most one, the smallest that has the node */
    uint32_t set_count;
    const uint32_t *run_of;    /* for each set; within a run each set contains those before it */
    const uint32_t *run_first; /* the first set of each run, and behind the last run set_count */
    const float *weight_of;    /* for each run */
    unsigned threads;
    uint64_t seed; /* of the moves that are left out by chance */
};

/*
 * Orders nodes: order[] has all numbers below node_count, in the order in which to begin, and receives
 * the result, which does not depend on `threads`. False when memory runs out.
 */
bool an_partition_order(const struct partition *partition, uint32_t *order);

#endif
