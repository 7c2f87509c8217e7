/* What a binary is made like, by made-up ones and by the test program itself. Whether llvm-bolt
 * minds is decided by real ones in cli/test_doctor.sh. */
#include "elf/traits.h"

#include <elf.h>

#include "support/elf_build.h"
#include "support/test.h"

static const uint8_t code[64] = {0xc3};

/* A program of one function; returns the number of its code's section. */
static unsigned add_function(struct elf_builder *b)
{
    unsigned text = elf_section(b, ".text", 0x1000, SHF_EXECINSTR, code, sizeof code);
    elf_symbol(b, "f", STB_GLOBAL, STT_FUNC, text, 0x1000, 16);
    return text;
}

static struct an_elf_traits traits_of(const struct elf_builder *b)
{
    struct an_elf *elf = elf_open(b);
    struct an_elf_traits traits;
    struct an_error error;
    assert_int_equal(an_elf_traits_find(elf, &traits, &error), AN_OK);
    an_elf_close(elf);
    return traits;
}

static void sees_what_is_there(void **state)
{
    (void)state;
    struct elf_builder b = {0};
    unsigned text = add_function(&b);
    elf_symbol(&b, "f.cold", STB_LOCAL, STT_FUNC, text, 0x1020, 16);
    elf_symbol(&b, "__asan_init", STB_GLOBAL, STT_FUNC, SHN_UNDEF, 0, 0);
    elf_section(&b, ".interp", 0x2000, 0, "/lib/ld.so", 11);
    elf_section(&b, ".debug_info", 0x3000, 0, code, 4);
    elf_relocation(&b, text, 0x1004, R_X86_64_PC32, 1, 0);
    struct an_elf_traits traits = traits_of(&b);
    assert_int_equal(traits.machine, EM_X86_64);
    assert_int_equal(traits.kind, AN_ELF_FIXED);
    assert_true(traits.dynamic && traits.has_symbols && traits.has_relocations);
    assert_true(traits.has_debug_info && traits.is_sanitized);
    assert_false(traits.is_bolted || traits.has_bat);
    assert_int_equal(traits.code_size, sizeof code);
    assert_int_equal(traits.functions, 1);
    assert_int_equal(traits.fragments, 1);
    assert_string_equal(traits.build_id, "");
}

static void misses_what_is_not(void **state)
{
    (void)state;
    struct elf_builder b = {0};
    unsigned text = elf_section(&b, ".text", 0x1000, SHF_EXECINSTR, code, sizeof code);
    unsigned data = elf_section(&b, ".data", 0x2000, SHF_WRITE, code, sizeof code);
    elf_symbol(&b, "elsewhere", STB_GLOBAL, STT_FUNC, SHN_UNDEF, 0, 0);
    elf_symbol(&b, "label", STB_GLOBAL, STT_NOTYPE, text, 0x1000, 0);
    elf_relocation(&b, data, 0x2000, R_X86_64_64, 2, 0);
    struct an_elf_traits traits = traits_of(&b);
    assert_false(traits.has_symbols);
    assert_false(traits.has_relocations); /* those of data are not enough */
    assert_false(traits.dynamic || traits.has_debug_info || traits.is_sanitized);
    assert_int_equal(traits.fragments, 0);
}

