/* The inputs of a partial result by numbers: the used ones of its account, from 0 on, in the order of their digests. */
#ifndef AN_PARTIAL_NUMBERS_H
#define AN_PARTIAL_NUMBERS_H

#include <anneal/ledger.h>

struct an_input_numbers {
    struct an_digest *digests; /* by number */
    size_t count;
};

/* False when memory runs out; there is nothing to free then. */
bool an_input_numbers_make(struct an_input_numbers *numbers, const struct an_ledger *ledger);
void an_input_numbers_free(struct an_input_numbers *numbers);

/* The number of an input; 0 of one that is not among them, since it was rejected. */
size_t an_input_number(const struct an_input_numbers *numbers, const struct an_digest *digest);

#endif
