/* Has static functions of the names that right.c has too. */
static unsigned mixed;

__attribute__((noinline)) static unsigned helper(unsigned x)
{
    mixed += x;
    return x & 1 ? x * 3 : x / 2;
}

__attribute__((noinline)) static unsigned twice(unsigned x)
{
    return helper(x) + helper(x + 1);
}

unsigned left_step(unsigned x)
{
    for (unsigned i = 0; i < x % 7; i++)
        x = twice(x);
    return x ^ mixed;
}
