// Calls through pointers and virtual functions, memory operations of many sizes, exceptions.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

static int add(int x) { return x + 1; }
static int twice(int x) { return x * 2; }
static int less(int x) { return x - 3; }
int (*volatile functions[])(int) = {add, twice, less, abs};

struct Shape {
    virtual int area(int) = 0;
    virtual ~Shape() {}
};
struct Square : Shape {
    int area(int x) override { return x * x; }
};
struct Line : Shape {
    int area(int) override { return 0; }
};

template <typename T> T largest(T a, T b)
{
    return a > b ? a : b;
}

int main(int count, char **)
{
    int sum = 0;
    char from[1024] = "", to[1024];
    for (int i = 0; i < 1000; i++) {
        volatile size_t size = i % 700;
        sum += functions[i % 4](i);
        memcpy(to, from, size);
        Shape *shape = i % 3 ? (Shape *)new Square : new Line;
        sum = largest(sum, shape->area(i));
        delete shape;
        try {
            if (i % 10 == 0)
                throw std::runtime_error("tenth");
        } catch (const std::exception &) {
            sum -= count;
        }
    }
    printf("%d %d\n", sum, to[0]);
    return 3;
}
