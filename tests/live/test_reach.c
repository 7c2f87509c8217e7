/*
 * Which entries may be changed: code of a few bytes, for each reason why one may not.
 *
 *     1000   the function under test, 64 bytes: what a case says, then nops
 *     1040   another one, 64 bytes: likewise
 */
#include "live/generation.h"

#include "support/elf_build.h"
#include "support/test.h"

enum { TEXT = 0x1000, SIZE = 64, OTHER = TEXT + SIZE, DATA = 0x5000 };

struct made {
    struct elf_builder builder;
    uint8_t code[2 * SIZE];
    unsigned text, data;
};

static void make(struct made *made)
{
    static const uint8_t word[8];
    *made = (struct made){0};
    memset(made->code, 0x90, sizeof made->code);
    made->code[SIZE - 1] = made->code[2 * SIZE - 1] = 0xc3;
    made->text =
        elf_section(&made->builder, ".text", TEXT, SHF_EXECINSTR, made->code, sizeof made->code);
    made->data = elf_section(&made->builder, ".data", DATA, SHF_WRITE, word, sizeof word);
}

/* Adds the symbols, so that others can come before and behind. */
static unsigned name(struct made *made)
{
    unsigned f = elf_symbol(&made->builder, "f", STB_GLOBAL, STT_FUNC, made->text, TEXT, SIZE);
    elf_symbol(&made->builder, "g", STB_GLOBAL, STT_FUNC, made->text, OTHER, SIZE);
    return f;
}

/* What is said about a jump at a place of a function: behind a first instruction of one byte. */
static const char *objection_at(const struct an_reach *reach, uint64_t place, uint64_t size)
{
    return an_reach_objection(reach, place - 1, size + 1, 1);
}

static const char *objection(struct made *made, uint64_t entry, uint64_t size)
{
    struct an_elf *elf = elf_open(&made->builder);
    struct an_functions functions;
    struct an_reach reach;
    struct an_error error;
    assert_int_equal(an_functions_find(elf, &functions, &error), AN_OK);
    assert_int_equal(an_reach_of_original(elf, &functions, &reach, &error), AN_OK);
    const char *why = objection_at(&reach, entry, size);
    an_reach_free(&reach);
    an_functions_free(&functions);
    an_elf_close(elf);
    return why;
}

/* What is said about f with some bytes in f and some in g. */
static const char *with_code(const void *in_f, size_t f_size, const void *in_g, size_t g_size)
{
    struct made made;
    make(&made);
    memcpy(made.code, in_f, f_size);
    memcpy(made.code + SIZE, in_g, g_size);
    name(&made);
    return objection(&made, TEXT, SIZE);
}

static void expect(const char *why, const char *word)
{
    if (word)
        check(why && strstr(why, word), "expected '%s', found '%s'", word, why ? why : "none");
    else
        check(!why, "expected none, found '%s'", why);
}

static void needs_the_same_first_instruction(void **state)
{
    (void)state;
    struct an_reach nothing = {0};
    expect(an_reach_objection(&nothing, TEXT, SIZE, 0), "first instruction");
    expect(an_reach_objection(&nothing, TEXT, 3, 4), "short");
    expect(an_reach_objection(&nothing, TEXT, 4 + 4, 4), "short");
    expect(an_reach_objection(&nothing, TEXT, 4 + 5, 4), NULL);
}

/* A breakpoint where nothing is done may come and go, wherever it is on the way. */
static void leaves_room_for_probes(void **state)
{
    (void)state;
    for (int at = -2; at < 8; at++) {
        uint64_t leads[4] = {0}, returns[4] = {0};
        struct an_reach reach = {
            .start = TEXT, .end = TEXT + 64, .leads = leads, .returns = returns};
        an_reach_probe(&reach, (uint64_t)(TEXT + 8 + at));
        expect(objection_at(&reach, TEXT + 8, SIZE), at >= 0 && at < 5 ? "branch" : NULL);
    }
}

static void needs_five_bytes_on_one_page(void **state)
{
    (void)state;
    struct made made;
    make(&made);
    name(&made);
    expect(objection(&made, TEXT, 4), "short");
    expect(objection(&made, TEXT, 5), NULL);
    struct an_reach nothing = {0};
    for (uint64_t entry = 0x1ff0; entry < 0x2010; entry++)
        expect(objection_at(&nothing, entry, SIZE),
               entry > 0x1ffb && entry < 0x2000 ? "two pages" : NULL);
}

