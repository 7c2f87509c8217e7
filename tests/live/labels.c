/*
 * labels BOARD
 *
 * An interpreter whose instructions are addresses of labels (GNU C), as those of Python and Ruby are.
 * Programs for it lie in the heap for long: what they hold are addresses in the middle of a function,
 * which have to stay valid, and equal to those of programs that are made later.
 */
#include <stdlib.h>

#include "target.h"
#include "work.h"

typedef const void *label;

enum { LENGTH = 40, PROGRAMS = 64, STEPS = 20 };
enum { ADD, MULTIPLY, MIX, NEGATE, DIVIDE, AGAIN, STOP, LABELS };

/* Without a program: the labels themselves */
HOT static uint64_t interpret(const label *program, uint64_t value, const label **all)
{
    static const label labels[LABELS] = {&&add,    &&multiply, &&mix, &&negate,
                                         &&divide, &&again,    &&stop};
    const label *at = program;
    unsigned left = 3;
    if (!program) {
        *all = labels;
        return 0;
    }
    goto **at++;
add:
    value += 0x1234567;
    goto **at++;
multiply:
    value *= 6364136223846793005u;
    goto **at++;
mix:
    value ^= value >> 29;
    if (value % 1021 == 0)
        value ^= work(value % 8, STEPS);
    goto **at++;
negate:
    value = ~value;
    goto **at++;
divide:
    value /= 3;
    goto **at++;
again:
    if (left > 0) {
        left--;
        at = program;
    }
    goto **at++;
stop:
    return value;
}

struct program {
    uint64_t seed, result;
    label labels[LENGTH];
};

HOT static void translate(struct program *program)
{
    const label *labels;
    uint64_t random = program->seed;
    interpret(NULL, 0, &labels);
    for (unsigned i = 0; i < LENGTH; i++)
        program->labels[i] = labels[i < LENGTH - 2 ? chance(&random) % AGAIN : AGAIN + i % 2];
}

/* A program that has been kept is the same as when it is made anew, and gives the same result. */
HOT static void check_program(const struct program *kept)
{
    struct program again = {.seed = kept->seed};
    translate(&again);
    if (memcmp(again.labels, kept->labels, sizeof again.labels) != 0)
        disturbed("addresses of labels have changed");
    if (interpret(kept->labels, kept->seed, NULL) != kept->result)
        disturbed("the interpreter gave a wrong result");
}

static void run(struct worker *worker)
{
    struct program *programs = calloc(PROGRAMS, sizeof *programs);
    if (!programs)
        give_up("calloc");
    for (unsigned i = 0; i < PROGRAMS; i++) {
        programs[i].seed = i + 1;
        translate(&programs[i]);
        programs[i].result = interpret(programs[i].labels, programs[i].seed, NULL);
    }
    for (; !is_ending(); beat(worker)) {
        for (unsigned i = 0; i < 1000; i++)
            check_program(&programs[chance(&worker->random) % PROGRAMS]);
        if (work(7, STEPS) != work(7, STEPS))
            disturbed("a wrong result");
        rest(300);
    }
    free(programs);
}

int main(int argc, char **argv)
{
    static struct worker workers[] = {{.name = "labels 1", .run = run},
                                      {.name = "labels 2", .run = run}};
    if (argc != 2)
        return 2;
    run_workers(argv[1], workers, 2);
    return CALM;
}
