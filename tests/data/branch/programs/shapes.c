/*
 * Code of all the shapes that finding basic blocks has to get right: switches with dense tables and
 * tables that several cases share, computed gotos, tail calls, recursion, cold parts, lock
 * prefixes, inline assembly with labels of its own, functions without a size, aliases, ifuncs, weak
 * and hidden functions. It prints a number that depends on nothing but the argument.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

extern unsigned left_step(unsigned x), right_step(unsigned x), throwing(unsigned x);

static unsigned volatile sink;
static unsigned long counter;

APART unsigned dense(unsigned x)
{
    switch (x % 13) {
    case 0: return x + 3;
    case 1: return x * 5;
    case 2: return x ^ 77;
    case 3: return x - 11;
    case 4: return x / 3;
    case 5: return ~x;
    case 6: return x << 3;
    case 7: return left_step(x);
    case 8: return x | 0x10101;
    case 9: sink += x; return sink;
    default: return x;
    }
}

/* Falls from case to case. */
APART unsigned falling(unsigned x)
{
    unsigned y = x >> 3;
    switch (x & 7) {
    case 7: y ^= 7; __attribute__((fallthrough));
    case 6: y *= 3; __attribute__((fallthrough));
    case 5: y += sink; __attribute__((fallthrough));
    case 4: y = y << 5 | y >> 27; __attribute__((fallthrough));
    case 3: y -= x; __attribute__((fallthrough));
    case 2: y ^= y >> 7; __attribute__((fallthrough));
    case 1: y *= 0x9e3779b1; __attribute__((fallthrough));
    default: y ^= 1;
    }
    return y;
}

/* All values of the switch are handled: the table has no default. */
APART unsigned closed(unsigned x)
{
    switch (x & 7) {
    case 0: sink = x; break;
    case 1: sink += 2; break;
    case 2: sink ^= x; break;
    case 3: sink -= x; break;
    case 4: sink *= 3; break;
    case 5: sink = ~sink; break;
    case 6: sink >>= 1; break;
    case 7: sink |= 1; break;
    default: __builtin_unreachable();
    }
    return sink;
}

/* Two switches over the same value, nested loops. */
APART unsigned nested(unsigned x)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 6; i++) {
        switch ((x >> i) % 9) {
        case 0: sum += dense(x); break;
        case 1: sum ^= i; continue;
        case 2: for (unsigned k = 0; k < i; k++) sum += k * x; break;
        case 3: sum -= 3; break;
        case 4: goto out;
        case 5: sum *= 7; break;
        case 6: if (sum & 1) continue; sum++; break;
        case 7: sum = falling(sum); break;
        }
        switch ((sum ^ x) % 7) {
        case 0: x += 3; break;
        case 1: x *= 3; break;
        case 2: x ^= 3; break;
        case 3: x >>= 1; break;
        case 4: x |= 4; break;
        case 5: x = ~x; break;
        }
    }
out:
    return sum;
}

APART unsigned interpret(const unsigned char *code, unsigned x)
{
    static const void *const steps[] = {&&stop, &&add, &&sub, &&twist, &&jump, &&call};
    goto *steps[*code++];
add:
    x += 17;
    goto *steps[*code++];
sub:
    x -= 5;
    goto *steps[*code++];
twist:
    x ^= x << 7;
    goto *steps[*code++];
jump:
    if (x & 1)
        code++;
    goto *steps[*code++];
call:
    x = dense(x);
    goto *steps[*code++];
stop:
    return x;
}

APART unsigned odd(unsigned x);
APART unsigned even(unsigned x)
{
    return x == 0 ? 1 : odd(x - 1);
}
APART unsigned odd(unsigned x)
{
    return x == 0 ? 0 : even(x - 1);
}

/* A tail call on a condition. */
APART unsigned perhaps(unsigned x)
{
    sink++;
    if (x & 4)
        return dense(x);
    return x;
}

APART unsigned fibonacci(unsigned x)
{
    return x < 2 ? x : fibonacci(x - 1) + fibonacci(x - 2);
}

__attribute__((cold, noinline)) void complain(const char *what)
{
    fprintf(stderr, "%s\n", what);
}

/* GCC puts the way to complain() into another function, checked.cold. */
APART unsigned checked(unsigned x)
{
    if (__builtin_expect(x == 0xdeadbeef, 0)) {
        complain("this");
        complain("cannot be");
        x = dense(x);
    }
    return x * 3;
}

