/* SPDX-License-Identifier: Apache-2.0 */
#include "ops.h"

#include <stdlib.h>

/* The same name as the static function of ops_main.c, another body. */
static NOINLINE int helper(int x)
{
    int r = 0;
    while (x > 0) {
        r += x & 1;
        x >>= 1;
    }
    return r;
}

static int order(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

int util_run(int n)
{
    int v[8];
    for (int i = 0; i < 8; i++)
        v[i] = helper(n * 5 + i * 3);
    if (n > 2)
        qsort(v, 8, sizeof v[0], order);
    return v[0] + v[7];
}

int util_never(int n)
{
    return n ? helper(n) : 0;
}
