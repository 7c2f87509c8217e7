/* Origins of records and traces; see origins.h. */
#include "llvm/origins.h"

#include <string.h>

#include "partial/digest.h"

void an_lossless_free(struct lossless *lossless)
{
    an_vector_free(&lossless->origins);
    an_vector_free(&lossless->marks);
}

bool an_lossless_begin(struct lossless *lossless, const struct an_digest *input)
{
    if (!an_lossless_add_origins(lossless, input, 1))
        return false;
    lossless->origin = (uint32_t)lossless->origins.count - 1;
    lossless->traces = 0;
    return true;
}

bool an_lossless_add_origins(struct lossless *lossless, const struct an_digest *digests,
                             size_t count)
{
    if (count == 0)
        return true;
    if (count > UINT32_MAX - lossless->origins.count ||
        !an_vector_reserve(&lossless->origins, lossless->origins.count + count))
        return false;
    memcpy(lossless->origins.items + lossless->origins.count, digests, count * sizeof *digests);
    lossless->origins.count += count;
    return true;
}

int an_lossless_compare_inputs(const struct lossless *lossless, uint32_t a, uint32_t b)
{
    const struct an_digest *origins = lossless->origins.items;
    return a == b ? 0 : an_digest_compare(&origins[a], &origins[b]);
}

int an_lossless_compare(const struct lossless *lossless, struct record_origin a,
                        struct record_origin b)
{
    int order = an_lossless_compare_inputs(lossless, a.input, b.input);
    return order ? order : (a.rank > b.rank) - (a.rank < b.rank);
}