/* A branch of every kind, from another function, to every byte. */
static void sees_branches_from_elsewhere(void **state)
{
    (void)state;
    for (int to = -1; to <= 6; to++) {
        const char *expected = to >= 1 && to <= 4 ? "branch" : NULL;
        const int distance = TEXT + to - OTHER;
        const uint8_t near_jump[] = {0xeb, (uint8_t)(distance - 2)};
        const uint8_t near_if[] = {0x74, (uint8_t)(distance - 2)};
        const uint8_t counting[] = {0xe2, (uint8_t)(distance - 2)};
        uint8_t far_jump[] = {0xe9, 0, 0, 0, 0}, far_if[] = {0x0f, 0x84, 0, 0, 0, 0};
        uint8_t call[] = {0xe8, 0, 0, 0, 0};
        memcpy(far_jump + 1, &(int){distance - 5}, 4);
        memcpy(call + 1, &(int){distance - 5}, 4);
        memcpy(far_if + 2, &(int){distance - 6}, 4);
        expect(with_code("", 0, near_jump, sizeof near_jump), expected);
        expect(with_code("", 0, near_if, sizeof near_if), expected);
        expect(with_code("", 0, counting, sizeof counting), expected);
        expect(with_code("", 0, far_jump, sizeof far_jump), expected);
        expect(with_code("", 0, far_if, sizeof far_if), expected);
        expect(with_code("", 0, call, sizeof call), expected);
    }
}

/* What is said to be longer than it is. */
static void sees_the_next_function(void **state)
{
    (void)state;
    for (unsigned to = 3; to < 7; to++) {
        struct made made;
        make(&made);
        elf_symbol(&made.builder, "f", STB_GLOBAL, STT_FUNC, made.text, TEXT, to);
        elf_symbol(&made.builder, "g", STB_GLOBAL, STT_FUNC, made.text, TEXT + to, SIZE);
        expect(objection(&made, TEXT, SIZE), to < 5 ? "branch" : NULL);
    }
}

/* push; L: ...; jmp L within the function itself. */
static void sees_branches_from_within(void **state)
{
    (void)state;
    static const uint8_t loop[] = {0x55, 0x90, 0x90, 0x90, 0x90, 0x90, 0xeb, 0xf9};
    static const uint8_t whole[] = {0x55, 0x90, 0x90, 0x90, 0x90, 0x90, 0xeb, 0xf8};
    static const uint8_t behind[] = {0x55, 0x90, 0x90, 0x90, 0x90, 0x90, 0xeb, 0xfd};
    expect(with_code(loop, sizeof loop, "", 0), "branch");
    expect(with_code(whole, sizeof whole, "", 0), NULL); /* a loop to the entry itself */
    expect(with_code(behind, sizeof behind, "", 0), NULL);
}

static void sees_calls_that_end_inside(void **state)
{
    (void)state;
    static const uint8_t indirect[] = {0xff, 0xd0};
    static const uint8_t memory[] = {0xff, 0x50, 0x08};
    static const uint8_t late[] = {0x55, 0x90, 0xff, 0x50, 0x08};
    static const uint8_t direct[] = {0xe8, 0, 1, 0, 0};
    static const uint8_t pushed[] = {0x55, 0xe8, 0, 1, 0, 0};
    expect(with_code(indirect, sizeof indirect, "", 0), "call");
    expect(with_code(memory, sizeof memory, "", 0), "call");
    expect(with_code(late, sizeof late, "", 0), NULL); /* returns to byte 5 */
    expect(with_code(direct, sizeof direct, "", 0), NULL);
    expect(with_code(pushed, sizeof pushed, "", 0), NULL);
}

/*
 * A thread that waits in a system call is behind the instruction, and makes the call again from the
 * instruction itself when it was interrupted.
 */
static void sees_system_calls_that_are_made_again(void **state)
{
    (void)state;
    static const uint8_t stub[] = {0x48, 0x89, 0xf8, 0x0f, 0x05, 0xc3}; /* mov %rdi, %rax */
    static const uint8_t late[] = {0xb8, 0x27, 0, 0, 0, 0x0f, 0x05, 0xc3};
    static const uint8_t early[] = {0x31, 0xc0, 0x0f, 0x05, 0xc3};
    check(with_code(stub, sizeof stub, "", 0), "a system call at byte 3");
    check(with_code(early, sizeof early, "", 0), "a system call at byte 2");
    expect(with_code(late, sizeof late, "", 0), NULL);
}

