/*
 * Prints peer_sort.h, where libstdc++'s std::sort puts equal elements, or peer_random.h, what
 * std::mt19937 and std::uniform_int_distribution draw. LLVM's tools use these, so anneal has to
 * agree with them.
 *
 *     g++ peer.cpp -o peer && ./peer sort >peer_sort.h && ./peer random >peer_random.h
 *
 * tests/golden/test_peer.sh checks that the headers are what this program prints.
 */
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

struct Pair {
    uint64_t value;
    uint64_t count;
};

static uint64_t step(uint64_t &state)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

/* The same arrays are made in test_sort.c. */
static std::vector<Pair> make(int shape, size_t size, uint64_t distinct, uint64_t seed)
{
    std::vector<Pair> pairs(size);
    for (size_t i = 0; i < size; i++) {
        uint64_t value = step(seed) % distinct;
        if (shape == 1) /* ascending */
            value = i * distinct / size;
        else if (shape == 2) /* descending */
            value = (size - 1 - i) * distinct / size;
        else if (shape == 3) /* up and down */
            value = (i < size / 2 ? i : size - 1 - i) % distinct;
        else if (shape == 4) /* a sawtooth */
            value = i % distinct;
        else if (shape == 5 && i % 8) /* ascending but for every eighth */
            value = i * distinct / size;
        pairs[i] = {value, i};
    }
    return pairs;
}

static uint64_t digest(const std::vector<Pair> &pairs)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a over the original places */
    for (const Pair &pair : pairs)
        hash = (hash ^ pair.count) * 0x100000001b3u;
    return hash;
}

/*
 * An order that defeats the median of three: elements get their values only while std::sort asks
 * for them, always so that it learns least (D. McIlroy, "A Killer Adversary for Quicksort", 1999).
 */
static std::vector<int> hostile(int size)
{
    const int gas = size;
    std::vector<int> value(size, gas), items(size);
    int solid = 0, candidate = 0;
    for (int i = 0; i < size; i++)
        items[i] = i;
    std::sort(items.begin(), items.end(), [&](int x, int y) {
        if (value[x] == gas && value[y] == gas)
            value[x == candidate ? x : y] = solid++;
        if (value[x] == gas)
            candidate = x;
        else if (value[y] == gas)
            candidate = y;
        return value[x] < value[y];
    });
    for (int &v : value)
        if (v == gas)
            v = solid++;
    return value;
}

static void print_sort()
{
    static const size_t sizes[] = {2,  3,  5,   8,   15,  16,  17,  18,  20,   24,   31,  32,
                                   33, 40, 64, 100, 128, 200, 254, 255, 256, 300, 510, 1000, 5000};
    std::printf("/* Made by peer.cpp with libstdc++; not by anneal. */\n"
                "static const struct {\n    int shape;\n    uint32_t size, distinct;\n"
                "    uint64_t digest;\n} sorted_by_peer[] = {\n");
    for (int shape = 0; shape < 6; shape++)
        for (size_t size : sizes)
            for (uint64_t distinct : {uint64_t(1), uint64_t(2), uint64_t(7), uint64_t(size / 2 + 1)}) {
                std::vector<Pair> pairs = make(shape, size, distinct, 1000 * size + distinct);
                std::sort(pairs.begin(), pairs.end(),
                          [](const Pair &a, const Pair &b) { return a.value < b.value; });
                std::printf("    {%d, %zu, %" PRIu64 ", 0x%016" PRIx64 "u},\n", shape, size, distinct,
                            digest(pairs));
            }
    std::printf("};\n\nstatic const uint16_t hostile_order[] = {");
    int column = 0;
    for (int value : hostile(500))
        std::printf("%s%d,", column++ % 16 ? " " : "\n    ", value);
    std::printf("\n};\n");
}

static void print_random()
{
    std::printf("/* Made by peer.cpp with libstdc++; not by anneal. */\n"
                "static const uint32_t engine_of_peer[] = {\n");
    std::mt19937 engine;
    for (int i = 0; i < 8; i++)
        std::printf("    %uu,\n", unsigned(engine()));
    std::printf("};\n\nstatic const struct {\n    uint64_t most, drawn;\n} drawn_by_peer[] = {\n");
    std::mt19937 draws;
    static const uint64_t most[] = {0,
                                    1,
                                    2,
                                    99,
                                    100,
                                    1000003,
                                    0x7fffffff,
                                    0x80000001,
                                    0xfffffffe,
                                    0xffffffff,
                                    0x100000000,
                                    0x123456789a,
                                    0x8000000000000001u,
                                    UINT64_MAX};
    for (int round = 0; round < 20; round++)
        for (uint64_t m : most) {
            std::uniform_int_distribution<uint64_t> distribution(0, m);
            std::printf("    {%" PRIu64 "u, %" PRIu64 "u},\n", m, distribution(draws));
        }
    std::printf("};\n");
}

int main(int argc, char **argv)
{
    if (argc == 2 && std::strcmp(argv[1], "sort") == 0)
        print_sort();
    else if (argc == 2 && std::strcmp(argv[1], "random") == 0)
        print_random();
    else
        return 2;
}
