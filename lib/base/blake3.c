/*
 * BLAKE3 (O'Connor, Aumasson, Neves, Wilcox-O'Hearn: BLAKE3, one function, fast everywhere), in its plain mode:
 *
 *     input ──► chunks of 1024 bytes ──► a chaining value each (16 blocks of 64 bytes, one after the other)
 *                                        │
 *     a tree over the chunks, complete on the left ──► root, whose output are the hash's first bytes
 */
#include "base/blake3.h"

#include <string.h>

#include "base/bytes.h"

enum { BLOCK = 64, CHUNK = 1024, ROUNDS = 7, DEEPEST = 54 };
enum { CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT = 8 };

static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

struct value {
    uint32_t words[8];
};

static uint32_t turn(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

static void mix(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d, uint32_t x, uint32_t y)
{
    *a += *b + x;
    *d = turn(*d ^ *a, 16);
    *c += *d;
    *b = turn(*b ^ *c, 12);
    *a += *b + y;
    *d = turn(*d ^ *a, 8);
    *c += *d;
    *b = turn(*b ^ *c, 7);
}

static void permute(uint32_t message[16])
{
    static const uint8_t from[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
    uint32_t old[16];
    memcpy(old, message, sizeof old);
    for (int i = 0; i < 16; i++)
        message[i] = old[from[i]];
}

static struct value compress(const struct value *chain, const uint32_t words[16], uint64_t counter,
                             uint32_t size, uint32_t flags)
{
    uint32_t s[16], message[16];
    memcpy(s, chain->words, sizeof chain->words);
    memcpy(s + 8, initial, 16);
    s[12] = (uint32_t)counter;
    s[13] = (uint32_t)(counter >> 32);
    s[14] = size;
    s[15] = flags;
    memcpy(message, words, sizeof message);
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t *m = message;
        for (int i = 0; i < 4; i++)
            mix(&s[i], &s[4 + i], &s[8 + i], &s[12 + i], m[2 * i], m[2 * i + 1]);
        for (int i = 0; i < 4; i++)
            mix(&s[i], &s[4 + (i + 1) % 4], &s[8 + (i + 2) % 4], &s[12 + (i + 3) % 4], m[8 + 2 * i],
                m[9 + 2 * i]);
        permute(message);
    }
    struct value result;
    for (int i = 0; i < 8; i++)
        result.words[i] = s[i] ^ s[8 + i];
    return result;
}

/* A chunk, which has at most 1024 bytes; `root` when it is the only one. */
static struct value hash_chunk(const uint8_t *bytes, size_t size, uint64_t counter, uint32_t root)
{
    struct value chain;
    memcpy(chain.words, initial, sizeof initial);
    uint32_t flags = CHUNK_START;
    do {
        size_t part = size < BLOCK ? size : BLOCK;
        uint8_t block[BLOCK] = {0};
        uint32_t words[16];
        if (part)
            memcpy(block, bytes, part);
        for (int i = 0; i < 16; i++)
            words[i] = an_get32(block + 4 * i, false);
        if (part == size)
            flags |= CHUNK_END | root;
        chain = compress(&chain, words, counter, (uint32_t)part, flags);
        flags = 0;
        bytes += part;
        size -= part;
    } while (size);
    return chain;
}

static struct value join(const struct value *left, const struct value *right, uint32_t root)
{
    struct value key;
    uint32_t words[16];
    memcpy(key.words, initial, sizeof initial);
    memcpy(words, left->words, sizeof left->words);
    memcpy(words + 8, right->words, sizeof right->words);
    return compress(&key, words, 0, BLOCK, PARENT | root);
}

uint64_t an_blake3_64(const uint8_t *bytes, size_t size)
{
    struct value left[DEEPEST]; /* complete subtrees, the largest first */
    size_t height = 0;
    uint64_t chunk = 0;
    for (; size > CHUNK; bytes += CHUNK, size -= CHUNK) {
        struct value value = hash_chunk(bytes, CHUNK, chunk++, 0);
        for (uint64_t done = chunk; done % 2 == 0; done /= 2)
            value = join(&left[--height], &value, 0);
        left[height++] = value;
    }
    struct value value = hash_chunk(bytes, size, chunk, height ? 0 : ROOT);
    while (height) {
        height--;
        value = join(&left[height], &value, height ? 0 : ROOT);
    }
    return value.words[0] | (uint64_t)value.words[1] << 32;
}
