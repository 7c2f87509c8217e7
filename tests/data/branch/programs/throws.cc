// Exceptions, virtual functions, templates, and statics that are made on first use.
#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Shape {
    virtual ~Shape() = default;
    virtual unsigned area(unsigned x) const = 0;
};

struct Square : Shape {
    unsigned area(unsigned x) const override { return x * x; }
};

struct Odd : Shape {
    std::string name;
    explicit Odd(std::string n) : name(std::move(n)) {}
    unsigned area(unsigned x) const override
    {
        if (x % 11 == 3)
            throw std::runtime_error(name);
        return x + static_cast<unsigned>(name.size());
    }
};

struct Noted {
    unsigned &count;
    ~Noted() { count++; }
};

__attribute__((noinline)) unsigned guarded(const Shape &shape, unsigned x)
{
    unsigned count = 0;
    try {
        Noted one{count};
        std::string text(x % 40, 'x');
        Noted two{count};
        x = shape.area(x) + static_cast<unsigned>(text.size());
    } catch (const std::logic_error &) {
        return 1;
    } catch (const std::exception &e) {
        return static_cast<unsigned>(std::string(e.what()).size()) + count;
    } catch (...) {
        throw;
    }
    return x + count;
}

template <typename T> __attribute__((noinline)) T middle(std::vector<T> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? T() : values[values.size() / 2];
}

const std::map<std::string, unsigned> &table()
{
    static const std::map<std::string, unsigned> map = {{"one", 1}, {"two", 2}, {"three", 3}};
    return map;
}

} // namespace

extern "C" unsigned throwing(unsigned x)
{
    std::unique_ptr<Shape> shape;
    if (x & 1)
        shape = std::make_unique<Square>();
    else
        shape = std::make_unique<Odd>("an odd one");
    unsigned sum = guarded(*shape, x);
    std::vector<unsigned> values;
    for (unsigned i = 0; i < x % 30; i++)
        values.push_back(sum = sum * 1103515245 + 12345);
    auto found = table().find(x % 3 ? "two" : "four");
    return middle(std::move(values)) + (found == table().end() ? 0 : found->second);
}
