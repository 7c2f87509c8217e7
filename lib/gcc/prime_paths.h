/*
 * The prime paths of a graph. A path is simple if no node is in it twice, but that a circle ends where it began; it is
 * prime if no other simple path has it within:
 *
 *     0 ──► 1 ──► 2 ──► 4         0 1 2 4    0 1 3       they ascend, by the numbers of their nodes
 *           ▲     │               1 2 1 ...
 *           └─ 3 ◄┘
 *
 * GCC's search has one peculiarity, which is followed here, since a run's bits stand for paths by their number: it puts paths
 * together from those of strongly connected parts, and begins with paths from a node that nothing leads to, to a node that
 * leads nowhere. What no such path touches is cut off from the rest: loops that nothing leaves, what leads only there, and what
 * nothing leads to but its own loop.
 *
 * There may be exponentially many. Paths are found one by one in memory for one; the work is counted.
 */
#ifndef AN_GCC_PRIME_PATHS_H
#define AN_GCC_PRIME_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of node n, nodes it leads to, ascending and each once, are to[first[n]] up to to[first[n + 1]]. */
struct an_prime_graph {
    uint32_t count;
    const uint32_t *first, *to;
};

enum an_prime {
    AN_PRIME_PATH,   /* there is another one */
    AN_PRIME_END,    /* there was none left */
    AN_PRIME_BEYOND, /* the steps have been used up */
};

struct an_prime_paths {
    const uint32_t *path; /* the present one */
    uint32_t length;
    uint64_t steps; /* that may be made; the caller may look how many are left */
    struct an_prime_search *search;
};

/* Begins; the graph's arrays are not needed afterwards. False when memory runs out; then there is nothing to free. */
bool an_prime_paths_start(struct an_prime_paths *paths, const struct an_prime_graph *graph,
                          uint64_t steps);
enum an_prime an_prime_paths_next(struct an_prime_paths *paths);
void an_prime_paths_free(struct an_prime_paths *paths);

#endif
