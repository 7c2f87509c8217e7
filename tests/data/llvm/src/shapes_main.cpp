// SPDX-License-Identifier: Apache-2.0
//
// Virtual calls, lambdas, templates (one of them instantiated in both files),
// static functions of one name in both files, exceptions.
//
// Arguments: COUNT [LIMIT]
#include "shapes.hpp"

#include <cstdlib>

namespace {
struct Square : Shape {
    int a;
    explicit Square(int n) : a(n) {}
    int area() const override { return a * a; }
    int sides() const override { return 4; }
};

struct Rect : Square {
    int b;
    Rect(int n, int m) : Square(n), b(m) {}
    int area() const override { return a * b; }
};
} // namespace

struct Dot : Shape {
    int area() const override { return 0; }
};

static volatile int sink;

static NOINLINE int pick(int n) { return n % 5; }

static NOINLINE int measure(const Shape &s) { return s.area() + s.sides(); }

static NOINLINE int checked(int v, int limit)
{
    if (v > limit)
        throw TooBig{v};
    return v + 1;
}

static NOINLINE int guarded(int v, int limit)
{
    try {
        return checked(v, limit);
    } catch (const TooBig &e) {
        return -e.value;
    }
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1;
    int limit = argc > 2 ? atoi(argv[2]) : 6;
    Square s(3);
    Rect r(2, 5);
    Dot d;
    const Shape *all[] = {&s, &r, &d, &s, &s};

    for (int i = 0; i < count; i++)
        sink = sink + measure(*all[pick(i)]) + guarded(i, limit);
    sink = sink + repeat(count, [](int i) { return i & 1 ? i : -i; });
    sink = sink + repeat(3, [&](int i) { return bound<int>(i + count, 2, 9); });
    sink = sink + (int)bound<long>(count, 1, 4) + other_file(r, count);
    return 0;
}
