/*
 * pointers BOARD
 *
 * To a program, the address of a function is its name: pointers to one function are equal, whenever
 * and wherever they were taken, and calling any of them calls the function. New code must not be
 * seen in that. Threads take pointers in all ways that compilers know (by instructions, from tables,
 * through virtual functions, of members, wrapped up in std::function, of the kernel), keep them in
 * the heap for long and for short, compare them with all that were ever taken, use them as keys, and
 * call through them, also at the ends of functions.
 */
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <typeinfo>
#include <utility>
#include <vector>

#include "target.h"

#define HOT [[gnu::noinline]]

#ifndef REST /* microseconds, between rounds of about as many */
#define REST 300
#endif

using operation = uint64_t (*)(uint64_t);

constexpr unsigned operations = 16, values = 32, most_kept = 4096;
using numbers = std::make_integer_sequence<unsigned, operations>;

/* ---- functions that pointers are taken to ---- */

template <unsigned Number> HOT uint64_t operate(uint64_t value)
{
    for (unsigned i = 0; i < 3 + Number % 4; i++) {
        switch ((value >> 5) % 8) {
        case 0:
            value = value * 6364136223846793005u + Number;
            break;
        case 1:
            value ^= value >> 17;
            break;
        case 2:
            value -= 77 * Number;
            break;
        case 3:
            value = value << 11 | value >> 53;
            break;
        case 4:
            value = ~value;
            break;
        case 5:
            value *= 5 + 2 * Number;
            break;
        case 6:
            value += 0x9e3779b97f4a7c15u;
            break;
        default:
            if (value % 4093 == Number)
                value /= 3;
            value += Number;
        }
    }
    return value;
}

static uint64_t expected[operations][values];
static operation first_taken[operations];

/* The address is made by an instruction, whatever the compiler knows about it. */
template <unsigned Number> operation named()
{
    operation pointer = operate<Number>;
    asm volatile("" : "+r"(pointer));
    return pointer;
}

template <unsigned... Numbers>
HOT operation take_by_instruction(unsigned number, std::integer_sequence<unsigned, Numbers...>)
{
    operation pointer = nullptr;
    ((number == Numbers ? void(pointer = named<Numbers>()) : void()), ...);
    return pointer;
}

template <unsigned... Numbers>
HOT operation take_from_table(unsigned number, std::integer_sequence<unsigned, Numbers...>)
{
    static const operation table[] = {operate<Numbers>...};
    return table[number];
}

/* Compares with immediate operands, or with addresses that were just made. */
template <unsigned... Numbers>
HOT unsigned number_of(operation pointer, std::integer_sequence<unsigned, Numbers...>)
{
    unsigned number = operations;
    ((pointer == &operate<Numbers> ? void(number = Numbers) : void()), ...);
    return number;
}

/* Calls at the ends of functions, which are jumps */
HOT uint64_t call_at_the_end(operation pointer, uint64_t value)
{
    if (value == 4093)
        return operate<3>(value);
    return pointer(value);
}

HOT uint64_t call_both(operation pointer, operation other, uint64_t value)
{
    uint64_t sum = call_at_the_end(pointer, value);
    return sum ^ other(value);
}

/* ---- virtual functions, some of them behind thunks ---- */

struct numbered {
    virtual ~numbered() = default;
    virtual unsigned number() const = 0;
};

struct shape {
    virtual ~shape() = default;
    virtual uint64_t area(uint64_t value) const = 0;
    virtual operation taken() const = 0;
    uint64_t grow(uint64_t value) const;
    uint64_t shrink(uint64_t value) const;
    uint64_t side = 3;
};

HOT uint64_t shape::grow(uint64_t value) const
{
    return value * side + 1;
}

HOT uint64_t shape::shrink(uint64_t value) const
{
    return value % 2 ? value / side : value - side;
}

