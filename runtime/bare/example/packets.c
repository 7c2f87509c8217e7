/* The work of the example: packets of three kinds. */
#include "packets.h"

struct totals totals;

static __attribute__((noinline)) void take_control(unsigned number)
{
    totals.control += number;
}

static __attribute__((noinline)) void take_odd(unsigned number)
{
    totals.odd += number % 7;
}

static __attribute__((noinline)) void take_even(unsigned number)
{
    __builtin_memcpy(totals.copy, totals.packet, number % 8);
}

static void (*const takers[])(unsigned) = {take_control, take_odd, take_even};

void take_packet(unsigned number)
{
    unsigned kind = 2;
    if (number % 10 == 0)
        kind = 0;
    else if (number % 2)
        kind = 1;
    takers[kind](number);
}
