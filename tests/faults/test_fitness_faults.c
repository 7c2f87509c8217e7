/*
 * Every allocation and every read fails in turn (-Dfaults=true; lib/base/memory.h) while a binary is
 * judged: the call must say so, or do without, and leak nothing (the address sanitizer sees to that).
 */
#include <unistd.h>

#include "base/memory.h"
#include "elf/fitness.h"
#include "support/elf_build.h"
#include "support/test.h"

static const uint8_t instructions[64] = {0xc3};

static int small_program(void)
{
    struct elf_builder b = {0};
    unsigned text =
        elf_section(&b, ".text", 0x1000, SHF_EXECINSTR, instructions, sizeof instructions);
    elf_symbol(&b, "f.cold", STB_LOCAL, STT_FUNC, text, 0x1020, 16);
    elf_symbol(&b, "f", STB_GLOBAL, STT_FUNC, text, 0x1000, 16);
    elf_relocation(&b, text, 0x1004, R_X86_64_PC32, 1, 0);
    return elf_file(&b);
}

/* Judges the file until no call fails any more; how many there were. */
static long fail_everywhere(const char *path)
{
    struct an_fitness fitness;
    struct an_error error;
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        an_fault_countdown = calls;
        enum an_code code = an_fitness_judge(path, &fitness, &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        assert_in_range(calls, 0, 10000);
        if (code == AN_OK) {
            assert_true(fitness.diagnostics.count > 0);
            continue;
        }
        assert_true(failed);
        assert_true(code == AN_NO_MEMORY || code == AN_SYSTEM);
        assert_true(error.what[0] != '\0');
    }
    return calls;
}

static void judging_a_binary(void **state)
{
    (void)state;
    char path[40];
    int fd = small_program();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_in_range(fail_everywhere(path), 5, 10000);
    uint8_t class = ELFCLASS32;
    assert_int_equal(pwrite(fd, &class, 1, EI_CLASS), 1);
    assert_in_range(fail_everywhere(path), 2, 10000);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(judging_a_binary)};
    return RUN_TESTS(tests);
}
