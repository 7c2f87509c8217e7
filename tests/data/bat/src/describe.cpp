#include "shapes.h"

#include <algorithm>
#include <cstdio>

static bool check(const Shape *shape)
{
    if (!shape) {
        fprintf(stderr, "no shape\n");
        return false;
    }
    return shape->area() != 0;
}

static __attribute__((noinline)) int64_t settle(int64_t value)
{
    while (value > 5000)
        value = value / 3 + (value & 1);
    return value;
}

__attribute__((noinline)) int64_t heighten(int64_t value)
{
    return value % 5 == 2 ? value * 3 + 1 : value + 7;
}

static std::map<std::string, int64_t> &totals()
{
    static std::map<std::string, int64_t> all;
    return all;
}

std::string describe(const std::vector<Shape *> &shapes)
{
    std::vector<const Shape *> sorted;
    for (const Shape *shape : shapes)
        if (check(shape))
            sorted.push_back(shape);
    std::sort(sorted.begin(), sorted.end(), [](const Shape *a, const Shape *b) {
        return a->area() != b->area() ? a->area() < b->area() : a->name() < b->name();
    });
    std::string text;
    for (const Shape *shape : sorted) {
        totals()[shape->name()] += settle(shape->area());
        if (text.size() < 60)
            text += shape->name()[0];
    }
    for (const auto &[name, total] : totals())
        text += " " + name + "=" + std::to_string(total);
    return text;
}
