/*
 * Work of which the result is known, spread over many functions that llvm-bolt finds something to
 * do in: switches with jump tables, loops, calls through tables, tail calls, recursion, and branches
 * that are hardly ever taken.
 *
 *     work(seed, steps)     the same result each time
 */
#ifndef AN_LIVE_WORK_H
#define AN_LIVE_WORK_H

#include <stdint.h>
#include <string.h>

#define HOT __attribute__((noinline))

enum { CELLS = 24 };

/* What one piece of work is done on. */
struct bench {
    uint64_t cells[CELLS];
    char text[24];
};

HOT static uint64_t choose(struct bench *bench, uint64_t value)
{
    switch (value % 11) {
    case 0:
        return value + 3;
    case 1:
        return value ^ bench->cells[3];
    case 2:
        return value * 5;
    case 3:
        return value - bench->cells[7];
    case 4:
        return value >> 3 | value << 61;
    case 5:
        return value * bench->cells[1];
    case 6:
        return value + (value << 9);
    case 7:
        return value ^ value >> 23;
    case 8:
        return value | 0x40000001;
    default:
        return ~value;
    }
}

HOT static uint64_t fold(struct bench *bench, uint64_t value)
{
    for (unsigned i = 0; i < CELLS; i++) {
        if (bench->cells[i] & 1)
            value = value * 31 + bench->cells[i];
        else if (__builtin_expect(bench->cells[i] % 4093 == 2, 0))
            value ^= 0x1234567;
        else
            value -= bench->cells[i] >> 2;
    }
    return value;
}

HOT static uint64_t turn(struct bench *bench, uint64_t value)
{
    for (unsigned i = 0; i < CELLS; i++)
        bench->cells[i] = bench->cells[i] << (i % 13) ^ (value + bench->cells[(i + 5) % CELLS]);
    return value ^ bench->cells[value % CELLS];
}

/* The cells come in order. */
HOT static uint64_t arrange(struct bench *bench, uint64_t value)
{
    for (unsigned i = 1; i < CELLS; i++) {
        uint64_t moved = bench->cells[i];
        unsigned j = i;
        for (; j > 0 && bench->cells[j - 1] > moved; j--)
            bench->cells[j] = bench->cells[j - 1];
        bench->cells[j] = moved;
    }
    return value + bench->cells[CELLS / 2];
}

HOT static uint64_t spell(struct bench *bench, uint64_t value)
{
    uint64_t rest_of = value;
    unsigned length = 0;
    do
        bench->text[length++] = (char)('0' + rest_of % 10);
    while (rest_of /= 10);
    bench->text[length] = 0;
    return value + length;
}

HOT static uint64_t read_text(struct bench *bench, uint64_t value)
{
    uint64_t sum = 0;
    for (const char *at = bench->text; *at; at++) {
        if (*at >= '0' && *at <= '4')
            sum = sum * 10 + (unsigned char)*at;
        else if (*at >= '5' && *at <= '9')
            sum = sum * 7 - (unsigned char)*at;
        else
            sum = 0;
    }
    return value ^ sum;
}

HOT static uint64_t check_bits(struct bench *bench, uint64_t value)
{
    uint64_t sum = ~value;
    for (unsigned i = 0; bench->text[i]; i++) {
        sum ^= (unsigned char)bench->text[i];
        for (unsigned bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xc96c5795d7870f42u : sum >> 1;
    }
    return sum;
}

HOT static uint64_t divide(struct bench *bench, uint64_t value)
{
    uint64_t other = bench->cells[5] | 1;
    while (other) {
        uint64_t left = value % other;
        value = other;
        other = left;
    }
    return value;
}

/* A binary tree of the cells: recursion */
HOT static uint64_t climb(struct bench *bench, uint64_t value, unsigned at)
{
    if (at >= CELLS)
        return value;
    if (bench->cells[at] > value)
        return climb(bench, value + 1, 2 * at + 1) + climb(bench, value >> 1, 2 * at + 2);
    return climb(bench, value ^ bench->cells[at], 2 * at + 2);
}

HOT static uint64_t climb_all(struct bench *bench, uint64_t value)
{
    return climb(bench, value, 0) + value;
}

/* Two that call each other at their ends, with a jump. */
HOT static uint64_t step_right(struct bench *bench, uint64_t value, unsigned left);

HOT static uint64_t step_left(struct bench *bench, uint64_t value, unsigned left)
{
    if (left == 0)
        return value;
    return step_right(bench, value * 3 + bench->cells[left % CELLS], left - 1);
}

HOT static uint64_t step_right(struct bench *bench, uint64_t value, unsigned left)
{
    if (left == 0)
        return ~value;
    if (value % 5 == 0)
        return step_left(bench, value / 5, left - 1);
    return step_left(bench, value + bench->cells[left % CELLS], left - 1);
}

HOT static uint64_t step_about(struct bench *bench, uint64_t value)
{
    return step_left(bench, value, 5 + value % 16);
}

typedef uint64_t (*piece)(struct bench *bench, uint64_t value);

static const piece pieces[] = {choose,    fold,       turn,   arrange,   spell,
                               read_text, check_bits, divide, climb_all, step_about};

/* A call at the end, through a table */
HOT static uint64_t go_on(struct bench *bench, uint64_t value)
{
    return pieces[value % (sizeof pieces / sizeof *pieces)](bench, value);
}

HOT static uint64_t work(uint64_t seed, unsigned steps)
{
    struct bench bench;
    uint64_t value = seed;
    memset(&bench, 0, sizeof bench);
    for (unsigned i = 0; i < CELLS; i++)
        bench.cells[i] = seed * (2 * i + 1);
    for (unsigned i = 0; i < steps; i++) {
        value = go_on(&bench, (value + i) * 6364136223846793005u >> 5);
        value = choose(&bench, value);
    }
    return value;
}

#endif
