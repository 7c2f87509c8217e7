/*
 * Sorting candidates: by digits of their gains when there are many, which is three passes, by
 * insertion when there are few.
 */
#include "order/exchange.h"

#include <string.h>

enum { FEW = 24, DIGIT = 11, DIGITS = 1 << DIGIT };

/* A number that is less the greater the gain is. */
static uint32_t key_of(float gain)
{
    uint32_t bits;
    memcpy(&bits, &gain, sizeof bits);
    return bits & 0x80000000u ? bits : ~bits & 0x7fffffffu;
}

static void insertion_sort(struct candidate *candidates, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct candidate moving = candidates[i];
        uint32_t at = i;
        for (; at && candidates[at - 1].gain < moving.gain; at--)
            candidates[at] = candidates[at - 1];
        candidates[at] = moving;
    }
}

static void pass(const struct candidate *from, struct candidate *to, uint32_t count, unsigned shift)
{
    uint32_t starts[DIGITS] = {0};
    for (uint32_t i = 0; i < count; i++)
        starts[key_of(from[i].gain) >> shift & (DIGITS - 1)]++;
    uint32_t at = 0;
    for (uint32_t d = 0; d < DIGITS; d++) {
        uint32_t number = starts[d];
        starts[d] = at;
        at += number;
    }
    for (uint32_t i = 0; i < count; i++)
        to[starts[key_of(from[i].gain) >> shift & (DIGITS - 1)]++] = from[i];
}

/* Candidates come in the order of their nodes, and both ways of sorting are stable. */
void an_candidates_sort(struct candidate *candidates, struct candidate *spare, uint32_t count)
{
    if (count <= FEW) {
        insertion_sort(candidates, count);
        return;
    }
    pass(candidates, spare, count, 0);
    pass(spare, candidates, count, DIGIT);
    pass(candidates, spare, count, 2 * DIGIT);
    memcpy(candidates, spare, count * sizeof *spare);
}
