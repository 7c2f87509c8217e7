/* Which traits of a binary are losses and which are problems, and what is said about them; on
 * made-up binaries. Real ones, and llvm-bolt's opinion, are in cli/test_doctor.sh. */
#include "elf/fitness.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/elf_build.h"
#include "support/test.h"

static const uint8_t instructions[64] = {0xc3};

/* Changes bytes of the file before it is judged. */
static struct an_fitness judged(int fd, size_t at, uint16_t value)
{
    char path[40];
    struct an_fitness fitness;
    struct an_error error;
    if (at)
        assert_int_equal(pwrite(fd, &value, sizeof value, (off_t)at), sizeof value);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(an_fitness_judge(path, &fitness, &error), AN_OK);
    close(fd);
    return fitness;
}

static const struct an_diagnostic *about(const struct an_fitness *fitness, const char *what)
{
    for (size_t i = 0; i < fitness->diagnostics.count; i++)
        if (strcmp(fitness->diagnostics.items[i].about, what) == 0)
            return &fitness->diagnostics.items[i];
    return NULL;
}

static void expect(const struct an_fitness *fitness, const char *what, enum an_level level,
                   const char *words, const char *remedy)
{
    const struct an_diagnostic *diagnostic = about(fitness, what);
    check(diagnostic, "nothing about %s", what);
    check(diagnostic->level == level, "%s: %s", what, an_level_name(diagnostic->level));
    check(strstr(diagnostic->what, words), "%s: %s", what, diagnostic->what);
    check(remedy[0] ? strstr(diagnostic->remedy, remedy) != NULL : !diagnostic->remedy[0], "%s: %s",
          what, diagnostic->remedy);
}

enum feature {
    RELOCATIONS = 1,
    SPLIT = 2,
    STRIPPED = 4,
    BOLTED = 8,
    BAT = 16,
    ASAN = 32,
    RUST = 64
};

static struct elf_builder program(unsigned features)
{
    struct elf_builder b = {0};
    unsigned text =
        elf_section(&b, ".text", 0x1000, SHF_EXECINSTR, instructions, sizeof instructions);
    if (features & SPLIT)
        elf_symbol(&b, "f.cold", STB_LOCAL, STT_FUNC, text, 0x1020, 16);
    elf_symbol(&b, "f", STB_GLOBAL, features & STRIPPED ? STT_NOTYPE : STT_FUNC, text, 0x1000, 16);
    if (features & ASAN)
        elf_symbol(&b, "__asan_init", STB_GLOBAL, STT_FUNC, SHN_UNDEF, 0, 0);
    if (features & RELOCATIONS)
        elf_relocation(&b, text, 0x1004, R_X86_64_PC32, 1, 0);
    if (features & BOLTED)
        elf_section(&b, ".note.bolt_info", 0x3000, 0, instructions, 8);
    if (features & BAT)
        elf_section(&b, ".note.bolt_bat", 0x4000, 0, instructions, 8);
    if (features & RUST)
        elf_section(&b, ".comment", 0x5000, 0, "rustc version 1.95.0", 21);
    return b;
}

static struct an_fitness judged_with(unsigned features)
{
    struct elf_builder b = program(features);
    return judged(elf_file(&b), 0, 0);
}

static void one_with_all_but_a_build_id(void **state)
{
    (void)state;
    struct an_fitness fitness = judged_with(RELOCATIONS);
    assert_true(fitness.is_known);
    expect(&fitness, "format", AN_IN_ORDER, "x86-64, executable at fixed addresses, static", "");
    expect(&fitness, "symbols", AN_IN_ORDER, "1 function, 1 KB of code", "");
    expect(&fitness, "relocations", AN_IN_ORDER, "kept", "");
    expect(&fitness, "split functions", AN_IN_ORDER, "none", "");
    expect(&fitness, "build-id", AN_LOSS, "none", "-Wl,--build-id");
    assert_null(about(&fitness, "ifuncs"));
    assert_null(about(&fitness, "debug info"));
    assert_string_equal(fitness.flags, "-Wl,--build-id");
    assert_int_equal(an_diagnostics_worst(&fitness.diagnostics), AN_LOSS);
}

