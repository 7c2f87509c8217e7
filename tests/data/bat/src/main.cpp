#include "shapes.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

static uint64_t state = 1;

static unsigned check(unsigned most)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % most;
}

static __attribute__((noinline)) int64_t settle(int64_t value)
{
    return value ^ (value >> 7);
}

static std::string expression(int depth)
{
    static const char operations[] = "+-*/%";
    if (depth == 0)
        return std::to_string(check(50));
    return "(" + expression(depth - 1) + operations[check(5)] + expression(depth - 1) + ")";
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 200;
    int64_t sum = 0;
    int failures[16] = {};
    for (int i = 0; i < rounds; i++) {
        std::vector<std::unique_ptr<Shape>> owned;
        std::vector<Shape *> shapes;
        for (unsigned k = 0; k < 20; k++) {
            try {
                owned.emplace_back(make_shape(k, (int64_t)check(100) - 2, check(100)));
                shapes.push_back(owned.back().get());
            } catch (const Error &error) {
                failures[error.code]++;
            }
        }
        sum += (int64_t)describe(shapes).size();
        try {
            sum += settle(evaluate(i % 10 ? expression(4) : expression(2) + ")"));
        } catch (const Error &error) {
            failures[error.code]++;
        }
        sum += Tree<int64_t, 12>::fold(sum & 0xffff, i);
        sum += widen(i) - heighten(sum & 63);
        sum += Tree<uint32_t, 9>::fold((uint32_t)sum, 7);
    }
    printf("%lld", (long long)sum);
    for (int failure : failures)
        printf(" %d", failure);
    printf("\n");
    return 0;
}
