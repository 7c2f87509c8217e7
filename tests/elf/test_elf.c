/* The test program itself is the binary that is read: what it knows of itself is the oracle. */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/elf.h"
#include "support/test.h"

static const char self[] = "/proc/self/exe";

int a_function_to_find(int x);
__attribute__((noinline, used)) int a_function_to_find(int x)
{
    return x * 3;
}

static int take_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
    (void)size;
    *(uint64_t *)bias = info->dlpi_addr; /* the first is the program */
    return 1;
}

static struct an_elf *open_self(void)
{
    struct an_elf *elf;
    struct an_error error;
    assert_int_equal(an_elf_open(self, &elf, &error), AN_OK);
    return elf;
}

static void finds_a_symbol_where_it_is(void **state)
{
    (void)state;
    struct an_elf *elf = open_self();
    const struct an_elf_symbol *symbols;
    struct an_error error;
    size_t count, found = 0;
    uint64_t bias = 0;
    dl_iterate_phdr(take_bias, &bias);
    assert_int_equal(an_elf_symbols(elf, &symbols, &count, &error), AN_OK);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(symbols[i].name, "a_function_to_find") != 0)
            continue;
        found++;
        assert_int_equal(symbols[i].type, STT_FUNC);
        assert_int_equal(symbols[i].address + bias, (uintptr_t)a_function_to_find);
        assert_memory_equal(an_elf_at(elf, symbols[i].address, 4), a_function_to_find, 4);
        const struct an_elf_section *section = an_elf_section_containing(elf, symbols[i].address);
        assert_non_null(section);
        assert_string_equal(section->name, ".text");
        assert_ptr_equal(section, an_elf_section_at(elf, symbols[i].section));
        assert_ptr_equal(section, an_elf_section(elf, ".text"));
        size_t inside = symbols[i].address - section->address;
        assert_memory_equal(an_elf_section_bytes(elf, section).data + inside, a_function_to_find,
                            4);
    }
    assert_int_equal(found, 1);
    an_elf_close(elf);
}

static void knows_dynamic_symbols_and_segments(void **state)
{
    (void)state;
    struct an_elf *elf = open_self();
    const struct an_elf_symbol *symbols;
    struct an_error error;
    size_t count, segments, found = 0, executable = 0;
    assert_int_equal(an_elf_dynamic_symbols(elf, &symbols, &count, &error), AN_OK);
    for (size_t i = 0; i < count; i++)
        found += strcmp(symbols[i].name, "__libc_start_main") == 0 ||
                 strcmp(symbols[i].name, "free") == 0;
    assert_true(found >= 1);
    const struct an_elf_segment *segment = an_elf_segments(elf, &segments);
    for (size_t i = 0; i < segments; i++)
        executable += (segment[i].flags & PF_X) != 0;
    assert_true(executable >= 1);
    assert_int_equal(an_elf_machine(elf), EM_X86_64);
    assert_null(an_elf_section(elf, ".no.such.section"));
    assert_null(an_elf_section_containing(elf, UINT64_MAX));
    assert_null(an_elf_at(elf, UINT64_MAX - 3, 8));
    an_elf_close(elf);
}

static void refuses_what_is_no_binary(void **state)
{
    (void)state;
    struct an_elf *elf;
    struct an_error error;
    assert_int_equal(an_elf_open("/dev/null", &elf, &error), AN_UNKNOWN);
    assert_null(elf);
    assert_int_equal(an_elf_open("/no/such/file", &elf, &error), AN_SYSTEM);
}

/* Whatever a cut or altered file says of itself, nothing outside of it is read. */
static void survives_damage(void **state)
{
    (void)state;
    struct an_elf *whole = open_self();
    struct an_bytes bytes = an_elf_bytes(whole);
    size_t size = bytes.size < 200000 ? bytes.size : 200000;
    uint8_t *copy = malloc(bytes.size);
    assert_non_null(copy);
    unsigned seed = 1;
    for (int round = 0; round < 300; round++) {
        char path[40];
        int fd = memfd_create("damaged", MFD_CLOEXEC);
        assert_true(fd >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        memcpy(copy, bytes.data, bytes.size);
        size_t length = round % 3 ? bytes.size : size * (size_t)round / 300;
        for (int i = 0; i < 8; i++) {
            seed = seed * 1103515245u + 12345u;
            size_t tables = i % 2 ? 64 + (seed >> 8) % 700 : bytes.size - 1 - (seed >> 8) % 2400;
            copy[tables] = (uint8_t)(seed >> 24);
        }
        assert_int_equal(write(fd, copy, length), (ssize_t)length);
        struct an_elf *elf;
        struct an_error error;
        if (an_elf_open(path, &elf, &error) == AN_OK) {
            const struct an_elf_symbol *symbols;
            size_t count, sections;
            an_elf_symbols(elf, &symbols, &count, &error);
            an_elf_dynamic_symbols(elf, &symbols, &count, &error);
            const struct an_elf_section *section = an_elf_sections(elf, &sections);
            uint64_t sum = 0;
            for (size_t i = 0; i < sections; i++) {
                struct an_bytes content = an_elf_section_bytes(elf, &section[i]);
                for (size_t k = 0; k < content.size; k += 64)
                    sum += content.data[k];
            }
            an_elf_build_id(elf);
            assert_true(sum < UINT64_MAX);
        }
        an_elf_close(elf);
        close(fd);
    }
    free(copy);
    an_elf_close(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_symbol_where_it_is),
        cmocka_unit_test(knows_dynamic_symbols_and_segments),
        cmocka_unit_test(refuses_what_is_no_binary),
        cmocka_unit_test(survives_damage),
    };
    return RUN_TESTS(tests);
}