static void without_relocations_and_split(void **state)
{
    (void)state;
    struct an_fitness fitness = judged_with(0);
    expect(&fitness, "relocations", AN_LOSS, "cannot move functions", "-Wl,-q");
    assert_string_equal(fitness.flags, "-Wl,-q -Wl,--build-id");
    fitness = judged_with(SPLIT);
    expect(&fitness, "split functions", AN_PROBLEM, "1: ", "-fno-reorder-blocks-and-partition");
    assert_string_equal(fitness.flags, "-Wl,-q -fno-reorder-blocks-and-partition -Wl,--build-id");
    fitness = judged_with(SPLIT | RELOCATIONS);
    expect(&fitness, "split functions", AN_LOSS, "in part", "-fno-reorder-blocks-and-partition");
    assert_int_equal(an_diagnostics_worst(&fitness.diagnostics), AN_LOSS);
    fitness = judged_with(RUST);
    assert_string_equal(fitness.flags, "-C link-arg=-Wl,-q -C link-arg=-Wl,--build-id");
}

static void stripped(void **state)
{
    (void)state;
    struct an_fitness fitness = judged_with(STRIPPED);
    expect(&fitness, "symbols", AN_PROBLEM, "none", "strip");
    assert_null(about(&fitness, "split functions")); /* nobody can know */
}

static void refused_by_llvm_bolt(void **state)
{
    (void)state;
    struct an_fitness fitness = judged_with(BOLTED);
    expect(&fitness, "origin", AN_PROBLEM, "cannot be translated", "made from");
    assert_null(about(&fitness, "relocations"));
    assert_string_equal(fitness.flags, "");
    fitness = judged_with(BOLTED | BAT);
    expect(&fitness, "origin", AN_PROBLEM, "can be translated", "made from");
    fitness = judged_with(ASAN | RELOCATIONS);
    expect(&fitness, "sanitizer", AN_PROBLEM, "address sanitizer", "-fsanitize=address");
}

static void ifuncs(void **state)
{
    (void)state;
    const uint64_t plt[][3] = {{0x9010, ELF64_R_INFO(1, R_X86_64_JUMP_SLOT), 0},
                               {0x9000, ELF64_R_INFO(0, R_X86_64_IRELATIVE), 0}};
    const uint64_t dynamic[][2] = {{DT_NEEDED, 1},
                                   {DT_RELA, 0x7000},
                                   {DT_RELASZ, 24},
                                   {DT_JMPREL, 0x7000},
                                   {DT_PLTRELSZ, sizeof plt}};
    uint64_t split[5][2];
    memcpy(split, dynamic, sizeof split);
    split[1][1] = 0x7018; /* the ifunc: as if it lay in another table, too */
    for (unsigned relocations = 0; relocations <= RELOCATIONS; relocations++) {
        enum an_level level = relocations ? AN_PROBLEM : AN_LOSS;
        struct elf_builder b = program(relocations);
        elf_section(&b, ".rela.plt", 0x7000, 0, plt, sizeof plt);
        elf_section(&b, ".dynamic", 0x6000, SHF_WRITE, dynamic, sizeof dynamic);
        struct an_fitness fitness = judged(elf_file(&b), 0, 0);
        expect(&fitness, "ifuncs", level, "out of order", "-Wl,-z,now");
        check(strstr(fitness.flags, "-Wl,-z,now"), "%s", fitness.flags);
        b.sections[b.section_count - 1].bytes = split;
        fitness = judged(elf_file(&b), 0, 0);
        expect(&fitness, "ifuncs", level, "two tables", "-fuse-ld=lld");
        check(strstr(fitness.flags, "-fuse-ld=lld"), "%s", fitness.flags);
    }
}

static void files_of_other_kinds(void **state)
{
    (void)state;
    enum { TYPE = 16, MACHINE = 18 };
    struct elf_builder b = program(RELOCATIONS);
    struct an_fitness fitness = judged(elf_file(&b), MACHINE, EM_AARCH64);
    expect(&fitness, "format", AN_PROBLEM, "AArch64", "x86-64");
    assert_int_equal(fitness.diagnostics.count, 1);
    fitness = judged(elf_file(&b), TYPE, ET_REL);
    expect(&fitness, "format", AN_PROBLEM, "an object file", "linked program");
    fitness = judged(elf_file(&b), TYPE, ET_CORE);
    expect(&fitness, "format", AN_PROBLEM, "a core dump", "linked program");
    fitness = judged(elf_file(&b), TYPE, 77);
    expect(&fitness, "format", AN_PROBLEM, "unknown type", "linked program");
    fitness = judged(elf_file(&b), EI_CLASS, ELFCLASS32 | ELFDATA2LSB << 8);
    expect(&fitness, "format", AN_PROBLEM, "32 bits, for x86-64", "x86-64");
    assert_false(fitness.is_known);
    fitness = judged(elf_file(&b), EI_CLASS, ELFCLASS64 | ELFDATA2MSB << 8);
    expect(&fitness, "format", AN_PROBLEM, "64 bits, big-endian", "x86-64");
}

