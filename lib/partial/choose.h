/*
 * Each input counts once. Counts that were added up cannot be taken apart again; so of sets of inputs that have some in common,
 * one is chosen: a set whose inputs are in others is left out, and one of which only some are cannot be merged.
 *
 *     {a b c d}  taken
 *     {b c}      counted: all of it is in the first
 *     {e}        taken
 *     {d e}      counted: all of it is in the first and the third
 *     {d f}      overlaps: d would count twice, or f would be lost
 */
#ifndef AN_PARTIAL_CHOOSE_H
#define AN_PARTIAL_CHOOSE_H

#include <anneal/ledger.h>

enum an_choice {
    AN_CHOICE_NONE, /* not asked yet, or not to be: a set that is left alone */
    AN_CHOICE_TAKEN,
    AN_CHOICE_COUNTED,
    AN_CHOICE_OVERLAPS,   /* `common` is in a set that was taken */
    AN_CHOICE_CONTRADICTS /* `common` is there, too, with another weight */
};

/* The inputs of a partial result, or an input by itself. */
struct an_input_set {
    const struct an_counted_input {
        struct an_digest digest;
        uint64_t weight;
    } *inputs; /* different ones, in the order of their digests */
    size_t count;
    bool excluded; /* from the choice */
    enum an_choice choice;
    struct an_digest common; /* of those that cannot be merged */
};

/* Makes the choice for each set. It does not depend on their order, but for sets that are the same: the first of those is
 * taken. False when memory runs out. */
bool an_choose_inputs(struct an_input_set *sets, size_t count);

#endif
