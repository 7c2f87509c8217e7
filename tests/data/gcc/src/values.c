/* Counters of all kinds: branches, divisions, sizes, indirect calls, alignments; more values than lists hold. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int triple(int x)
{
    if (x & 1)
        return x * 3;
    return x + 1;
}

static int rest(int x)
{
    return x % 7;
}

static int twice(int x)
{
    return x + x;
}

int (*operations[])(int) = {triple, rest, twice};

int never(int x)
{
    return x ? x * 2 : 1;
}

int work(int n)
{
    char bytes[256];
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += operations[i * i % 3](i);
        sum += n / (1 + i % n);
        memset(bytes, i, (size_t)(i % 5) * 8);
        sum += bytes[0];
        sum %= 1 << (i % 4);
    }
    return sum;
}

int pick(int a, int b)
{
    return (a > 2 && b > 3) || a + b == 100 ? work(a + b) : never(0);
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    printf("%d\n", argc > 2 ? pick(n, 50) : work(n));
    return 0;
}
