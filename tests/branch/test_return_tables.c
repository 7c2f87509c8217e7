/*
 * Which functions must stay, since data names what their calls return to: code and data of a few bytes.
 *
 *     1000   f: nop, call g, nop, nop, what a case says, nops; 64 bytes
 *     1040   g: call f, ret, nops; 64 bytes
 *     5000   table, a variable; behind it words without a name
 *     6000   a section that is named by the case
 */
#include "branch/return_tables.h"

#include "support/elf_build.h"
#include "support/test.h"

enum { F = 0x1000, SIZE = 64, G = F + SIZE, BEHIND_CALL = F + 6, BLOCK = F + 8, IN_G = G + 5 };
enum {
    TABLE = 0x5000,
    TABLE_SIZE = 32,
    UNNAMED = TABLE + TABLE_SIZE,
    DATA_SIZE = 64,
    OTHER = 0x6000
};

struct made {
    struct elf_builder builder;
    uint8_t code[2 * SIZE];
    unsigned text, data, other, symbol;
};

/* With `jumps`, f has an indirect jump. `size`: that of f; what follows it is padding. */
static void make_sized(struct made *made, bool jumps, const char *other, uint64_t size)
{
    static const uint8_t call_g[] = {0x90, 0xe8, SIZE - 6, 0, 0, 0, 0x90, 0x90};
    static const uint8_t call_f[] = {0xe8, (uint8_t)-(SIZE + 5), 0xff, 0xff, 0xff, 0xc3};
    static const uint8_t jump[] = {0xff, 0xe0}, words[DATA_SIZE];
    *made = (struct made){0};
    memset(made->code, 0x90, sizeof made->code);
    memcpy(made->code, call_g, sizeof call_g);
    memcpy(made->code + SIZE, call_f, sizeof call_f);
    if (jumps)
        memcpy(made->code + sizeof call_g, jump, sizeof jump);
    struct elf_builder *b = &made->builder;
    made->text = elf_section(b, ".text", F, SHF_EXECINSTR, made->code, sizeof made->code);
    made->data = elf_section(b, ".data", TABLE, SHF_WRITE, words, sizeof words);
    made->other = elf_section(b, other, OTHER, SHF_WRITE, words, sizeof words);
    made->symbol = elf_symbol(b, "", STB_LOCAL, STT_SECTION, made->text, F, 0);
    elf_symbol(b, "f", STB_GLOBAL, STT_FUNC, made->text, F, size);
    elf_symbol(b, "g", STB_GLOBAL, STT_FUNC, made->text, G, SIZE);
    elf_symbol(b, "table", STB_GLOBAL, STT_OBJECT, made->data, TABLE, TABLE_SIZE);
}

static void make(struct made *made, bool jumps, const char *other)
{
    make_sized(made, jumps, other, SIZE);
}

static void word(struct made *made, uint64_t place, uint64_t value)
{
    elf_relocation(&made->builder, place < OTHER ? made->data : made->other, place, R_X86_64_64,
                   made->symbol, value - F);
}

/* The distance from the place itself */
static void distance(struct made *made, uint64_t place, uint64_t value)
{
    elf_relocation(&made->builder, made->data, place, R_X86_64_PC32, made->symbol, value - F);
}

static enum an_code find(struct made *made, char *names, struct an_error *error)
{
    struct an_elf *elf = elf_open(&made->builder);
    struct an_functions functions;
    struct an_named_functions named;
    assert_int_equal(an_functions_find(elf, &functions, error), AN_OK);
    enum an_code code = an_return_tables_find(elf, &functions, &named, error);
    for (size_t i = 0; i < named.count; i++)
        names = stpcpy(names, functions.items[named.items[i]].name);
    *names = '\0';
    an_vector_free(&named);
    an_functions_free(&functions);
    an_elf_close(elf);
    return code;
}

static void expect(struct made *made, const char *expected)
{
    struct an_error error;
    char names[16];
    assert_int_equal(find(made, names, &error), AN_OK);
    assert_string_equal(names, expected);
}

static void what_one_word_says(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        const char *expected;
    } cases[] = {{F, ""},     {F + 1, ""}, {BEHIND_CALL, "f"}, {BEHIND_CALL + 1, ""},
                 {BLOCK, ""}, {G, ""},     {IN_G, "g"},        {G + SIZE, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int jumps = 0; jumps < 2; jumps++) {
            struct made made;
            make(&made, jumps, ".other");
            word(&made, TABLE, cases[i].value);
            expect(&made, cases[i].expected);
            make(&made, jumps, ".other");
            distance(&made, TABLE, cases[i].value);
            expect(&made, cases[i].expected);
        }
}

/* A call that does not return may end its function. What is behind it is padding, or the next function. */
static void calls_at_the_end(void **state)
{
    (void)state;
    enum { CALL = 5, PADDING = 4 };
    for (int padded = 0; padded < 2; padded++) {
        uint64_t size = SIZE - (padded ? PADDING : 0);
        struct made made;
        make_sized(&made, false, ".other", size);
        memcpy(made.code + size - CALL, "\xe8\0\0\0\0", CALL);
        word(&made, TABLE, F + size);
        expect(&made, padded ? "f" : "");
    }
}

