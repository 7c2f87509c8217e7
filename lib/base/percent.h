/*
 * Parts as percentages. One rule for all that anneal prints: they are rounded down, so that 100 % is all of
 * it, and what falls short of a limit is never shown as having reached it. Only where another tool's output
 * is imitated to the byte does that tool's own rounding hold.
 */
#ifndef AN_BASE_PERCENT_H
#define AN_BASE_PERCENT_H

#include <stdint.h>

/* With at most so many decimal places (up to 6), to be printed with as many; 0 when there is no whole. */
double an_percent(uint64_t part, uint64_t whole, unsigned places);

/* The same of a ratio that was computed, 1 being all: what is too small by an error of rounding is not. */
double an_percent_of_ratio(double ratio, unsigned places);

#endif