static void knows_what_llvm_bolt_made(void **state)
{
    (void)state;
    static const struct {
        const char *section;
        bool bolted, bat;
    } cases[] = {
        {".bolt.org.text", true, false},  {".bolt.org.eh_frame", true, false},
        {".note.bolt_info", true, false}, {".note.bolt_bat", false, true},
        {".bolt", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct elf_builder b = {0};
        add_function(&b);
        elf_section(&b, cases[i].section, 0x5000, 0, code, 8);
        struct an_elf_traits traits = traits_of(&b);
        check(traits.is_bolted == cases[i].bolted, "%s", cases[i].section);
        check(traits.has_bat == cases[i].bat, "%s", cases[i].section);
    }
}

static void knows_compilers(void **state)
{
    (void)state;
    static const char gcc[] = "GCC: (Debian 12.2.0) 12.2.0";
    static const char clang[] = "GCC: (Debian 12.2.0) 12.2.0\0Debian clang version 19.1.7";
    static const char rust[] = "rustc version 1.95.0\0GCC: (Debian 12.2.0) 12.2.0";
    static const struct {
        const char *comment;
        size_t size;
        enum an_elf_compiler compiler;
    } cases[] = {
        {gcc, sizeof gcc, AN_COMPILER_GCC},
        {clang, sizeof clang, AN_COMPILER_CLANG},
        {rust, sizeof rust, AN_COMPILER_RUST},
        {"x", 2, AN_COMPILER_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct elf_builder b = {0};
        add_function(&b);
        elf_section(&b, ".comment", 0x5000, 0, cases[i].comment, cases[i].size);
        assert_int_equal(traits_of(&b).compiler, cases[i].compiler);
    }
    struct elf_builder b = {0};
    add_function(&b);
    assert_int_equal(traits_of(&b).compiler, AN_COMPILER_UNKNOWN);
}

/* ---- the dynamic section ---- */

enum { DYNAMIC = 0x6000, OTHERS = 0x7000, PLT = 0x8000 };

struct rela {
    uint64_t address, info, addend;
};

#define IFUNC ELF64_R_INFO(0, R_X86_64_IRELATIVE)
#define SLOT ELF64_R_INFO(1, R_X86_64_JUMP_SLOT)
#define DATA ELF64_R_INFO(1, R_X86_64_GLOB_DAT)

/* A program with these relocations in .rela.dyn and .rela.plt, and one more dynamic tag. */
static struct an_elf_traits with_relocations(const struct rela *others, size_t other_count,
                                             const struct rela *plt, size_t plt_count, uint64_t tag,
                                             uint64_t value)
{
    uint64_t dynamic[][2] = {
        {tag, value},
        {DT_RELA, OTHERS},
        {DT_RELASZ, other_count * sizeof *others},
        {DT_JMPREL, PLT},
        {DT_PLTRELSZ, plt_count * sizeof *plt},
        {DT_NULL, 0},
        {DT_FLAGS, DF_BIND_NOW}, /* behind the end */
    };
    struct elf_builder b = {.independent = true};
    add_function(&b);
    elf_section(&b, ".dynamic", DYNAMIC, SHF_WRITE, dynamic, sizeof dynamic);
    if (other_count)
        elf_section(&b, ".rela.dyn", OTHERS, 0, others, other_count * sizeof *others);
    if (plt_count)
        elf_section(&b, ".rela.plt", PLT, 0, plt, plt_count * sizeof *plt);
    return traits_of(&b);
}

static void tells_kinds_apart(void **state)
{
    (void)state;
    struct an_elf_traits pie = with_relocations(NULL, 0, NULL, 0, DT_FLAGS_1, DF_1_PIE | DF_1_NOW);
    assert_int_equal(pie.kind, AN_ELF_PIE);
    assert_false(pie.dynamic);
    struct an_elf_traits library = with_relocations(NULL, 0, NULL, 0, DT_NEEDED, 1);
    assert_int_equal(library.kind, AN_ELF_LIBRARY);
    assert_true(library.dynamic);
}

static void finds_ifuncs_in_two_tables(void **state)
{
    (void)state;
    const struct rela data[] = {{0x9000, DATA, 0}, {0x9008, IFUNC, 0x1000}};
    const struct rela plt[] = {{0x9010, SLOT, 0}, {0x9018, IFUNC, 0x1000}};
    assert_true(with_relocations(data, 2, plt, 2, DT_NEEDED, 1).scattered_ifuncs);
    assert_false(with_relocations(data, 1, plt, 2, DT_NEEDED, 1).scattered_ifuncs);
    assert_false(with_relocations(data, 2, plt, 1, DT_NEEDED, 1).scattered_ifuncs);
    /* one table that is a part of the other is one */
    const struct rela both[] = {{0x9000, DATA, 0}, {0x9018, IFUNC, 0x1000}};
    uint64_t dynamic[][2] = {
        {DT_RELA, OTHERS},
        {DT_RELASZ, sizeof both},
        {DT_JMPREL, OTHERS + sizeof *both},
        {DT_PLTRELSZ, sizeof *both},
    };
    struct elf_builder b = {.independent = true};
    add_function(&b);
    elf_section(&b, ".dynamic", DYNAMIC, SHF_WRITE, dynamic, sizeof dynamic);
    elf_section(&b, ".rela.dyn", OTHERS, 0, both, sizeof both);
    assert_false(traits_of(&b).scattered_ifuncs);
}

static void finds_tables_out_of_order(void **state)
{
    (void)state;
    const struct rela last[] = {{0x9000, SLOT, 0}, {0x9008, SLOT, 0}, {0x9010, IFUNC, 0}};
    const struct rela between[] = {{0x9000, SLOT, 0}, {0x9010, SLOT, 0}, {0x9008, IFUNC, 0}};
    const struct rela before[] = {{0x9010, IFUNC, 0}, {0x9000, SLOT, 0}, {0x9018, SLOT, 0}};
    const struct rela ifuncs[] = {{0x9000, SLOT, 0}, {0x9018, IFUNC, 0}, {0x9010, IFUNC, 0}};
    assert_false(with_relocations(NULL, 0, last, 3, DT_NEEDED, 1).unordered_plt);
    assert_true(with_relocations(NULL, 0, between, 3, DT_NEEDED, 1).unordered_plt);
    assert_true(with_relocations(NULL, 0, before, 3, DT_NEEDED, 1).unordered_plt);
    /* nothing but ifuncs changes places, and these are not bound late */
    assert_false(with_relocations(NULL, 0, ifuncs, 3, DT_NEEDED, 1).unordered_plt);
    /* what is bound at once needs no order */
    assert_false(with_relocations(NULL, 0, between, 3, DT_FLAGS, DF_BIND_NOW).unordered_plt);
    assert_false(with_relocations(NULL, 0, between, 3, DT_FLAGS_1, DF_1_NOW).unordered_plt);
    assert_false(with_relocations(NULL, 0, between, 3, DT_BIND_NOW, 0).unordered_plt);
}

static void does_not_trust_sizes(void **state)
{
    (void)state;
    const struct rela plt[] = {{0x9010, SLOT, 0}, {0x9000, IFUNC, 0}};
    static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX - 7, 1u << 30, 25, 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t dynamic[][2] = {
            {DT_RELA, PLT}, {DT_RELASZ, sizes[i]}, {DT_JMPREL, PLT}, {DT_PLTRELSZ, sizes[i]}};
        struct elf_builder b = {.independent = true};
        add_function(&b);
        elf_section(&b, ".dynamic", DYNAMIC, SHF_WRITE, dynamic, sizeof dynamic);
        elf_section(&b, ".rela.plt", PLT, 0, plt, sizeof plt);
        struct an_elf_traits traits = traits_of(&b);
        assert_false(traits.scattered_ifuncs || traits.unordered_plt);
    }
}

static void knows_the_test_program(void **state)
{
    (void)state;
    struct an_elf *elf;
    struct an_elf_traits traits;
    struct an_error error;
    assert_int_equal(an_elf_open("/proc/self/exe", &elf, &error), AN_OK);
    assert_int_equal(an_elf_traits_find(elf, &traits, &error), AN_OK);
    assert_true(traits.kind == AN_ELF_PIE || traits.kind == AN_ELF_FIXED);
    assert_true(traits.dynamic && traits.has_symbols);
    assert_true(traits.functions > 10 && traits.code_size > 1000);
    an_elf_close(elf);
}

static void names_machines(void **state)
{
    (void)state;
    assert_string_equal(an_elf_machine_name(EM_AARCH64), "AArch64");
    assert_string_equal(an_elf_machine_name(EM_386), "Intel 80386");
    assert_string_equal(an_elf_machine_name(EM_X86_64), "x86-64");
    assert_string_equal(an_elf_machine_name(0xfeed), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sees_what_is_there),        cmocka_unit_test(misses_what_is_not),
        cmocka_unit_test(knows_what_llvm_bolt_made), cmocka_unit_test(knows_compilers),
        cmocka_unit_test(tells_kinds_apart),         cmocka_unit_test(finds_ifuncs_in_two_tables),
        cmocka_unit_test(finds_tables_out_of_order), cmocka_unit_test(does_not_trust_sizes),
        cmocka_unit_test(knows_the_test_program),    cmocka_unit_test(names_machines),
    };
    return RUN_TESTS(tests);
}
