/* Inputs by numbers; see numbers.h. */
#include "partial/numbers.h"

#include <stdlib.h>

#include "base/memory.h"
#include "partial/digest.h"

static int by_digest(const void *a, const void *b)
{
    return an_digest_compare(a, b);
}

bool an_input_numbers_make(struct an_input_numbers *numbers, const struct an_ledger *ledger)
{
    *numbers = (struct an_input_numbers){an_alloc(ledger->count, sizeof *numbers->digests), 0};
    for (size_t i = 0; numbers->digests && i < ledger->count; i++)
        if (ledger->entries[i].status == AN_INPUT_USED)
            numbers->digests[numbers->count++] = ledger->entries[i].digest;
    if (numbers->count)
        qsort(numbers->digests, numbers->count, sizeof *numbers->digests, by_digest);
    return numbers->digests != NULL;
}

void an_input_numbers_free(struct an_input_numbers *numbers)
{
    free(numbers->digests);
    *numbers = (struct an_input_numbers){0};
}

size_t an_input_number(const struct an_input_numbers *numbers, const struct an_digest *digest)
{
    const struct an_digest *found =
        numbers->count
            ? bsearch(digest, numbers->digests, numbers->count, sizeof *digest, by_digest)
            : NULL;
    return found ? (size_t)(found - numbers->digests) : 0;
}
