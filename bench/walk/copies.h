/*
 * What layouts have of a program's functions.
 *
 * llvm-bolt moves some functions to new code and leaves the old code in place. A process whose code
 * was replaced while it ran has both, and newer layouts beside older ones. A function's address is
 * always its entry in the program; a jump that is written there leads on:
 *
 *     program              layout 1              layout 2
 *     f: jmp f.2 ------------------------------> f.2: ...
 *                          f.1: jmp f.2 -------> (for those who still come from layout 1)
 *     g: jmp g.1 --------> g.1: ...              (g was not moved again)
 *
 * A jump takes five bytes. Where they are not free for it (a branch leads into them, a call returns
 * into them) there is none, and who comes to this entry stays in this code.
 */
#ifndef AN_BENCH_COPIES_H
#define AN_BENCH_COPIES_H

#include "graph.h"

#define NO_FUNCTION UINT32_MAX

enum { ENTRY_JUMP = 5 };

struct copies {
    const struct graph *graph;
    uint32_t *original; /* by function: the program's function whose entry it has; or NO_FUNCTION */
    uint32_t *newest;   /* by layouts in force and program's function: where its newest code is */
    bool *fixed;        /* by function: no jump fits at its entry */
    uint32_t *entry;    /* by site: the function that begins with it; or NO_FUNCTION */
};

struct copies *copies_of(const struct graph *graph);
void copies_free(struct copies *copies);

/* The newest code of the program's function, when the first so many layouts are in force. */
uint32_t copies_newest(const struct copies *copies, unsigned layouts, uint32_t function);

/*
 * The function that begins at the address, which leads to the site; NO_FUNCTION when none does.
 */
uint32_t copies_entry(const struct copies *copies, uint32_t address, uint32_t site);

/* Where the jump at a function's entry leads to; NO_FUNCTION when there is none. */
uint32_t copies_led_on(const struct copies *copies, unsigned layouts, uint32_t function);

#endif
