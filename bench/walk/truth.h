/*
 * What a recording of replaced code says about the program, known by who made it: for tests of those
 * who have to find it out. Written as text:
 *
 *     samples N, branches N, ...     totals, as KEY VALUE
 *     between FROM TO N              branches by layout; 0 is the program, -1 other files
 *     run LAYOUT N                   stretches without a taken branch, between two of a sample
 *     B FROM TO N                    from the branch at FROM control went to TO: it jumped, called
 *     F FROM TO N                      or returned there; it fell through to there; by an
 *     J FROM TO N                      unconditional jump inside of a function
    T FROM TO N                    a tail call under a condition: two branches in the program, the
                                     one at FROM and then a jump to TO; one in the layout
    P PLACE FROM N                 the branch at PLACE, in a layout, is the one at FROM; it was come
                                     by so often (not for those of T)
 *
 * FROM and TO are addresses of the program, whatever layout the process was in; B and F are as
 * in the program, where a layout may have turned the condition round. Every branch counts that is
 * in a sample, and every one that was passed without being taken between two of them. Not counted
 * are branches from and to other files (`outside`), jumps at entries that lead on to newer code
 * (`led_on`; a call counts as one of the function, not of its jump), and unconditional jumps that
 * only a layout has (`layout_only`). Those of the program that a layout has not are J: they are
 * counted only where the program's own code ran. What goes to a block that is nothing but such a
 * jump counts as going there, though a layout goes past it.
 */
#ifndef AN_BENCH_TRUTH_H
#define AN_BENCH_TRUTH_H

#include "copies.h"
#include "support/perf_write.h"

struct truth;

struct truth *truth_new(const struct copies *copies);
void truth_free(struct truth *truth);

/* A sample of a process whose image's lowest byte is at `base`, newest branch first. */
void truth_add(struct truth *truth, uint64_t base, const struct perf_branch *branches,
               size_t number);

/* Ends the program with a message when the file cannot be written. */
void truth_write(const struct truth *truth, const char *path);

#endif
