/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions of several terms.
 *
 * Arguments: numbers whose low bits are the truth values
 */
#include <stdlib.h>

static volatile int sink;

static int three(int a, int b, int c)
{
    if (a && (b || c))
        return 1;
    return 0;
}

static int four(int a, int b, int c, int d)
{
    return (a && b) || (c && d) ? 2 : 3;
}

static int nested(int a, int b, int c, int d, int e)
{
    int r = 0;
    if (a || b) {
        while (r < 3 && (c || !d))
            r++;
        if ((b && e) || (c && !d && !a))
            r += 10;
    }
    return r;
}

static int no_decision(int a)
{
    return a + 1;
}

static int never(int a, int b)
{
    if (a && b)
        return 1;
    return 2;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int v = atoi(argv[i]);
        int a = v & 1, b = v >> 1 & 1, c = v >> 2 & 1, d = v >> 3 & 1, e = v >> 4 & 1;
        sink += three(a, b, c);
        sink += four(a, b, c, d);
        sink += nested(a, b, c, d, e);
        sink += no_decision(v);
        if (v == 99)
            sink += never(a, b);
    }
    return 0;
}
