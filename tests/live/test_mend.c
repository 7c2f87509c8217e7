/*
 * Mending: files as llvm-bolt writes them, of a few bytes.
 *
 *     600000   new code: what a case says; functions at 0 and 80, a cold part at c0
 *     601000   .eh_frame: what a case says
 *
 * The function at 600080 was at 401000 in the original.
 */
#include "live/fixup.h"

#include <unistd.h>

#include "support/elf_build.h"
#include "support/test.h"

enum {
    START = 0x600000,
    MOVED = START + 0x80,
    COLD = START + 0xc0,
    FRAMES = START + 0x1000,
    ORIGINAL = 0x401000,
    CODE_SIZE = 0x1000,
    FRAMES_SIZE = 256,
};

struct made {
    uint8_t code[CODE_SIZE], frames[FRAMES_SIZE];
    size_t frames_size;
    struct an_generation generation;
    struct an_bat bat;
    struct an_bat_function functions[3];
    struct an_moved moved[2];
    struct an_fixups mended;
    struct an_buffer skip;
    const char *name; /* of what is at COLD, or NULL */
    struct an_error error;
    uint8_t after[CODE_SIZE + FRAMES_SIZE]; /* the segment */
};

static void begin(struct made *made)
{
    *made = (struct made){
        .functions = {{.address = START, .size = 0x80},
                      {.address = MOVED, .size = 0x40},
                      {.address = COLD, .size = 0x40, .is_cold = true}},
        .moved = {{ORIGINAL - 0x100, START, 0x80, 0x80, 0}, {ORIGINAL, MOVED, 0x40, 0x40, 0}},
    };
    memset(made->code, 0x90, sizeof made->code);
}

static enum an_code mend(struct made *made)
{
    struct elf_builder b = {0};
    struct an_generation *generation = &made->generation;
    unsigned text = elf_section(&b, ".text", START, SHF_EXECINSTR, made->code, sizeof made->code);
    if (made->frames_size)
        elf_section(&b, ".eh_frame", FRAMES, 0, made->frames, made->frames_size);
    if (made->name)
        elf_symbol(&b, made->name, STB_LOCAL, STT_FUNC, text, COLD, 0);
    int file = elf_file(&b);
    made->bat = (struct an_bat){.functions = made->functions, .function_count = 3};
    generation->bat = &made->bat;
    generation->moved.items = made->moved;
    generation->moved.count = 2;
    generation->start = START;
    generation->end = START + 0x2000;
    generation->frames = made->frames_size ? FRAMES : 0;
    snprintf(generation->path, sizeof generation->path, "/proc/self/fd/%d", file);
    assert_int_equal(an_elf_open(generation->path, &generation->elf, &made->error), AN_OK);
    size_t count;
    generation->file_offset = an_elf_segments(generation->elf, &count)[0].offset;
    enum an_code code = an_fixup_file(generation, &made->skip, &made->mended, &made->error);
    assert_int_equal(
        pread(file, made->after, CODE_SIZE + made->frames_size, (off_t)generation->file_offset),
        (ssize_t)(CODE_SIZE + made->frames_size));
    an_elf_close(generation->elf);
    close(file);
    return code;
}

/* ---- operands ---- */

/* An instruction at `at` with a number of 4 or 8 bytes at `where` in it. */
static void put(struct made *made, unsigned at, const void *bytes, unsigned size, unsigned where,
                uint64_t number, unsigned number_size)
{
    memcpy(made->code + at, bytes, size);
    memcpy(made->code + at + where, &number, number_size);
}

static uint64_t number_at(const struct made *made, unsigned at, unsigned size)
{
    uint64_t number = 0;
    memcpy(&number, made->after + at, size);
    return number;
}