APART unsigned locked(unsigned x)
{
    unsigned long old = __atomic_fetch_add(&counter, x, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(&counter, &old, old ^ x, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
        x++;
    return (unsigned)old;
}

/* As libraries do that skip the lock when there is one thread. */
APART unsigned over_lock(unsigned x)
{
    __asm__ volatile("test $1, %0\n\tje 1f\n\tlock\n1:\tincq %1" : : "r"(x), "m"(counter) : "cc", "memory");
    return x + (unsigned)counter;
}

APART unsigned labelled(unsigned x)
{
    __asm__ volatile("testl $3, %0\n\tjne 2f\n1:\taddl $5, %0\n\ttestl $4, %0\n\tjne 1b\n2:\tincl %0\n\t"
                     "xorl %%ecx, %%ecx\n\trepz cmpsb\n\tnopl 0(%%rax)"
                     : "+r"(x)
                     :
                     : "cc", "rsi", "rdi", "rcx");
    return x;
}

APART unsigned counted(unsigned x)
{
    unsigned long count = x % 5 + 1;
    __asm__ volatile("1:\taddl $3, %0\n\tloop 1b" : "+r"(x), "+c"(count) : : "cc");
    return x;
}

/* No type, or no size, or both; one with a label that is a symbol. */
__asm__(".text\n.globl sizeless\n.type sizeless, @function\nsizeless:\n\tlea 3(%rdi), %eax\n"
        "\ttest $1, %dil\n\tje 1f\n\tshl %eax\n1:\tret\n\tnop\n\tnop\n"
        ".globl typeless\ntypeless:\n\tmov %edi, %eax\n\ttest $2, %dil\n\tje typeless_end\n\tneg %eax\n"
        "typeless_end:\n\tret\n"
        ".globl entered\n.type entered, @function\nentered:\n\tadd $4, %edi\n"
        ".globl entered_later\n.type entered_later, @function\nentered_later:\n\tlea 7(%rdi), %eax\n"
        "\ttest $8, %dil\n\tjne 3f\n\tret\n3:\tdec %eax\n\tret\n.size entered, .-entered\n"
        ".size entered_later, .-entered_later\n");
extern unsigned sizeless(unsigned), typeless(unsigned), entered(unsigned), entered_later(unsigned);

APART unsigned plain(unsigned x)
{
    return x % 3 ? x + 1 : x * 2;
}
extern unsigned other_name(unsigned x) __attribute__((alias("plain")));
static unsigned third_name(unsigned x) __attribute__((alias("plain")));

__attribute__((weak, noinline)) unsigned weakly(unsigned x)
{
    return x & 1 ? x + 9 : x ^ 9;
}
__attribute__((visibility("hidden"), noinline)) unsigned hidden(unsigned x)
{
    return x > 1000 ? x >> 2 : x * 3;
}

static unsigned chosen_one(unsigned x)
{
    return x & 2 ? x + 1 : x;
}
static unsigned chosen_two(unsigned x)
{
    return x & 2 ? x + 2 : x;
}
static void *choose_variant(void)
{
    __builtin_cpu_init();
    return (void *)(__builtin_cpu_supports("sse2") ? chosen_two : chosen_one);
}
unsigned variant(unsigned x) __attribute__((ifunc("choose_variant")));

static int compare(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}

APART unsigned library(unsigned x)
{
    unsigned values[40];
    char text[64];
    for (unsigned i = 0; i < 40; i++)
        values[i] = x = x * 1103515245 + 12345;
    qsort(values, 40, sizeof *values, compare);
    snprintf(text, sizeof text, "%u %u", values[0], values[20]);
    char *copy = strdup(text);
    x = (unsigned)strlen(copy) + values[7];
    free(copy);
    return x;
}

static jmp_buf back;
APART unsigned jumps_far(unsigned x)
{
    if (setjmp(back))
        return x;
    if (x & 1)
        longjmp(back, 1);
    return x + 1;
}

typedef unsigned step(unsigned);
static step *const steps[] = {
    dense,    falling,   closed,  nested,   perhaps,  checked,  locked,        over_lock, labelled,
    counted,  sizeless,  typeless, entered, entered_later, plain, other_name,  third_name, weakly,
    hidden,   variant,   library, jumps_far, left_step, right_step, throwing,
};

int main(int argc, char **argv)
{
    static const unsigned char code[] = {1, 2, 3, 4, 1, 5, 3, 1, 4, 2, 5, 1, 3, 0, 0};
    unsigned x = 1, rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
    for (unsigned i = 0; i < rounds; i++) {
        for (unsigned k = 0; k < sizeof steps / sizeof *steps; k++)
            x ^= steps[(k * 7 + i) % (sizeof steps / sizeof *steps)](x + k);
        x += interpret(code, x) + even(x % 20) + fibonacci(5 + x % 3) + labelled(x) + checked(x);
        if (variant(x) == 3)
            complain("three");
    }
    printf("%u\n", x & 1 ? 1u : 0u);
    return 0;
}
