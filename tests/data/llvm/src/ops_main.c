/* SPDX-License-Identifier: Apache-2.0
 *
 * Indirect calls through a table (and into libc), memory operations of sizes
 * known only at run time, a switch, loops, a function that is never called and
 * a static function whose name also exists in ops_util.c.
 *
 * Arguments: COUNT [MODE]
 */
#include "ops.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef int (*op_fn)(int, int);

static volatile int sink;
static char from[1100], to[1100];

static NOINLINE int helper(int x)
{
    return x > 4 ? x - 4 : x + 1;
}

static int op_add(int a, int b) { return a + b; }
static int op_sub(int a, int b) { return a - b; }
static int op_mul(int a, int b) { return a * b; }
static int op_max(int a, int b)
{
    if (a > b)
        return a;
    return b;
}

static op_fn const table[] = { op_add, op_sub, op_mul, op_max };

static NOINLINE int apply(op_fn f, int a, int b)
{
    return f(a, b);
}

static int local_neg(int x) { return -x; }

/* Called with functions of libc (no profile data) and of this file. */
static NOINLINE int outside(int (*f)(int), int x)
{
    return f(x);
}

static NOINLINE int classify(int x)
{
    switch (x % 7) {
    case 0:
        return 10;
    case 1:
    case 2:
        return 20;
    case 3:
        return x > 10 ? 30 : 31;
    case 5:
        return 50;
    default:
        return -1;
    }
}

static NOINLINE void move_bytes(size_t n)
{
    memcpy(to, from, n);
    memset(from, (int)n & 0x7f, n / 2);
    if (n > 4096)
        memmove(to + 1, to, n);
}

int dead_branch(int n)
{
    int r = 0;
    for (int i = 0; i < n; i++)
        r += classify(i);
    return r;
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = { 0, 1, 2, 3, 8, 8, 9, 15, 16, 17, 64, 128, 129, 512, 600, 1025 };
    int count = argc > 1 ? atoi(argv[1]) : 1;
    int mode = argc > 2 ? atoi(argv[2]) : 0;

    for (int i = 0; i < count; i++) {
        sink += apply(table[(i + i / 3 + mode) % 4 & (i % 5 ? 3 : 1)], i, helper(i));
        sink += classify(i + mode);
        if (i % 3 == 0)
            sink += outside(i & 1 ? abs : i == 6 ? local_neg : ffs, i - 4);
        move_bytes(sizes[(i + mode) % 16]);
    }
    sink += util_run(count / 2);
    if (mode == 99)
        sink += dead_branch(count) + util_never(count);
    return 0;
}
