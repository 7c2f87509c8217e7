/*
 * How far off a figure may be that was measured over a time, by how much the parts of this time differ.
 *
 *     slices       | | | | | | | | | | | | | | | | |     influences
 *     batches      |       |       |       |       |     sums of influences of neighbours
 *
 * If slices were independent, the spread of their influences would tell the error of the whole. They are not: work comes in
 * phases, and machines get warm. Sums over batches hold what neighbours have in common, if the batches are
 * longer than that. So the error is estimated from the slices, from batches of two, of four and so on, as long as
 * there are enough of them, each with the quantile of Student's t for its number; and from the slices once more, as if each
 * were like the one before by what the correlation of neighbours says. The largest one counts. A drift is a difference
 * between the batches as well.
 */
#ifndef AN_BASE_INTERVAL_H
#define AN_BASE_INTERVAL_H

#include <stddef.h>

/* So many slices are enough. */
enum { AN_INTERVAL_FEWEST = 6 };

/*
 * Half the width of the 95 % interval of a figure, from the influences that so many slices, at least
 * AN_INTERVAL_FEWEST, have had on it, which add up to 0. `grain`: what one event more or less would change.
 */
double an_interval_half_width(const double *influences, size_t count, double grain);

/*
 * The mean of values that do not depend on one another, without the share `trimmed` of them, below a half, at either end, and half
 * the width of its 95 % interval (Yuen 1974: the variance with the outer values moved to the edge of what is left).
 * A few that are far off, as machines are disturbed now and then, move neither. The values are sorted; at least
 * AN_INTERVAL_FEWEST of them are left.
 */
double an_interval_trimmed(double *values, size_t count, double trimmed, double *mean);

/* Sorts values, the smallest first. */
void an_interval_sort(double *values, size_t count);

#endif