static void sets_addresses_back(void **state)
{
    (void)state;
    static const uint8_t lea[] = {0x48, 0x8d, 0x05, 0, 0, 0, 0};
    static const uint8_t mov[] = {0xbf, 0, 0, 0, 0};
    static const uint8_t cmp[] = {0x48, 0x81, 0xfa, 0, 0, 0, 0};
    static const uint8_t far[] = {0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t store[] = {0xc7, 0x05, 0, 0, 0, 0, 0, 0, 0, 0}; /* movl $, (%rip) */
    static const uint8_t push[] = {0x68, 0, 0, 0, 0};
    struct made made;
    begin(&made);
    put(&made, 0x00, lea, sizeof lea, 3, MOVED - (START + 7), 4);
    put(&made, 0x10, mov, sizeof mov, 1, MOVED, 4);
    put(&made, 0x20, cmp, sizeof cmp, 3, MOVED, 4);
    put(&made, 0x30, far, sizeof far, 2, MOVED, 8);
    put(&made, 0x40, store, sizeof store, 6, MOVED, 4);
    put(&made, 0x50, push, sizeof push, 1, START, 4);            /* the other one */
    put(&made, 0xc0, lea, sizeof lea, 3, MOVED - (COLD + 7), 4); /* in a cold part */
    assert_int_equal(mend(&made), AN_OK);
    assert_int_equal(made.mended.operands, 7);
    assert_int_equal((uint32_t)number_at(&made, 3, 4), (uint32_t)(ORIGINAL - (START + 7)));
    assert_int_equal(number_at(&made, 0x11, 4), ORIGINAL);
    assert_int_equal(number_at(&made, 0x23, 4), ORIGINAL);
    assert_int_equal(number_at(&made, 0x32, 8), ORIGINAL);
    assert_int_equal(number_at(&made, 0x46, 4), ORIGINAL);
    assert_int_equal(number_at(&made, 0x51, 4), ORIGINAL - 0x100);
    assert_int_equal((uint32_t)number_at(&made, 0xc3, 4), (uint32_t)(ORIGINAL - (COLD + 7)));
}

/* Branches stay in the new code; numbers that are no entry are none of ours; nor is what is outside
 * of functions. */
static void leaves_the_rest(void **state)
{
    (void)state;
    static const uint8_t call[] = {0xe8, 0, 0, 0, 0};
    static const uint8_t jump[] = {0xe9, 0, 0, 0, 0};
    static const uint8_t branch[] = {0x0f, 0x84, 0, 0, 0, 0};
    static const uint8_t mov[] = {0xbf, 0, 0, 0, 0};
    static const uint8_t lea[] = {0x48, 0x8d, 0x05, 0, 0, 0, 0};
    struct made made;
    begin(&made);
    put(&made, 0x00, call, sizeof call, 1, MOVED - (START + 5), 4);
    put(&made, 0x10, jump, sizeof jump, 1, MOVED - (START + 0x15), 4);
    put(&made, 0x20, branch, sizeof branch, 2, MOVED - (START + 0x26), 4);
    put(&made, 0x30, mov, sizeof mov, 1, MOVED + 1, 4);
    put(&made, 0x40, mov, sizeof mov, 1, COLD, 4); /* no function begins there */
    put(&made, 0x50, lea, sizeof lea, 3, MOVED + 8 - (START + 0x57), 4);
    put(&made, 0x800, mov, sizeof mov, 1, MOVED, 4);
    assert_int_equal(mend(&made), AN_OK);
    assert_int_equal(made.mended.operands, 0);
    assert_memory_equal(made.after, made.code, CODE_SIZE);
}

/* The address of new code of which it is not known what it was could not be set back. It tells what should have
 * been left where it was. */
static void refuses_unknown_functions(void **state)
{
    (void)state;
    static const uint8_t mov[] = {0xbf, 0, 0, 0, 0};
    static const char *const names[] = {NULL, "f", "g.part.0"};
    static const char *const skip[] = {"-skip-funcs=__BOLT_FDE_FUNCat.*\n", "-skip-funcs=f(/.*)?\n",
                                       "-skip-funcs=g.part.0(/.*)?\n"};
    struct made made;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        begin(&made);
        made.name = names[i];
        made.functions[2].is_cold = false;
        put(&made, 0x10, mov, sizeof mov, 1, COLD, 4);
        put(&made, 0x20, mov, sizeof mov, 1, COLD, 4);
        assert_int_equal(mend(&made), AN_UNSUPPORTED);
        assert_int_equal(made.mended.unknown, 1);
        assert_int_equal(made.skip.size, strlen(skip[i]));
        assert_memory_equal(made.skip.data, skip[i], made.skip.size);
        an_buffer_free(&made.skip);
    }
    begin(&made);
    made.functions[2].is_cold = false; /* unknown, but nobody takes its address */
    assert_int_equal(mend(&made), AN_OK);
}

/* ---- frames ---- */

static void put32(struct made *made, uint32_t number)
{
    memcpy(made->frames + made->frames_size, &number, 4);
    made->frames_size += 4;
}

static void add_cie(struct made *made)
{
    static const uint8_t cie[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0, 0, 0};
    put32(made, 4 + sizeof cie);
    put32(made, 0);
    memcpy(made->frames + made->frames_size, cie, sizeof cie);
    made->frames_size += sizeof cie;
}

