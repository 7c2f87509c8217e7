/*
 * The walk itself: a process that serves one made-up request after the other, each of which begins
 * with a call of one of the plan's roots. It has a real call stack and remembers its last branches.
 */
#ifndef AN_BENCH_PATH_H
#define AN_BENCH_PATH_H

#include "copies.h"
#include "graph.h"
#include "loop.h"
#include "plan.h"
#include "support/perf_write.h"

enum { PATH_MOST_BRANCHES = 512 };

struct path;

/*
 * What a process has whose code is replaced while it runs: the copies of its functions and, when
 * there is one, the loop in which it serves its requests.
 */
struct path_replaced {
    const struct copies *copies;
    const struct loop *loop;
};

/* base: where the image's lowest byte is in memory; library: where another file's code is. replaced: NULL for a
 * process whose code stays. */
struct path *path_new(const struct graph *graph, const struct plan *plan, uint64_t base,
                      uint64_t library, uint64_t seed, const struct path_replaced *replaced);
void path_free(struct path *path);

/* How many bytes of the other file the walk goes through. */
enum { PATH_LIBRARY_SIZE = 0x200000 };

/* Goes on for so many taken branches. */
void path_walk(struct path *path, unsigned long branches);

/* From now on the first so many layouts are in force. */
void path_replace(struct path *path, unsigned layouts);

/* Marks the program's functions that are active. */
void path_mark_stack(const struct path *path, bool *functions);

/* The last ones, newest first. */
void path_last(const struct path *path, struct perf_branch *branches, size_t count);

#endif
