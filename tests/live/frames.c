/*
 * frames BOARD
 *
 * A program with a table of its own about what its calls return to, as the runtimes of languages with a
 * garbage collector have one: whatever return address the collector meets has to be in it.
 *
 *     section frames     for each call of the collector: return address 8, number 8
 */
#include <stdlib.h>

#include "target.h"
#include "work.h"

enum { STEPS = 20 };

struct frame {
    const void *returns_to;
    uint64_t number;
};

/* The linker's names for both ends of the section */
extern const struct frame __start_frames[], __stop_frames[];

/* The number of the call that it came by. */
__attribute__((used, noinline)) uint64_t collect(void)
{
    const void *returns_to = __builtin_return_address(0);
    for (const struct frame *frame = __start_frames; frame < __stop_frames; frame++)
        if (frame->returns_to == returns_to)
            return frame->number;
    disturbed("no frame returns to %p", returns_to);
}

/* Only in functions with other calls: these have no red zone. */
#define COLLECT(number, found)                                                                     \
    __asm__ volatile("call collect\n"                                                              \
                     "1: .pushsection frames, \"aw\", @progbits\n"                                 \
                     ".quad 1b, %c1\n"                                                             \
                     ".popsection"                                                                 \
                     : "=a"(found)                                                                 \
                     : "i"(number)                                                                 \
                     : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1",       \
                       "xmm2", "xmm3", "memory", "cc")

HOT static uint64_t even(uint64_t value)
{
    uint64_t number;
    value = work(value % 8, STEPS);
    COLLECT(0, number);
    return value + number;
}

HOT static uint64_t odd(uint64_t value)
{
    uint64_t number;
    value ^= work(value % 16, STEPS);
    if (value % 3)
        COLLECT(1, number);
    else
        COLLECT(3, number);
    return value + number;
}

/* One that has a jump table, too, with places behind calls in it */
HOT static uint64_t any(uint64_t value)
{
    uint64_t number = 0;
    switch (value % 7) {
    case 0:
        return odd(value) + 1;
    case 1:
        value = even(value);
        /* fall through */
    case 2:
        value += work(value % 4, STEPS);
        /* fall through */
    case 3:
        COLLECT(2, number);
        return value - number;
    case 4:
        return even(value) ^ odd(value);
    case 5:
        return value >> 2;
    default:
        return odd(value / 3) - value;
    }
}

static void run(struct worker *worker)
{
    enum { VALUES = 64 };
    uint64_t kept[VALUES];
    for (unsigned i = 0; i < VALUES; i++)
        kept[i] = any(i);
    for (; !is_ending(); beat(worker)) {
        for (unsigned i = 0; i < 1000; i++) {
            uint64_t value = chance(&worker->random) % VALUES;
            if (any(value) != kept[value])
                disturbed("a wrong result");
        }
        rest(300);
    }
}

int main(int argc, char **argv)
{
    static struct worker workers[] = {{.name = "frames 1", .run = run},
                                      {.name = "frames 2", .run = run}};
    if (argc != 2)
        return 2;
    run_workers(argv[1], workers, 2);
    return CALM;
}
