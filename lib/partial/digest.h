/* Digests of inputs: by them a partial result knows what has been counted into it. */
#ifndef AN_PARTIAL_DIGEST_H
#define AN_PARTIAL_DIGEST_H

#include <string.h>

#include <anneal/ledger.h>

#include "base/bytes.h"

/* Of all bytes of an input. */
struct an_digest an_digest_of(struct an_bytes content);

/* Of an input that counts beside others of the same bytes: of the bytes and its path. */
struct an_digest an_digest_with_path(struct an_digest digest, const char *path);

/* Of what came before and of something by this name behind it. */
struct an_digest an_digest_chain(struct an_digest before, const char *name,
                                 const struct an_digest *next);

/* A number that is spread evenly over 64 bits, for the index-th thing in an input. */
uint64_t an_digest_draw(const struct an_digest *digest, uint64_t index);

/* Below, at, or above 0, as memcmp(). */
static inline int an_digest_compare(const struct an_digest *a, const struct an_digest *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

#endif
