/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with an instrumented shared library.
 *
 * Arguments: COUNT
 */
#include <stdlib.h>

int lib_steps(int x);
int lib_each(int n, int (*f)(int));

static volatile int sink;

/* Also the name of a static function of lib.c. */
static int local(int x)
{
    return x > 5 ? x : 5;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3;
    sink = lib_each(n, local);
    sink += lib_each(n / 2, lib_steps);
    return 0;
}
