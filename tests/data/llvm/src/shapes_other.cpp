// SPDX-License-Identifier: Apache-2.0
#include "shapes.hpp"

static NOINLINE int pick(int n)
{
    if (n > 8)
        return n - 8;
    return n + 8;
}

int other_file(const Shape &s, int n)
{
    int r = 0;
    for (int i = 0; i < n; i += 2)
        r += bound<int>(pick(i), 0, s.area());
    return r;
}
