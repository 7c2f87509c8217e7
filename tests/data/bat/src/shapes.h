// A program for BOLT: functions of all kinds, in several files.
#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Shape {
    virtual ~Shape() {}
    virtual int64_t area() const = 0;
    virtual const char *name() const = 0;
};

struct Error : std::runtime_error {
    Error(const std::string &what, int code) : std::runtime_error(what), code(code) {}
    int code;
};

Shape *make_shape(unsigned kind, int64_t a, int64_t b);
int64_t evaluate(const std::string &expression);
// These two are the same, in two files.
int64_t widen(int64_t value);
int64_t heighten(int64_t value);
std::string describe(const std::vector<Shape *> &shapes);

template <typename T, int Depth> struct Tree {
    static T fold(T value, T step)
    {
        if (value % 3 == 0)
            return Tree<T, Depth - 1>::fold(value / 3 + step, step);
        if (value % 5 == 1)
            return Tree<T, Depth - 1>::fold(value * 2, step ^ value);
        return Tree<T, Depth - 1>::fold(value + 1, step);
    }
};

template <typename T> struct Tree<T, 0> {
    static T fold(T value, T step) { return value ^ step; }
};
