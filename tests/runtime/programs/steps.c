/* Ten functions; fN is called N + 1 times a run, so that all counters are multiples of the number of runs. */
#ifndef TIMES
#define TIMES(n) ((n) + 1)
#endif
#define FUNCTION(n)                                                                                \
    __attribute__((noinline)) void f##n(void)                                                      \
    {                                                                                              \
        __asm__ volatile("");                                                                      \
    }
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)
FUNCTION(7)
FUNCTION(8)
FUNCTION(9)

void (*volatile functions[])(void) = {f0, f1, f2, f3, f4, f5, f6, f7, f8, f9};

int main(void)
{
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < TIMES(i); k++)
            functions[i]();
    return 0;
}