template <unsigned Number> struct figure : shape, numbered {
    HOT uint64_t area(uint64_t value) const override
    {
        return operate<Number>(value);
    }
    HOT operation taken() const override
    {
        return named<Number>();
    }
    HOT unsigned number() const override
    {
        return Number;
    }
};

template <unsigned... Numbers>
HOT shape *make_figure(unsigned number, std::integer_sequence<unsigned, Numbers...>)
{
    shape *made = nullptr;
    ((number == Numbers ? void(made = new figure<Numbers>) : void()), ...);
    return made;
}

using method = uint64_t (shape::*)(uint64_t) const;

HOT method take_method(uint64_t which)
{
    switch (which % 3) {
    case 0:
        return &shape::grow;
    case 1:
        return &shape::shrink;
    default:
        return &shape::area;
    }
}

/* ---- what a thread keeps ---- */

namespace
{

struct kept_pointer {
    unsigned number;
    operation pointer;
};

struct kept_function {
    unsigned number;
    std::function<uint64_t(uint64_t)> function;
};

struct thread_state {
    uint64_t &random;
    std::vector<kept_pointer> pointers;
    std::vector<kept_function> functions;
    std::vector<std::pair<unsigned, method>> methods;
    std::vector<shape *> shapes;
    std::map<operation, unsigned> names;
};

/* Something new takes the place of something old, at random: some become very old. */
template <typename Kept> void keep(thread_state &state, std::vector<Kept> &all, const Kept &one)
{
    if (all.size() < most_kept)
        all.push_back(one);
    else
        all[chance(&state.random) % most_kept] = one;
}

HOT void check_result(const char *way, unsigned number, uint64_t result, uint64_t value)
{
    if (result != expected[number][value])
        disturbed("%s: operation %u gave a wrong result", way, number);
}

/* All that are equal to the first one are equal to each other. */
HOT void check_pointer(const char *way, unsigned number, operation pointer)
{
    if (pointer != first_taken[number])
        disturbed("%s: operation %u is at %p, was at %p", way, number, (void *)pointer,
                  (void *)first_taken[number]);
    if (number_of(pointer, numbers()) != number)
        disturbed("%s: operation %u at %p is not itself", way, number, (void *)pointer);
}

HOT void take_pointers(thread_state &state, unsigned number)
{
    operation by_instruction = take_by_instruction(number, numbers());
    operation from_table = take_from_table(number, numbers());
    operation by_virtual = state.shapes[number]->taken();
    check_pointer("taken by an instruction", number, by_instruction);
    check_pointer("taken from a table", number, from_table);
    check_pointer("taken by a virtual function", number, by_virtual);
    keep(state, state.pointers, {number, by_instruction});
    keep(state, state.functions, {number, by_instruction});
    keep(state, state.functions,
         {number, [number](uint64_t value) { return take_from_table(number, numbers())(value); }});
    auto name = state.names.emplace(by_instruction, number).first;
    if (name->second != number || state.names.size() > operations)
        disturbed("operation %u has the name of %u", number, name->second);
}

HOT void call_kept(thread_state &state, uint64_t value)
{
    const auto &one = state.pointers[chance(&state.random) % state.pointers.size()];
    const auto &other = state.pointers[chance(&state.random) % state.pointers.size()];
    if ((one.pointer == other.pointer) != (one.number == other.number))
        disturbed("operations %u and %u at %p and %p", one.number, other.number,
                  (void *)one.pointer, (void *)other.pointer);
    check_pointer("kept", one.number, one.pointer);
    check_result("a pointer", one.number, call_at_the_end(one.pointer, value), value);
    if (call_both(one.pointer, other.pointer, value) !=
        (expected[one.number][value] ^ expected[other.number][value]))
        disturbed("operations %u and %u gave a wrong result", one.number, other.number);
}

HOT void call_functions(thread_state &state, uint64_t value)
{
    const auto &one = state.functions[chance(&state.random) % state.functions.size()];
    auto copy = one.function;
    check_result("std::function", one.number, copy(value), value);
    if (auto pointer = copy.target<operation>())
        check_pointer("std::function", one.number, *pointer);
    else if (copy.target_type() == typeid(operation))
        disturbed("std::function does not know what it holds");
}

HOT void call_methods(thread_state &state, unsigned number, uint64_t value)
{
    const shape &shape = *state.shapes[number];
    uint64_t which = chance(&state.random) % 3;
    keep(state, state.methods, {static_cast<unsigned>(which), take_method(which)});
    auto [kept, pointer] = state.methods[chance(&state.random) % state.methods.size()];
    const uint64_t results[] = {value * 3 + 1, value % 2 ? value / 3 : value - 3,
                                expected[number][value]};
    if ((shape.*pointer)(value) != results[kept] || pointer != take_method(kept))
        disturbed("method %u is not itself or gave a wrong result", kept);
    check_result("a virtual function", number, shape.area(value), value);
    auto other = dynamic_cast<const numbered *>(&shape);
    if (!other || other->number() != number)
        disturbed("figure %u is not itself", number);
}

/* ---- pointers that others keep for us ---- */

HOT int compare_numbers(const void *left, const void *right)
{
    auto a = *static_cast<const uint64_t *>(left), b = *static_cast<const uint64_t *>(right);
    return a < b ? -1 : a > b;
}

HOT void sort_numbers(thread_state &state)
{
    std::vector<uint64_t> all(64);
    for (auto &one : all)
        one = chance(&state.random);
    qsort(all.data(), all.size(), sizeof all[0], compare_numbers);
    if (!std::is_sorted(all.begin(), all.end()))
        disturbed("qsort did not sort");
}

std::atomic<uint64_t> signals_handled;

HOT void handle(int)
{
    signals_handled += 1;
}

/* SIGTERM is blocked, nothing else. */
HOT void check_mask()
{
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (int number = 1; number <= SIGRTMAX; number++)
        if (sigismember(&mask, number) != (number == SIGTERM))
            disturbed("signal %d is %s", number, number == SIGTERM ? "not blocked" : "blocked");
}

HOT void ask_kernel()
{
    struct sigaction action;
    uint64_t before = signals_handled;
    check_mask();
    sigaction(SIGUSR1, nullptr, &action);
    if (action.sa_handler != handle)
        disturbed("the kernel has another signal handler");
    raise(SIGUSR1);
    if (signals_handled == before)
        disturbed("a signal was lost");
}

void run(worker *worker)
{
    thread_state state = {worker->random, {}, {}, {}, {}, {}};
    for (unsigned number = 0; number < operations; number++)
        state.shapes.push_back(make_figure(number, numbers()));
    for (; !is_ending(); beat(worker)) {
        for (unsigned i = 0; i < 500; i++) {
            unsigned number = chance(&state.random) % operations;
            uint64_t value = chance(&state.random) % values;
            if (i % 16 == 0)
                take_pointers(state, number);
            call_kept(state, value);
            call_functions(state, value);
            call_methods(state, number, value);
        }
        sort_numbers(state);
        ask_kernel();
        rest(REST);
    }
    for (const auto &one : state.pointers)
        check_pointer("at the end", one.number, one.pointer);
    for (auto shape : state.shapes)
        delete shape;
}

} // namespace

int main(int argc, char **argv)
{
    static worker workers[] = {{"pointers 1", run, 0, nullptr, 0, 0},
                               {"pointers 2", run, 0, nullptr, 0, 0}};
    if (argc != 2)
        return 2;
    for (unsigned number = 0; number < operations; number++) {
        first_taken[number] = take_from_table(number, numbers());
        for (uint64_t value = 0; value < values; value++)
            expected[number][value] = first_taken[number](value);
    }
    signal(SIGUSR1, handle);
    run_workers(argv[1], workers, 2);
    return CALM;
}
