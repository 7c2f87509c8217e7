#include "shapes.h"

static int depth;

static void check(size_t at, size_t size, char expected, char found)
{
    if (at >= size)
        throw Error("the expression ends early", 3);
    if (expected != found)
        throw Error(std::string("expected ") + expected + ", found " + found, 4);
}

static __attribute__((noinline)) int64_t settle(int64_t value)
{
    int64_t low = value % 1000;
    return low < 0 ? low * 7 + 1 : low;
}

static int64_t parse_sum(const std::string &text, size_t &at);

static int64_t parse_atom(const std::string &text, size_t &at)
{
    if (at >= text.size())
        throw Error("the expression ends early", 3);
    if (text[at] == '(') {
        depth++;
        if (depth > 50)
            throw Error("too deep", 5);
        int64_t value = parse_sum(text, ++at);
        check(at, text.size(), ')', text[at]);
        at++;
        depth--;
        return value;
    }
    if (text[at] == '-')
        return -parse_atom(text, ++at);
    if (text[at] < '0' || text[at] > '9')
        throw Error(std::string("no number: ") + text[at], 6);
    int64_t value = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9')
        value = value * 10 + (text[at++] - '0');
    return value;
}

static int64_t parse_product(const std::string &text, size_t &at)
{
    int64_t value = parse_atom(text, at);
    while (at < text.size() && (text[at] == '*' || text[at] == '/' || text[at] == '%')) {
        char operation = text[at++];
        int64_t right = settle(parse_atom(text, at));
        if (operation != '*' && right == 0)
            throw Error("division by zero", 7);
        value = operation == '*' ? value * right : operation == '/' ? value / right : value % right;
    }
    return value;
}

static int64_t parse_sum(const std::string &text, size_t &at)
{
    int64_t value = parse_product(text, at);
    while (at < text.size() && (text[at] == '+' || text[at] == '-'))
        value = text[at++] == '+' ? value + parse_product(text, at) : value - parse_product(text, at);
    return value;
}

int64_t evaluate(const std::string &expression)
{
    size_t at = 0;
    depth = 0;
    int64_t value = parse_sum(expression, at);
    if (at != expression.size())
        throw Error("more than an expression", 8);
    return value;
}
