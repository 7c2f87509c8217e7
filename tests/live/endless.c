/*
 * endless BOARD PLACES KIND...
 *
 * Interpreters that are entered once and never left: for each KIND a thread in one function until the program ends.
 *
 *     switch     a switch in a loop
 *     labels     jumps to addresses of labels (GNU C), from the end of each instruction
 *     loop       no table: a loop that looks at each bit of a number
 *
 * Each one checks what it computes, and says where it is in each round, in PLACES: of thread k, word k is an address in its
 * function.
 */
#include "target.h"
#include "work.h"

enum { ADD, MULTIPLY, MIX, NEGATE, DIVIDE, TURN, AGAIN, OPERATIONS };
enum { LENGTH = 48, STEPS = 20, SEED = 7, BITS = 64 };

static uint8_t program[LENGTH];
static uint64_t expected, expected_of_bits;
static uint64_t *places;
static struct worker workers[MOST_WORKERS];

/* Whoever calls it is here. */
HOT static void note(uint64_t *place)
{
    __atomic_store_n(place, (uintptr_t)__builtin_return_address(0), __ATOMIC_RELAXED);
}

static uint64_t add(uint64_t value)
{
    return value + 0x1234567;
}

static uint64_t multiply(uint64_t value)
{
    return value * 6364136223846793005u;
}

static uint64_t mix(uint64_t value)
{
    value ^= value >> 29;
    return value % 61 == 0 ? value ^ work(value % 8, STEPS) : value;
}

static uint64_t rotate(uint64_t value)
{
    return value << 9 | value >> 55;
}

static uint64_t step_of_bits(uint64_t value, unsigned bit)
{
    if (value >> bit & 1)
        return value * 3 + bit;
    return value % 7 == 0 ? value ^ work(value % 8, STEPS) : value + 0x77777;
}

/* At the end of a round, in the function that calls it. Whether there is another one. */
static inline __attribute__((always_inline)) int go_round(struct worker *worker, uint64_t *place,
                                                          uint64_t value, uint64_t right)
{
    if (value != right)
        disturbed("%s: %#llx", worker->name, (unsigned long long)value);
    note(place);
    beat(worker);
    return !is_ending();
}

HOT static void switch_for_ever(struct worker *worker, uint64_t *place)
{
    uint64_t value = SEED;
    const uint8_t *at = program;
    for (;;) {
        switch (*at++) {
        case ADD:
            value = add(value);
            break;
        case MULTIPLY:
            value = multiply(value);
            break;
        case MIX:
            value = mix(value);
            break;
        case NEGATE:
            value = ~value;
            break;
        case DIVIDE:
            value /= 3;
            break;
        case TURN:
            value = rotate(value);
            break;
        default:
            if (!go_round(worker, place, value, expected))
                return;
            value = SEED;
            at = program;
        }
    }
}

HOT static void jump_for_ever(struct worker *worker, uint64_t *place)
{
    static const void *const labels[OPERATIONS] = {&&add,    &&multiply, &&mix,  &&negate,
                                                   &&divide, &&turn,     &&again};
    uint64_t value = SEED;
    const uint8_t *at = program;
    goto *labels[*at++];
add:
    value = add(value);
    goto *labels[*at++];
multiply:
    value = multiply(value);
    goto *labels[*at++];
mix:
    value = mix(value);
    goto *labels[*at++];
negate:
    value = ~value;
    goto *labels[*at++];
divide:
    value /= 3;
    goto *labels[*at++];
turn:
    value = rotate(value);
    goto *labels[*at++];
again:
    if (!go_round(worker, place, value, expected))
        return;
    value = SEED;
    at = program;
    goto *labels[*at++];
}

HOT static void loop_for_ever(struct worker *worker, uint64_t *place)
{
    uint64_t value;
    do {
        value = SEED;
        for (unsigned bit = 0; bit < BITS; bit++)
            value = step_of_bits(value, bit);
    } while (go_round(worker, place, value, expected_of_bits));
}

static const struct kind {
    const char *name;
    void (*run)(struct worker *worker, uint64_t *place);
} kinds[] = {{"switch", switch_for_ever}, {"labels", jump_for_ever}, {"loop", loop_for_ever}};

static void run_kind(struct worker *worker)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, worker->name) == 0)
            kinds[i].run(worker, &places[worker - workers]);
}

/* What all have to compute, by plain means. */
static void compute(void)
{
    expected = expected_of_bits = SEED;
    for (unsigned i = 0; i + 1 < LENGTH; i++) {
        program[i] = (uint8_t)(i * 5 % AGAIN);
        expected = program[i] == ADD        ? add(expected)
                   : program[i] == MULTIPLY ? multiply(expected)
                   : program[i] == MIX      ? mix(expected)
                   : program[i] == NEGATE   ? ~expected
                   : program[i] == DIVIDE   ? expected / 3
                                            : rotate(expected);
    }
    program[LENGTH - 1] = AGAIN;
    for (unsigned bit = 0; bit < BITS; bit++)
        expected_of_bits = step_of_bits(expected_of_bits, bit);
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    if (argc < 4)
        return 2;
    int file = open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || ftruncate(file, MOST_WORKERS * sizeof *places))
        give_up(argv[2]);
    places = mmap(NULL, MOST_WORKERS * sizeof *places, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (places == MAP_FAILED)
        give_up(argv[2]);
    for (int i = 3; i < argc && count < MOST_WORKERS; i++, count++)
        workers[count] = (struct worker){.name = argv[i], .run = run_kind};
    compute();
    run_workers(argv[1], workers, count);
    return CALM;
}
