/* Digests; see digest.h. XXH3 is no secret: who wants two inputs of one digest can make them, and has one of them left out. */
#include "partial/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static struct an_digest canonical(XXH128_hash_t hash)
{
    XXH128_canonical_t bytes;
    struct an_digest digest;
    XXH128_canonicalFromHash(&bytes, hash);
    memcpy(digest.bytes, bytes.digest, sizeof digest.bytes);
    return digest;
}

struct an_digest an_digest_of(struct an_bytes content)
{
    return canonical(XXH3_128bits(content.data, content.size));
}

struct an_digest an_digest_with_path(struct an_digest digest, const char *path)
{
    return canonical(XXH3_128bits_withSeed(path, strlen(path), an_get64(digest.bytes, true)));
}

struct an_digest an_digest_chain(struct an_digest before, const char *name,
                                 const struct an_digest *next)
{
    uint8_t all[3 * sizeof before.bytes];
    struct an_digest named = an_digest_of((struct an_bytes){(const uint8_t *)name, strlen(name)});
    memcpy(all, before.bytes, sizeof before.bytes);
    memcpy(all + sizeof before.bytes, named.bytes, sizeof named.bytes);
    memcpy(all + 2 * sizeof before.bytes, next->bytes, sizeof next->bytes);
    return an_digest_of((struct an_bytes){all, sizeof all});
}

uint64_t an_digest_draw(const struct an_digest *digest, uint64_t index)
{
    return XXH3_64bits_withSeed(digest->bytes, sizeof digest->bytes, index);
}
