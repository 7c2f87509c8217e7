/*
 * Factors for the runs of a merge: "3:1", "0.5:2", "1/3:1".
 *
 * Fractions become whole numbers that stand to each other alike, as 0.5:2 becomes 1:4: counts that are
 * divided do not add up any more, and a compiler that finds more calls of a function than it was called
 * takes the whole for damaged.
 */
#ifndef AN_CLI_FAMILY_FACTORS_H
#define AN_CLI_FAMILY_FACTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct factors {
    uint64_t *items;
    size_t count;
    bool were_fractions;
};

/* False after a message. */
bool factors_parse(struct factors *factors, const char *text);
void factors_free(struct factors *factors);

/* That of a run, 0 being the first one. One that none was given for counts once: as often as a factor of 1. */
uint64_t factors_of(const struct factors *factors, size_t run);

#endif
