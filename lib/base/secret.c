/* The kernel's random bytes for this process, see secret.h. They cost no system call. */
#include "base/secret.h"

#include <sys/auxv.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { RANDOM_BYTES = 16 }; /* at AT_RANDOM: getauxval(3) */

uint64_t an_secret_for(const void *address)
{
    /* Its values are used as they are nowhere: the C library has its stack guards from them. */
    const void *random = (const void *)getauxval(AT_RANDOM);
    uint64_t seed = (uintptr_t)address;
    return (random ? XXH3_64bits_withSeed(random, RANDOM_BYTES, seed) : XXH64(&seed, 8, 0)) | 1;
}
