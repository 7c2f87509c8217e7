/*
 * What the hosts of bench/fleet/campaign run: the first argument says, bit by bit, which of eight functions are called, and the
 * second how often. So whoever has kept the arguments of all runs knows the counts of all functions.
 */
#include <stdlib.h>

#define STEP(n)                                                                                    \
    __attribute__((noinline)) static unsigned step##n(unsigned value)                              \
    {                                                                                              \
        __asm__ volatile("" : "+r"(value));                                                        \
        return value * (2 * n + BUILD) + 1;                                                        \
    }                                                                                              \
    static unsigned step##n(unsigned value)

STEP(0);
STEP(1);
STEP(2);
STEP(3);
STEP(4);
STEP(5);
STEP(6);
STEP(7);

static unsigned (*const steps[])(unsigned) = {step0, step1, step2, step3,
                                              step4, step5, step6, step7};

int main(int count, char **words)
{
    unsigned long which = count > 1 ? strtoul(words[1], NULL, 10) : 0;
    unsigned long times = count > 2 ? strtoul(words[2], NULL, 10) : 1;
    unsigned value = 1;
    for (unsigned i = 0; i < 8; i++)
        for (unsigned long turn = 0; which >> i & 1 && turn < times; turn++)
            value = steps[i](value);
    return value == 0;
}