enum { FDE = 20 }; /* bytes of one */

/* For code at an address; where it stands in the section. */
static size_t add_fde(struct made *made, uint64_t address)
{
    size_t at = made->frames_size;
    put32(made, FDE - 4);
    put32(made, (uint32_t)(at + 4)); /* back to the CIE at 0 */
    put32(made, (uint32_t)(address - (FRAMES + at + 8)));
    put32(made, 0x10);
    put32(made, 0);
    return at;
}

static uint32_t frame_word(const struct made *made, size_t at)
{
    return (uint32_t)number_at(made, (unsigned)(CODE_SIZE + at), 4);
}

/* Old and new ones in turn: the old are passed over, and it ends behind the last new one. */
static void keeps_new_frames_alone(void **state)
{
    (void)state;
    struct made made;
    size_t at[8];
    begin(&made);
    add_cie(&made);
    at[0] = add_fde(&made, 0x401000);
    at[1] = add_fde(&made, START);
    at[2] = add_fde(&made, 0x401080); /* of a patch in the old code */
    at[3] = add_fde(&made, MOVED);
    at[4] = add_fde(&made, 0x401100);
    at[5] = add_fde(&made, 0x401200);
    put32(&made, 0);
    assert_int_equal(mend(&made), AN_OK);
    assert_int_equal(made.mended.frames_kept, 2);
    assert_int_equal(made.mended.frames_dropped, 2);
    assert_memory_equal(made.after, made.code, CODE_SIZE);
    assert_memory_equal(made.after + CODE_SIZE, made.frames, at[0]); /* the CIE */
    assert_int_equal(frame_word(&made, at[0] + 8), 0);
    assert_int_equal(frame_word(&made, at[2] + 8), 0);
    assert_memory_equal(made.after + CODE_SIZE + at[1], made.frames + at[1], FDE);
    assert_memory_equal(made.after + CODE_SIZE + at[3], made.frames + at[3], FDE);
    assert_int_equal(frame_word(&made, at[4]), 0); /* the end */
    for (size_t i = 0; i < 4; i++)                 /* lengths and CIEs are as they were */
        assert_memory_equal(made.after + CODE_SIZE + at[i], made.frames + at[i], 8);
}

/* The new ones are the last: the end that is there stays. Without one there is no end. */
static void needs_an_end(void **state)
{
    (void)state;
    struct made made;
    begin(&made);
    add_cie(&made);
    size_t old = add_fde(&made, 0x401000);
    add_fde(&made, START);
    put32(&made, 0);
    assert_int_equal(mend(&made), AN_OK);
    assert_int_equal(frame_word(&made, made.frames_size - 4), 0);
    assert_int_equal(frame_word(&made, old + 8), 0);
    assert_int_equal(made.mended.frames_kept, 1);
    begin(&made);
    add_cie(&made);
    add_fde(&made, START);
    assert_int_not_equal(mend(&made), AN_OK); /* the unwinder would read on behind it */
}

/* Without new code in it all of it is cut off: the first word ends it. */
static void drops_all(void **state)
{
    (void)state;
    struct made made;
    begin(&made);
    add_cie(&made);
    add_fde(&made, 0x401000);
    put32(&made, 0);
    assert_int_equal(mend(&made), AN_OK);
    assert_int_equal(frame_word(&made, 0), 0);
    assert_int_equal(made.mended.frames_kept, 0);
    begin(&made); /* no section at all */
    assert_int_equal(mend(&made), AN_OK);
}

/* Cut off anywhere, or with wrong lengths: nothing outside of the section is written. */
static void survives_damage(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < 400; round++) {
        struct made made;
        begin(&made);
        add_cie(&made);
        add_fde(&made, 0x401000);
        add_fde(&made, START);
        add_fde(&made, 0x402000);
        put32(&made, 0);
        if (round < 80)
            made.frames_size = (size_t)round + 1;
        else
            for (int i = 0; i < 3; i++)
                made.frames[number_below(&seed, made.frames_size)] = (uint8_t)next_number(&seed);
        mend(&made);
        assert_memory_equal(made.after, made.code, CODE_SIZE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_addresses_back),
        cmocka_unit_test(leaves_the_rest),
        cmocka_unit_test(refuses_unknown_functions),
        cmocka_unit_test(keeps_new_frames_alone),
        cmocka_unit_test(needs_an_end),
        cmocka_unit_test(drops_all),
        cmocka_unit_test(survives_damage),
    };
    return RUN_TESTS(tests);
}
