/* What an instruction set says of instructions and relocations, without a binary around them. */
#include "arch/arch.h"

#include <elf.h>

#include "support/test.h"

enum { HERE = 0x1000 };

static struct an_instruction decode(const uint8_t *bytes, size_t size)
{
    struct an_instruction instruction = {0};
    if (!an_arch_of(EM_X86_64)->decode(bytes, size, HERE, &instruction))
        instruction.length = 0;
    return instruction;
}

#define DECODE(...) decode((const uint8_t[]){__VA_ARGS__}, sizeof(uint8_t[]){__VA_ARGS__})

static void is_found_by_machine(void **state)
{
    (void)state;
    assert_string_equal(an_arch_of(EM_X86_64)->name, "x86-64");
    assert_null(an_arch_of(EM_AARCH64));
    assert_null(an_arch_of(EM_NONE));
}

static void tells_kinds(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[4], size, kind;
    } known[] = {
        {{0x55}, 1, AN_ORDINARY},
        {{0xff, 0xd0}, 2, AN_INDIRECT_CALL},
        {{0xff, 0xe0}, 2, AN_INDIRECT_JUMP},
        {{0xeb, 0}, 2, AN_JUMP},
        {{0x75, 0}, 2, AN_CONDITIONAL_JUMP},
        {{0xe2, 0}, 2, AN_COUNTING_JUMP},
        {{0xc3}, 1, AN_RETURN},
        {{0xf3, 0xc3}, 2, AN_RETURN},
        {{0x0f, 0x0b}, 2, AN_STOP},
        {{0xf4}, 1, AN_STOP},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct an_instruction instruction = decode(known[i].bytes, known[i].size);
        assert_int_equal(instruction.length, known[i].size);
        assert_int_equal(instruction.kind, known[i].kind);
    }
    assert_int_equal(DECODE(0x06).length, 0); /* none in 64-bit code */
    assert_int_equal(DECODE(0xe8, 0, 0).length, 0);
}

static void tells_targets(void **state)
{
    (void)state;
    struct an_instruction call = DECODE(0xe8, 0x10, 0, 0, 0), jump = DECODE(0xeb, 0xfe);
    assert_int_equal(call.kind, AN_CALL);
    assert_int_equal(call.target, HERE + 5 + 0x10);
    assert_true(call.has_far_target);
    assert_int_equal(jump.target, HERE);
    assert_false(jump.has_far_target);
    assert_true(DECODE(0x0f, 0x85, 0, 0, 0, 0).has_far_target);
    assert_false(DECODE(0x75, 0).has_far_target);
    assert_false(DECODE(0xc7, 0xf8, 0, 0, 0, 0).has_far_target); /* xbegin */
    struct an_instruction load = DECODE(0x8b, 0x05, 0x20, 0, 0, 0);
    assert_true(load.has_address);
    assert_int_equal(load.address, HERE + 6 + 0x20);
    assert_int_equal(load.address_at, 2);
}

static void tells_what_is_special(void **state)
{
    (void)state;
    assert_true(DECODE(0x90).is_nop);
    assert_true(DECODE(0x0f, 0x1f, 0x44, 0, 0).is_nop);
    assert_true(DECODE(0xcc).is_breakpoint);
    assert_true(DECODE(0xf3, 0x0f, 0x1e, 0xfa).is_landing);
    assert_true(DECODE(0x5d).is_pop);
    assert_true(DECODE(0xc9).is_pop);
    assert_true(DECODE(0x0f, 0x05).is_system_call);
    assert_true(DECODE(0xcd, 0x80).is_system_call);
    assert_false(DECODE(0xcd, 0x81).is_system_call);
    struct an_instruction plain = DECODE(0x48, 0x89, 0xe5);
    assert_false(plain.is_nop || plain.is_breakpoint || plain.is_landing || plain.is_pop ||
                 plain.is_system_call || plain.has_address);
}

static void finds_address_fields(void **state)
{
    (void)state;
    struct an_address_field fields[AN_MOST_ADDRESS_FIELDS];
    size_t count;
    static const uint8_t lea[] = {0x48, 0x8d, 0x05, 0x10, 0, 0, 0},
                         move[] = {0xc7, 0x05, 0x10, 0, 0, 0, 0x00, 0x20, 0x40, 0x80},
                         wide[] = {0x48, 0xb8, 8, 7, 6, 5, 4, 3, 2, 1},
                         call[] = {0xe8, 0x10, 0, 0, 0};
    uint8_t (*find)(const struct an_bytes_at *, struct an_address_field[AN_MOST_ADDRESS_FIELDS],
                    size_t *) = an_arch_x86_64()->address_fields;
    assert_int_equal(find(&(struct an_bytes_at){lea, sizeof lea, HERE}, fields, &count), 7);
    assert_int_equal(count, 1);
    assert_int_equal(fields[0].at, 3);
    assert_int_equal(fields[0].size, 4);
    assert_int_equal(fields[0].value, HERE + 7 + 0x10);
    assert_int_equal(fields[0].base, HERE + 7);
    assert_int_equal(find(&(struct an_bytes_at){move, sizeof move, HERE}, fields, &count), 10);
    assert_int_equal(count, 2);
    assert_int_equal(fields[0].value, HERE + 10 + 0x10);
    assert_int_equal(fields[1].at, 6);
    assert_int_equal(fields[1].value, 0x80402000);
    assert_int_equal(fields[1].base, 0);
    assert_int_equal(find(&(struct an_bytes_at){wide, sizeof wide, HERE}, fields, &count), 10);
    assert_int_equal(count, 1);
    assert_int_equal(fields[0].size, 8);
    assert_int_equal(fields[0].value, 0x0102030405060708);
    assert_int_equal(find(&(struct an_bytes_at){call, sizeof call, HERE}, fields, &count), 5);
    assert_int_equal(count, 0);
    assert_int_equal(find(&(struct an_bytes_at){call, 2, HERE}, fields, &count), 0);
}

static void sorts_relocations(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        enum an_relocation_form form;
        uint8_t size;
    } known[] = {
        {R_X86_64_64, AN_RELOCATION_ADDRESS, 8},
        {R_X86_64_32S, AN_RELOCATION_ADDRESS, 4},
        {R_X86_64_PC32, AN_RELOCATION_DISTANCE, 4},
        {R_X86_64_PC64, AN_RELOCATION_DISTANCE, 8},
        {R_X86_64_PLT32, AN_RELOCATION_BRANCH, 4},
        {R_X86_64_RELATIVE, AN_RELOCATION_BASE, 8},
        {R_X86_64_JUMP_SLOT, AN_RELOCATION_SLOT, 8},
        {R_X86_64_PC32 | 0x80, AN_RELOCATION_DISTANCE, 4}, /* relaxed by GNU ld */
        {R_X86_64_IRELATIVE, AN_RELOCATION_RESOLVER, 8},
        {R_X86_64_NONE, AN_RELOCATION_OTHER, 0},
        {UINT32_MAX, AN_RELOCATION_OTHER, 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct an_relocation relocation = an_arch_x86_64()->relocation(known[i].type);
        assert_int_equal(relocation.form, known[i].form);
        assert_int_equal(relocation.size, known[i].size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_found_by_machine),  cmocka_unit_test(tells_kinds),
        cmocka_unit_test(tells_targets),        cmocka_unit_test(tells_what_is_special),
        cmocka_unit_test(finds_address_fields), cmocka_unit_test(sorts_relocations),
    };
    return RUN_TESTS(tests);
}