static void static_and_position_independent(void **state)
{
    (void)state;
    const uint64_t dynamic[][2] = {{DT_FLAGS_1, DF_1_PIE}};
    struct elf_builder b = program(RELOCATIONS);
    b.independent = true;
    elf_section(&b, ".dynamic", 0x6000, SHF_WRITE, dynamic, sizeof dynamic);
    struct an_fitness fitness = judged(elf_file(&b), 0, 0);
    expect(&fitness, "format", AN_LOSS, "static and position-independent", "-no-pie");
    b.sections[b.section_count - 1].name = ".other";
    fitness = judged(elf_file(&b), 0, 0);
    expect(&fitness, "format", AN_IN_ORDER, "x86-64, shared library", "");
}

static enum an_code code_of(const void *bytes, size_t size)
{
    char path[40];
    struct an_fitness fitness;
    struct an_error error;
    int fd = memfd_create("bytes", MFD_CLOEXEC);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    enum an_code code = an_fitness_judge(path, &fitness, &error);
    close(fd);
    return code;
}

static void what_cannot_be_judged_is_an_error(void **state)
{
    (void)state;
    struct an_fitness fitness;
    struct an_error error;
    assert_int_equal(code_of("#!/bin/sh\nexit 1\n", 17), AN_UNKNOWN);
    assert_int_equal(code_of("\x7f"
                             "ELF\x02\x01\x01",
                             7),
                     AN_UNKNOWN);
    assert_int_equal(code_of("\x7f"
                             "ELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\2",
                             17),
                     AN_TRUNCATED);
    assert_int_equal(an_fitness_judge("/no/such/file", &fitness, &error), AN_SYSTEM);
}

/* Whatever a damaged file says, it is judged or refused. */
static void survives_damage(void **state)
{
    (void)state;
    const uint64_t plt[][3] = {{0x9010, ELF64_R_INFO(1, R_X86_64_JUMP_SLOT), 0}};
    const uint64_t dynamic[][2] = {{DT_JMPREL, 0x7000}, {DT_PLTRELSZ, sizeof plt}};
    uint64_t random = 7;
    size_t refused = 0;
    for (int round = 0; round < 2000; round++) {
        struct elf_builder b = program(RELOCATIONS | SPLIT | BOLTED * (round & 1));
        elf_section(&b, ".rela.plt", 0x7000, 0, plt, sizeof plt);
        elf_section(&b, ".dynamic", 0x6000, SHF_WRITE, dynamic, sizeof dynamic);
        char path[40];
        struct an_fitness fitness;
        struct an_error error;
        int fd = elf_file(&b);
        off_t size = lseek(fd, 0, SEEK_END);
        for (int i = 0; i < 6; i++) {
            uint8_t byte = (uint8_t)next_number(&random);
            off_t at = (off_t)(EI_NIDENT + number_below(&random, (uint64_t)size - EI_NIDENT));
            assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        }
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        enum an_code code = an_fitness_judge(path, &fitness, &error);
        refused += code != AN_OK;
        assert_true(code != AN_OK || fitness.diagnostics.count > 0);
        close(fd);
    }
    assert_in_range(refused, 1, 1999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_with_all_but_a_build_id),
        cmocka_unit_test(without_relocations_and_split),
        cmocka_unit_test(stripped),
        cmocka_unit_test(refused_by_llvm_bolt),
        cmocka_unit_test(ifuncs),
        cmocka_unit_test(files_of_other_kinds),
        cmocka_unit_test(static_and_position_independent),
        cmocka_unit_test(what_cannot_be_judged_is_an_error),
        cmocka_unit_test(survives_damage),
    };
    return RUN_TESTS(tests);
}
