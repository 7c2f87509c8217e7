// SPDX-License-Identifier: Apache-2.0
#ifndef SHAPES_HPP
#define SHAPES_HPP
#define NOINLINE __attribute__((noinline))

struct Shape {
    virtual ~Shape() {}
    virtual int area() const = 0;
    virtual int sides() const { return 0; }
};

struct TooBig {
    int value;
};

template <class T> NOINLINE T bound(T v, T lo, T hi)
{
    if (v < lo)
        return lo;
    return v > hi ? hi : v;
}

template <class F> NOINLINE int repeat(int n, F f)
{
    int r = 0;
    for (int i = 0; i < n; i++)
        r += f(i);
    return r;
}

int other_file(const Shape &s, int n);
#endif
