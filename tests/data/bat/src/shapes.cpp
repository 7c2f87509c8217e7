#include "shapes.h"

static int64_t check(int64_t value)
{
    static int64_t calls = 0;
    if (value < 0)
        throw Error("negative length", 1);
    if (value > 1000000)
        throw Error("too long after " + std::to_string(calls) + " calls", 2);
    calls++;
    return value;
}

// Every file has a local function of this name: they have to be told apart.
static __attribute__((noinline)) int64_t settle(int64_t value)
{
    return value > 90 ? check(value) - 90 : check(value);
}

__attribute__((noinline)) int64_t widen(int64_t value)
{
    return value % 5 == 2 ? value * 3 + 1 : value + 7;
}

namespace {
struct Square : Shape {
    explicit Square(int64_t side) : side(settle(side)) {}
    int64_t area() const override { return side * side; }
    const char *name() const override { return "square"; }
    int64_t side;
};

struct Rectangle : Shape {
    Rectangle(int64_t width, int64_t height) : width(settle(width)), height(check(height)) {}
    int64_t area() const override { return width * height; }
    const char *name() const override { return "rectangle"; }
    int64_t width, height;
};

struct Triangle : Rectangle {
    using Rectangle::Rectangle;
    int64_t area() const override { return Rectangle::area() / 2; }
    const char *name() const override { return "triangle"; }
};
} // namespace

Shape *make_shape(unsigned kind, int64_t a, int64_t b)
{
    switch (kind % 6) {
    case 0:
        return new Square(a);
    case 1:
        return new Rectangle(a, b);
    case 2:
        return new Triangle(a, b);
    case 3:
        return new Square(a + b);
    case 4:
        return new Rectangle(a * 2, b / 2);
    default:
        return new Triangle(b, a);
    }
}
