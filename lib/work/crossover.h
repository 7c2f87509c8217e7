/*
 * Layouts of a running process take turns, and the work that it does in each is compared.
 *
 *     original, new             A B B A   A B B A   ...      a block after the other
 *     original, before, new     A B C C B A   A B ...
 *
 * The turns of a layout in a block are one slice of its work. They lie around the same moment as those of the others, so
 * that what grows or falls steadily, in the machine or in the load, is the same for all; what is left varies from block to
 * block, and is in the interval (anneal/work.h).
 *
 * Servers and their clients have rhythms of their own: were all turns alike, one layout might always meet the same part of
 * a cycle. So chance decides which layout begins a block, and how long its first turn is; its second one is the shorter for
 * that. (MariaDB, whose clients go through a list of requests: gains of one layout were found to
 * be 14 to 23 % with turns of one length, and 17 to 21 % so.)
 *
 * Where counting costs nothing and is exact (traffic), turns are a tenth of a second, and there are many blocks. A
 * machine that is disturbed for a moment spoils a few of them, so that the outer fifth of the blocks on either side is left out.
 * (Of two minutes of a web server without a switch: of 20 seconds, the difference of halves that chance chose was known within 0.6 %
 * so, 1.2 % with all blocks, and 2.9 % with turns of 0.4 seconds.)
 *
 * After each block the intervals are looked at, and turns end early when they are narrow: whatever the gain is. That keeps what
 * an interval of 95 % promises. In tests/work/test_crossover.c, with blocks that are independent of one another, it
 * claims a difference that is not there in 5 of 100 runs (3 of 100 when all blocks are taken, since it is wide for few
 * blocks). Were turns to end as soon as 1 is outside, it would be 9 of 100; and an interval that is wide enough for both,
 * after half of the blocks, is about twice as wide as the one after all of them. So a large gain is no reason to end.
 */
#ifndef AN_WORK_CROSSOVER_H
#define AN_WORK_CROSSOVER_H

#include <anneal/work.h>

#include "base/error.h"
#include "base/vector.h"

enum { AN_CROSSOVER_MOST = 3 }; /* layouts */

/* What turns are taken with. Each may fail; the numbers of layouts are those in `struct an_crossover`. */
struct an_crossover_driver {
    enum an_code (*put)(void *context, unsigned layout, struct an_error *error);
    enum an_code (*read)(void *context, struct an_work_reading *reading, bool *is_over,
                         struct an_error *error);
    bool (*pass)(void *context, double seconds); /* false: somebody wants an end */
    void (*pause)(void *context, bool pauses);   /* counting, or goes on; NULL: `duty` is 1 */
    void *context;
};

struct an_crossover {
    unsigned layouts[AN_CROSSOVER_MOST]; /* the original (0) first, the new one last */
    unsigned count;
    size_t functions; /* in the readings */
    double duty;      /* the share of each turn in which counting may go on, in some pieces */
    double longest;   /* seconds that all turns may take */
    double turn;      /* seconds of one, where it may be shorter than usual; 0: it may not */
    double narrow;    /* it is over before when the intervals of the new layout are narrower */
    uint64_t random;  /* a seed, not 0 */

    unsigned in_force; /* one of the numbers: given, and kept up to date */
    unsigned switches;
    double seconds; /* that it took */
    struct {
        AN_VECTOR(struct an_work_reading);
    } slices[AN_CROSSOVER_MOST]; /* of each layout: as many as there were blocks */
};

/*
 * Takes turns until the time is over, the intervals are narrow, the process has ended or somebody wants an end: what was
 * counted up to then counts. On failure as well: *in_force is what the process runs. The caller frees the turns.
 */
enum an_code an_crossover_take(struct an_crossover *crossover,
                               const struct an_crossover_driver *driver, struct an_error *error);
void an_crossover_free(struct an_crossover *crossover);

/* How much more work is done in the layout `b` than in `a`, which are indices. */
void an_crossover_compare(const struct an_crossover *crossover, unsigned a, unsigned b,
                          struct an_work_estimate *estimate);

/* Seconds of one turn, on average. */
double an_crossover_length(const struct an_crossover *crossover);

#endif