static void sees_addresses_in_data(void **state)
{
    (void)state;
    static const uint32_t absolute[] = {R_X86_64_64, R_X86_64_32, R_X86_64_32S};
    for (uint64_t addend = 0; addend < 8; addend++) {
        for (size_t i = 0; i < 3; i++) {
            struct made made;
            make(&made);
            unsigned f = name(&made);
            elf_relocation(&made.builder, made.data, DATA, absolute[i], f, addend);
            expect(objection(&made, TEXT, SIZE), addend >= 1 && addend <= 4 ? "branch" : NULL);
        }
        struct made made;
        make(&made);
        name(&made);
        elf_relocation(&made.builder, made.data, DATA, R_X86_64_RELATIVE, 0, TEXT + addend);
        expect(objection(&made, TEXT, SIZE), addend >= 1 && addend <= 4 ? "branch" : NULL);
    }
    struct made made;
    make(&made);
    unsigned f = name(&made);
    elf_relocation(&made.builder, made.data, DATA, R_X86_64_PC32, f, 2);  /* a distance */
    elf_relocation(&made.builder, made.data, DATA, R_X86_64_64, 1000, 2); /* no such symbol */
    expect(objection(&made, TEXT, SIZE), NULL);
}

static void sees_other_entries(void **state)
{
    (void)state;
    for (uint64_t at = 1; at < 8; at++) {
        struct made made;
        make(&made);
        name(&made);
        elf_symbol(&made.builder, "inner", STB_GLOBAL, STT_FUNC, made.text, TEXT + at, SIZE - at);
        expect(objection(&made, TEXT, SIZE), at <= 4 ? "branch" : NULL);
    }
}

/* A CIE "zPLR", an FDE for f with a table of landing pads at 4000: one of them, at f + 2 or f + 9. */
static void sees_landing_pads(void **state)
{
    (void)state;
    for (unsigned pad = 0; pad < 10; pad++) {
        static const uint8_t cie[] = {1, 'z',  'P',  'L',  'R', 0, 1,    0x78, 16,
                                      7, 0x03, 0x11, 0x22, 0,   0, 0x1b, 0x1b};
        uint8_t frames[64] = {24}, lsda[] = {0xff, 0xff, 0x01, 4, 0, 5, 0, 0};
        struct made made;
        make(&made);
        memcpy(frames + 8, cie, sizeof cie);
        const uint32_t fde[] = {24, 32, TEXT - (0x3000u + 36), SIZE};
        memcpy(frames + 28, fde, sizeof fde);
        frames[44] = 4;
        memcpy(frames + 45, &(uint32_t){0x4000 - (0x3000 + 45)}, 4);
        lsda[6] = (uint8_t)pad;
        elf_section(&made.builder, ".eh_frame", 0x3000, 0, frames, sizeof frames);
        elf_section(&made.builder, ".gcc_except_table", 0x4000, 0, lsda, sizeof lsda);
        name(&made);
        expect(objection(&made, TEXT, SIZE), pad >= 1 && pad <= 4 ? "branch" : NULL);
    }
}

/* The calls that can be led elsewhere: those with a distance of 32 bits, where it stands, and whether that is what the
 * linker was asked for. */
static void keeps_calls(void **state)
{
    (void)state;
    static const uint8_t code[] = {0xe8, 0x3b, 0,    0,    0,       /* call g */
                                   0x0f, 0x85, 0x35, 0,    0,    0, /* jne g */
                                   0xe9, 0x30, 0,    0,    0,       /* jmp g */
                                   0xeb, 0x2e, 0x48, 0xb8, 0xe8, 1, /* jmp g; an e8 in a number */
                                   0,    0,    0,    0,    0,    0};
    static const uint64_t where[] = {1, 7, 12};
    static const bool is_linked[] = {true, false, true};
    struct made made;
    struct an_functions functions;
    struct an_reach reach;
    struct an_error error;
    make(&made);
    memcpy(made.code, code, sizeof code);
    unsigned g = name(&made) + 1;
    elf_relocation(&made.builder, made.text, TEXT + 1, R_X86_64_PLT32, g, (uint64_t)-4);
    elf_relocation(&made.builder, made.text, TEXT + 7, R_X86_64_PC32, g, 0); /* elsewhere */
    elf_relocation(&made.builder, made.text, TEXT + 12, R_X86_64_PC32, g, (uint64_t)-4);
    struct an_elf *elf = elf_open(&made.builder);
    assert_int_equal(an_functions_find(elf, &functions, &error), AN_OK);
    assert_int_equal(an_reach_of_original(elf, &functions, &reach, &error), AN_OK);
    assert_int_equal(reach.calls.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(reach.calls.items[i].distance, TEXT + where[i]);
        assert_int_equal(reach.calls.items[i].target, OTHER);
        assert_int_equal(an_reach_is_linked(&reach, &reach.calls.items[i]), is_linked[i]);
    }
    an_reach_free(&reach);
    an_functions_free(&functions);
    an_elf_close(elf);
}

