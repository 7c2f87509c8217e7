// Control flow of all kinds: loops, conditions, switches, exceptions, templates, lambdas, destructors.
#include <cstdio>
#include <cstdlib>

#include "shared.h"

namespace {

struct noted {
    explicit noted(int at) : at(at) {}
    ~noted() { total += at; }
    int at;
    static int total;
};
int noted::total;

int fail(int n)
{
    noted here(n);
    if (n % 5 == 0)
        throw n;
    return n / 5;
}

template <typename T> T largest(T a, T b)
{
    return a > b ? a : b;
}

} // namespace

int choose(int n)
{
    switch (n % 4) {
    case 0:
        return 1;
    case 1:
        n += 3; // the next line is line 38 in another file
#include "part.inc"
        break;
    default:
        n = n > 2 && n < 9 ? largest(n, 5) : 0;
    }
    return n;
}

int main(int count, char **words)
{
    int most = count > 1 ? std::atoi(words[1]) : 3;
    auto add = [&](int n) { return n + limit(n, most); };
    for (int i = 0; i < most || (i < 4 && most == 2); i++)
        try {
            most += fail(add(i)) > 100;
        } catch (int n) {
            std::printf("%d ", choose(n));
        }
    if (most > 1000)
        std::exit(1);
    return noted::total == 0;
}
