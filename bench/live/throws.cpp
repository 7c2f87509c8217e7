// SPDX-License-Identifier: Apache-2.0
/*
 * throws THREADS: what bench/live/exceptions measures. Threads throw and catch, through some frames that have to be
 * left in order, as fast as they can. Each line of its standard input is answered by one with the number of throws
 * so far, and the seconds of processor time that the process has taken.
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <thread>
#include <vector>

namespace
{

struct alignas(64) tally { // a line of the cache for each thread
    std::atomic<unsigned long> thrown{0};
    unsigned long left = 0;
};

struct counted {
    explicit counted(tally &all) : all(all)
    {
    }
    ~counted()
    {
        all.left++;
    }
    tally &all;
};

__attribute__((noinline)) unsigned long descend(unsigned level, unsigned long value, tally &all)
{
    counted one(all);
    if (level == 0) {
        all.thrown.fetch_add(1, std::memory_order_relaxed);
        if (value % 3)
            throw std::out_of_range("odd");
        throw value;
    }
    return descend(level - 1, value * 7 + level, all) + 1;
}

__attribute__((noinline)) unsigned long attempt(unsigned long value, tally &all)
{
    try {
        return descend(6, value, all);
    } catch (const std::exception &) {
        return value + 1;
    } catch (unsigned long number) {
        return number / 2 + 1;
    }
}

void throw_on(tally *all)
{
    for (unsigned long value = 1;;)
        value = attempt(value, *all);
}

} // namespace

int main(int argc, char **argv)
{
    unsigned count = argc == 2 ? static_cast<unsigned>(atoi(argv[1])) : 0;
    if (count < 1 || count > 64)
        return 2;
    std::vector<tally> all(count);
    for (tally &one : all)
        std::thread(throw_on, &one).detach();
    for (int c; (c = getchar()) != EOF;) {
        if (c != '\n')
            continue;
        unsigned long thrown = 0;
        for (tally &one : all)
            thrown += one.thrown.load(std::memory_order_relaxed);
        printf("%lu %.6f\n", thrown, static_cast<double>(clock()) / CLOCKS_PER_SEC);
        fflush(stdout);
    }
    quick_exit(0);
}
