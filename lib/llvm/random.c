/*
 * MT19937 (M. Matsumoto and T. Nishimura, "Mersenne Twister", 1998), and bounded numbers from it by
 * multiplication and rejection (D. Lemire, "Fast Random Integer Generation in an Interval", 2019).
 */
#include "llvm/random.h"

enum { SIZE = 624, SHIFT = 397 };

void an_random_start(struct an_random *random, uint32_t seed)
{
    random->state[0] = seed;
    for (unsigned i = 1; i < SIZE; i++)
        random->state[i] = 1812433253u * (random->state[i - 1] ^ (random->state[i - 1] >> 30)) + i;
    random->next = SIZE;
}

static void refill(struct an_random *random)
{
    uint32_t *s = random->state;
    for (unsigned i = 0; i < SIZE; i++) {
        uint32_t y = (s[i] & 0x80000000u) | (s[(i + 1) % SIZE] & 0x7fffffffu);
        s[i] = s[(i + SHIFT) % SIZE] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    random->next = 0;
}

uint32_t an_random_next(struct an_random *random)
{
    if (random->next == SIZE)
        refill(random);
    uint32_t y = random->state[random->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

uint64_t an_random_upto(struct an_random *random, uint64_t most)
{
    if (most == UINT32_MAX)
        return an_random_next(random);
    if (most > UINT32_MAX) { /* two draws, the upper one first, until the result fits */
        for (;;) {
            uint64_t high = an_random_upto(random, most >> 32) << 32;
            uint64_t value = high + an_random_next(random);
            if (value >= high && value <= most)
                return value;
        }
    }
    uint32_t range = (uint32_t)most + 1;
    uint64_t product = (uint64_t)an_random_next(random) * range;
    if ((uint32_t)product < range) {
        uint32_t threshold = -range % range;
        while ((uint32_t)product < threshold)
            product = (uint64_t)an_random_next(random) * range;
    }
    return product >> 32;
}