/* New code: block starts of the translation, and branches. */
static void reads_layouts(void **state)
{
    (void)state;
    static const uint8_t code[16] = {0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xeb, 0xfa};
    struct elf_builder b = {0};
    struct an_bat_function functions[] = {
        {.address = TEXT, .size = 8, .entry_count = 2},
        {.address = TEXT + 8, .size = 8, .first_entry = 2, .entry_count = 2, .parent = 1}};
    struct an_bat_entry entries[] = {{0, 0}, {3, 3 << 1 | 1}, {0, 0}, {3, 3 << 1}};
    struct an_bat bat = {
        .functions = functions, .function_count = 2, .entries = entries, .entry_count = 4};
    struct an_reach reach;
    struct an_error error;
    elf_section(&b, ".text", TEXT, SHF_EXECINSTR, code, sizeof code);
    struct an_elf *elf = elf_open(&b);
    assert_int_equal(an_reach_of_layout(elf, &bat, TEXT, TEXT + 0x1000, &reach, &error), AN_OK);
    expect(objection_at(&reach, TEXT, 8), "branch");     /* its own, to byte 2 */
    expect(objection_at(&reach, TEXT + 8, 8), "branch"); /* a block begins at byte 3 */
    assert_int_equal(reach.calls.count, 0);
    an_reach_free(&reach);
    entries[3].input |= 1; /* no block, but a branch */
    assert_int_equal(an_reach_of_layout(elf, &bat, TEXT, TEXT + 0x1000, &reach, &error), AN_OK);
    expect(objection_at(&reach, TEXT + 8, 8), NULL);
    an_reach_free(&reach);
    an_elf_close(elf);
}

/* What llvm-bolt says of the blocks of a function in the original, also of those in its cold part. */
static void knows_blocks_of_moved_functions(void **state)
{
    (void)state;
    enum { HOT = 0x10000, COLD = 0x20000, STAYS = 0x30000 };
    for (uint32_t input = 0; input < 8; input++)
        for (uint32_t which = 0; which < 3; which++) {
            struct an_bat_function functions[] = {
                {.address = HOT, .size = 8, .entry_count = 1},
                {.address = COLD, .size = 8, .first_entry = 1, .entry_count = 1, .is_cold = true},
                {.address = STAYS, .size = 8, .first_entry = 2, .entry_count = 1, .parent = 2}};
            struct an_bat_entry entries[3] = {0};
            struct an_bat bat = {
                .functions = functions, .function_count = 3, .entries = entries, .entry_count = 3};
            uint64_t originals[3] = {TEXT}, leads[4] = {0}, returns[4] = {0};
            struct an_generation generation = {.bat = &bat, .originals = originals};
            struct an_reach reach = {
                .start = TEXT, .end = TEXT + 64, .leads = leads, .returns = returns};
            entries[which].input = input << 1;
            an_generation_lead(&generation, &reach);
            expect(an_reach_objection(&reach, TEXT, SIZE, 1),
                   which < 2 && input > 1 && input < 6 ? "branch" : NULL);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needs_the_same_first_instruction),
        cmocka_unit_test(leaves_room_for_probes),
        cmocka_unit_test(needs_five_bytes_on_one_page),
        cmocka_unit_test(sees_branches_from_elsewhere),
        cmocka_unit_test(sees_the_next_function),
        cmocka_unit_test(sees_branches_from_within),
        cmocka_unit_test(sees_calls_that_end_inside),
        cmocka_unit_test(sees_system_calls_that_are_made_again),
        cmocka_unit_test(sees_addresses_in_data),
        cmocka_unit_test(sees_other_entries),
        cmocka_unit_test(sees_landing_pads),
        cmocka_unit_test(keeps_calls),
        cmocka_unit_test(reads_layouts),
        cmocka_unit_test(knows_blocks_of_moved_functions),
    };
    return RUN_TESTS(tests);
}
