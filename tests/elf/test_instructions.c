/* Which instructions do the same in two binaries, wherever they lie. */
#include "elf/instructions.h"

#include "support/elf_build.h"
#include "support/test.h"

enum { HERE = 0x1000, THERE = 0x5000, ROOM = 32 };

static struct an_elf *make(uint64_t address, const uint8_t *code, size_t size)
{
    struct elf_builder b = {0};
    static uint8_t bytes[2][ROOM];
    static unsigned number;
    uint8_t *to = bytes[number++ % 2];
    memset(to, 0x90, ROOM);
    memcpy(to, code, size);
    elf_section(&b, ".text", address, SHF_EXECINSTR, to, ROOM);
    return elf_open(&b);
}

static unsigned same(const uint8_t *one, size_t size, const uint8_t *other, size_t other_size)
{
    const struct an_arch *arch = an_arch_x86_64();
    struct an_elf *first = make(HERE, one, size), *second = make(THERE, other, other_size);
    unsigned length = an_elf_same_instruction(arch, first, HERE, second, THERE);
    an_elf_close(first);
    an_elf_close(second);
    return length;
}

static void compares_bytes(void **state)
{
    (void)state;
    static const uint8_t push[] = {0x55}, other_push[] = {0x53},
                         landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
    static const uint8_t sub[] = {0x48, 0x81, 0xec, 0x98, 0, 0, 0},
                         sub_less[] = {0x48, 0x83, 0xec, 0x18};
    assert_int_equal(same(push, 1, push, 1), 1);
    assert_int_equal(same(push, 1, other_push, 1), 0);
    assert_int_equal(same(landing, 4, landing, 4), 4);
    assert_int_equal(same(sub, 7, sub, 7), 7);
    assert_int_equal(same(sub, 7, sub_less, 4), 0);
}

/* mov DISTANCE(%rip), %eax; movl $1, DISTANCE(%rip) */
static void compares_what_distances_lead_to(void **state)
{
    (void)state;
    const int32_t to = 0x9000, here = to - (HERE + 6), there = to - (THERE + 6);
    uint8_t one[] = {0x8b, 0x05, 0, 0, 0, 0}, other[] = {0x8b, 0x05, 0, 0, 0, 0};
    memcpy(one + 2, &here, 4);
    memcpy(other + 2, &there, 4);
    assert_int_equal(same(one, 6, other, 6), 6);
    assert_int_equal(same(one, 6, one, 6), 0);
    other[1] = 0x0d; /* to another register */
    assert_int_equal(same(one, 6, other, 6), 0);
    const int32_t here_10 = to - (HERE + 10), there_10 = to - (THERE + 10);
    uint8_t put[] = {0xc7, 0x05, 0, 0, 0, 0, 1, 0, 0, 0},
            put_other[] = {0xc7, 0x05, 0, 0, 0, 0, 1, 0, 0, 0};
    memcpy(put + 2, &here_10, 4);
    memcpy(put_other + 2, &there_10, 4);
    assert_int_equal(same(put, 10, put_other, 10), 10);
    put_other[6] = 2;
    assert_int_equal(same(put, 10, put_other, 10), 0);
}

/* Branches lead elsewhere; a lock belongs to what follows. */
static void takes_ordinary_instructions_only(void **state)
{
    (void)state;
    static const uint8_t codes[][6] = {{0xe8, 0, 0, 0, 0},
                                       {0xe9, 0, 0, 0, 0},
                                       {0xeb, 0},
                                       {0x74, 0},
                                       {0xff, 0xd0},
                                       {0xff, 0xe0},
                                       {0xc3},
                                       {0x0f, 0x0b},
                                       {0xf0, 0x48, 0xff, 0x00},
                                       {0x06} /* none */};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_int_equal(same(codes[i], 6, codes[i], 6), 0);
}

static void stays_in_the_file(void **state)
{
    (void)state;
    const struct an_arch *arch = an_arch_x86_64();
    static const uint8_t push[] = {0x55};
    struct an_elf *elf = make(HERE, push, 1);
    assert_int_equal(an_elf_same_instruction(arch, elf, HERE + ROOM - 1, elf, HERE + 1), 1);
    assert_int_equal(an_elf_same_instruction(arch, elf, HERE + ROOM, elf, HERE + 1), 0);
    assert_int_equal(an_elf_same_instruction(arch, elf, HERE + 1, elf, 0x9000), 0);
    an_elf_close(elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_bytes),
        cmocka_unit_test(compares_what_distances_lead_to),
        cmocka_unit_test(takes_ordinary_instructions_only),
        cmocka_unit_test(stays_in_the_file),
    };
    return RUN_TESTS(tests);
}
