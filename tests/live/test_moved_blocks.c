/*
 * Where threads go over in the middle of a function: at heads of loops and, where jumps lead anywhere, behind what does not go
 * on; where llvm-bolt says that the block is, and only if it begins with the same instruction there.
 */
#include "live/moved_blocks.h"

#include "support/bat_build.h"
#include "support/elf_build.h"
#include "support/test.h"

enum { TEXT = 0x1000, NEW = 0x600000, SIZE = 0x40 };

/*
 * 00 push         0b nop, nop...      1c xor %edi, %edi
 * 01 xor  <---.   10 xor  <-- case    1e ret
 * 03 inc      |   12 jmp 01
 * 05 test     |   14 xor  <-- case
 * 07 jne 01 --'   16 inc  <-- case of its own
 * 09 jmp *%rax    18 xor
 *                 1a jmp 16
 */
static const uint8_t old_code[] = {
    0x55, 0x31, 0xc0, 0xff, 0xc0, 0x85, 0xc0, 0x75, 0xf8, 0xff, 0xe0, 0x90, 0x90, 0x90, 0x90, 0x90,
    0x31, 0xc9, 0xeb, 0xed, 0x31, 0xd2, 0xff, 0xc2, 0x31, 0xf6, 0xeb, 0xfa, 0x31, 0xff, 0xc3,
};
enum {
    PUSH = 0,
    HEAD = 1,
    MIDDLE = 5,
    JUMP = 9,
    CASE = 0x10,
    OTHER = 0x14,
    NEXT = 0x16,
    LAST = 0x1c
};

/* The case before all, and the last one begins otherwise. */
static const struct built_entry entries[] = {
    {.output = 0, .input = PUSH},
    {.output = 0x04, .input = CASE},
    {.output = 0x08, .input = HEAD},
    {.output = 0x0c, .input = MIDDLE},
    {.output = 0x10, .input = JUMP, .is_branch = true},
    {.output = 0x14, .input = OTHER},
    {.output = 0x18, .input = NEXT},
    {.output = 0x1c, .input = LAST},
};

struct made {
    uint8_t code[SIZE], copy[SIZE];
    struct an_elf *original;
    struct an_generation generation;
    struct an_moved moved;
};

static void begin(struct made *made)
{
    *made = (struct made){0};
    memset(made->code, 0x90, sizeof made->code);
    memcpy(made->code, old_code, sizeof old_code);
    memset(made->copy, 0x90, sizeof made->copy);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        memcpy(made->copy + entries[i].output, old_code + entries[i].input, 2);
    made->copy[0x1d] = 0xc0; /* xor %eax, %eax */
}

static struct an_elf *elf_of(const uint8_t *code, uint64_t address)
{
    struct elf_builder b = {0};
    elf_section(&b, ".text", address, SHF_EXECINSTR, code, SIZE);
    return elf_open(&b);
}

static void find(struct made *made)
{
    const struct built_function function = {
        .address = NEW, .blocks = 8, .count = sizeof entries / sizeof *entries, .entries = entries};
    struct an_buffer section = bat_build(AN_BAT_HASHES, &function, 1, false);
    struct an_generation *generation = &made->generation;
    struct an_error error;
    made->original = elf_of(made->code, TEXT);
    generation->elf = elf_of(made->copy, NEW);
    assert_int_equal(
        an_bat_parse((struct an_bytes){section.data, section.size}, NULL, &generation->bat, &error),
        AN_OK);
    an_buffer_free(&section);
    generation->bat->functions[0].size = SIZE;
    made->moved = (struct an_moved){TEXT, NEW, SIZE, SIZE, 1};
    generation->moved.items = &made->moved;
    generation->moved.count = 1;
    assert_int_equal(an_moved_blocks_find(generation, made->original, &error), AN_OK);
}

static void end(struct made *made)
{
    an_vector_free(&made->generation.blocks);
    an_bat_free(made->generation.bat);
    an_elf_close(made->generation.elf);
    an_elf_close(made->original);
}

static void expect_block(const struct made *made, uint32_t input, uint32_t output)
{
    const struct an_moved *block = an_moved_find(&made->generation.blocks, TEXT + input);
    check(block != NULL, "no block at %#x", input);
    assert_int_equal(block->original, TEXT + input);
    assert_int_equal(block->address, NEW + output);
    assert_int_equal(block->original_size, SIZE - input);
    assert_int_equal(block->size, SIZE - output);
    assert_int_equal(block->first, 2);
}

static bool has(const struct made *made, uint32_t input)
{
    return an_moved_find(&made->generation.blocks, TEXT + input) != NULL;
}

static void finds_cases(void **state)
{
    (void)state;
    struct made made;
    begin(&made);
    find(&made);
    assert_false(has(&made, PUSH)); /* the entry has its own jump... */
    assert_false(has(&made, HEAD)); /* ...which would be there */
    assert_false(has(&made, MIDDLE));
    expect_block(&made, CASE, 0x04);
    expect_block(&made, OTHER, 0x14);
    assert_false(has(&made, NEXT)); /* where the jump of the one before it is */
    assert_false(has(&made, LAST)); /* other code */
    assert_int_equal(made.generation.blocks.count, 2);
    end(&made);
}

static void finds_heads(void **state)
{
    (void)state;
    struct made made;
    begin(&made);
    made.code[JUMP] = 0xff; /* incl %eax: no jump */
    made.code[JUMP + 1] = 0xc0;
    made.code[JUMP + 2] = 0xc3;
    made.code[0x14] = 0x90; /* padding is not what leads to the next one */
    made.code[0x15] = 0x90;
    find(&made);
    assert_false(has(&made, CASE));
    expect_block(&made, NEXT, 0x18);
    assert_int_equal(made.generation.blocks.count, 1);
    end(&made);
}

/* An instruction that is not known may lead anywhere. */
static void leaves_what_it_cannot_read(void **state)
{
    (void)state;
    struct made made;
    begin(&made);
    made.code[0x20] = 0x06;
    find(&made);
    assert_int_equal(made.generation.blocks.count, 0);
    assert_false(has(&made, CASE));
    end(&made);
}

/* A size that no file has. */
static void leaves_what_is_not_there(void **state)
{
    (void)state;
    struct made made;
    struct an_error error;
    begin(&made);
    find(&made);
    made.generation.blocks.count = 0;
    made.moved.original_size = UINT64_MAX / 2;
    assert_int_equal(an_moved_blocks_find(&made.generation, made.original, &error), AN_OK);
    assert_int_equal(made.generation.blocks.count, 0);
    end(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_cases),
        cmocka_unit_test(finds_heads),
        cmocka_unit_test(leaves_what_it_cannot_read),
        cmocka_unit_test(leaves_what_is_not_there),
    };
    return RUN_TESTS(tests);
}