/* Places behind calls among others */
static void labels_are_not_returns(void **state)
{
    (void)state;
    for (int jumps = 0; jumps < 2; jumps++) {
        struct made made;
        make(&made, jumps, ".other");
        word(&made, TABLE, BEHIND_CALL);
        word(&made, TABLE + 16, BLOCK); /* of the same variable */
        expect(&made, jumps ? "" : "f");
        make(&made, jumps, ".other");
        word(&made, UNNAMED, BLOCK);
        word(&made, UNNAMED + 8, BEHIND_CALL);
        expect(&made, jumps ? "" : "f");
        make(&made, jumps, ".other"); /* a gap between */
        word(&made, UNNAMED, BLOCK);
        word(&made, UNNAMED + 16, BEHIND_CALL);
        expect(&made, "f");
        make(&made, jumps, ".other"); /* another variable */
        word(&made, UNNAMED - 8, BLOCK);
        word(&made, UNNAMED, BEHIND_CALL);
        expect(&made, "f");
        make(&made, jumps, ".other"); /* g has no jump in any case */
        word(&made, TABLE, BLOCK);
        word(&made, TABLE + 8, IN_G);
        expect(&made, "g");
        make(&made, jumps, ".other");
        word(&made, TABLE, BEHIND_CALL);
        word(&made, TABLE + 8, IN_G);
        expect(&made, "fg");
    }
}

/* The distances of a jump table are from its start: read from themselves, they lead anywhere. */
static void jump_tables_are_not_returns(void **state)
{
    (void)state;
    for (int jumps = 0; jumps < 2; jumps++) {
        struct made made;
        make(&made, jumps, ".other");
        distance(&made, UNNAMED, BLOCK);
        distance(&made, UNNAMED + 4, BEHIND_CALL);
        distance(&made, UNNAMED + 8, IN_G);
        expect(&made, jumps ? "" : "fg");
        make(&made, jumps, ".other");
        distance(&made, UNNAMED, BEHIND_CALL);
        distance(&made, UNNAMED + 4, IN_G);
        expect(&made, "fg");
    }
}

static void other_sections(void **state)
{
    (void)state;
    static const char *const harmless[] = {".eh_frame", ".gcc_except_table", ".gcc_except_table.f",
                                           "__patchable_function_entries"};
    struct made made;
    make(&made, false, ".frames");
    word(&made, OTHER, BEHIND_CALL);
    expect(&made, "f");
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        make(&made, false, harmless[i]);
        word(&made, OTHER, BEHIND_CALL);
        expect(&made, "");
    }
}

static void fragments_stay_with_their_function(void **state)
{
    (void)state;
    struct made made;
    make(&made, false, ".other");
    made.builder.symbols[2].name = "f.cold"; /* that was g */
    word(&made, TABLE, IN_G);
    expect(&made, "ff.cold");
}

static void cannot_be_read(void **state)
{
    (void)state;
    struct made made;
    struct an_error error;
    char names[16];
    make(&made, false, ".other");
    elf_relocation(&made.builder, made.data, TABLE, R_X86_64_64, 1000, 0);
    assert_int_equal(find(&made, names, &error), AN_MALFORMED);
    assert_non_null(strstr(error.what, "symbol 1000"));
}

/* Code of g names a place: relative to itself, and as a number that the linker knows to be an address. */
static void what_code_says(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        const char *expected;
    } cases[] = {{F, ""}, {F + 1, "f"}, {F + SIZE - 9, ""}, {G, ""}, {IN_G, ""}, {TABLE, ""}};
    enum { AT = 16, LEA = 7, MOV = 5 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int linked = 0; linked < 3; linked++) {
            struct made made;
            make_sized(&made, false, ".other", SIZE - 10); /* behind f is padding */
            uint8_t *code = made.code + SIZE + AT;
            uint64_t number = linked ? cases[i].value : cases[i].value - (G + AT + LEA);
            uint32_t operand = (uint32_t)number;
            memcpy(code, linked ? "\xb8" : "\x48\x8d\x05", linked ? 1 : 3);
            memcpy(code + (linked ? 1 : 3), &operand, sizeof operand);
            if (linked == 2)
                elf_relocation(&made.builder, made.text, G + AT + MOV - 4, R_X86_64_32, made.symbol,
                               cases[i].value - F);
            expect(&made, linked == 1 ? "" : cases[i].expected);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_word_says),
        cmocka_unit_test(calls_at_the_end),
        cmocka_unit_test(labels_are_not_returns),
        cmocka_unit_test(jump_tables_are_not_returns),
        cmocka_unit_test(other_sections),
        cmocka_unit_test(fragments_stay_with_their_function),
        cmocka_unit_test(cannot_be_read),
        cmocka_unit_test(what_code_says),
    };
    return RUN_TESTS(tests);
}
