// Counts, says so, and waits for ever.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int one(int x)
{
    return x + 1;
}
static int two(int x)
{
    return x * 2;
}

__attribute__((noinline)) int work(int (*function)(int), int x)
{
    char bytes[64];
    memset(bytes, x, x & 31);
    return function(x) + bytes[0];
}

int main()
{
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += work(i % 4 ? one : two, i);
    printf("%d\n", sum);
    fflush(stdout);
    for (;;)
        pause();
}
