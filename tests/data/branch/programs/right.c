/* Has static functions of the names that left.c has too. */
static unsigned mixed;

__attribute__((noinline)) static unsigned helper(unsigned x)
{
    mixed ^= x;
    switch (x % 6) {
    case 0: return x + 1;
    case 1: return x * 2;
    case 2: return x - 9;
    case 3: return ~x;
    case 4: return mixed;
    default: return 7;
    }
}

__attribute__((noinline)) static unsigned twice(unsigned x)
{
    return helper(helper(x));
}

unsigned right_step(unsigned x)
{
    return x % 5 ? twice(x) : helper(x);
}
