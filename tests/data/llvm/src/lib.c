/* SPDX-License-Identifier: Apache-2.0
 *
 * The shared library of lib_user.c.
 */
static int local(int x)
{
    return x & 1 ? 3 * x + 1 : x / 2;
}

int lib_steps(int x)
{
    int n = 0;
    while (x > 1 && n < 50) {
        x = local(x);
        n++;
    }
    return n;
}

int lib_each(int n, int (*f)(int))
{
    int r = 0;
    for (int i = 0; i < n; i++)
        r += f(i);
    return r;
}
