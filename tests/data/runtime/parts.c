/*
 * Counters, targets of calls and sizes of memory operations of one object, for main.c of any compiler. Nothing in it
 * depends on a C library's headers.
 */
void *memcpy(void *, const void *, unsigned long);

__attribute__((noinline)) static int add(int x)
{
    return x + 1;
}
__attribute__((noinline)) static int twice(int x)
{
    return 2 * x;
}
static int (*volatile functions[])(int) = {add, twice, add};

__attribute__((noinline)) int part(int times)
{
    char from[64] = {0}, to[64];
    int sum = 0;
    for (int i = 0; i < times; i++) {
        sum += functions[i % 3](i);
        memcpy(to, from, (unsigned)(sum & 31));
        if (i > 3 && (to[i & 15] || sum & 1))
            sum++;
    }
    return sum;
}
