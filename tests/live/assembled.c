/*
 * assembled BOARD
 *
 * Functions written in assembler, whose symbol does not say what they are, or which have none but only a frame.
 * The program has kept their addresses, which have to stay equal to what its code takes.
 */
#include "target.h"

/* Each of 32 bytes, one behind the other */
uint64_t untyped(uint64_t value);
uint64_t unnamed(uint64_t value) __asm__(".Lunnamed");

#define BODY                                                                                       \
    "mov %rdi, %rax\n"                                                                             \
    "mov $10, %ecx\n"                                                                              \
    "1: imul $31, %rax, %rax\n"                                                                    \
    "test $1, %al\n"                                                                               \
    "je 2f\n"                                                                                      \
    "add $7, %rax\n"                                                                               \
    "2: dec %ecx\n"                                                                                \
    "jne 1b\n"                                                                                     \
    "ret\n"

__asm__(".pushsection .text\n"
        ".balign 32\n"
        ".globl untyped\n"
        "untyped:\n" BODY ".balign 32\n"
        ".Lunnamed:\n"
        ".cfi_startproc\n" BODY ".cfi_endproc\n"
        ".balign 32\n"
        ".popsection\n");

typedef uint64_t (*function)(uint64_t value);

static function kept[2];

__attribute__((noinline)) static uint64_t use(uint64_t value)
{
    if (kept[0] != untyped || kept[1] != unnamed)
        disturbed("the address of a function has changed");
    return kept[0](value) + unnamed(value + 1);
}

static void run(struct worker *worker)
{
    for (; !is_ending(); beat(worker)) {
        for (unsigned i = 0; i < 1000; i++)
            if (use(i) != untyped(i) + kept[1](i + 1))
                disturbed("a wrong result");
        rest(300);
    }
}

int main(int argc, char **argv)
{
    static struct worker workers[] = {{.name = "assembled", .run = run}};
    if (argc != 2)
        return 2;
    kept[0] = untyped;
    kept[1] = unnamed;
    run_workers(argv[1], workers, 1);
    return CALM;
}
