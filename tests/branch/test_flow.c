/* Blocks and runs of functions of a few bytes. */
#include "branch/flow.h"

#include "support/elf_build.h"
#include "support/test.h"

enum { CODE = 0x1000, TABLE = 0x2000 };

struct flow {
    struct an_elf *elf;
    struct an_functions functions;
    struct an_flow *flow;
};

/* Only the function at CODE is hit. */
static void build(struct flow *flow, const struct elf_builder *b)
{
    struct an_error error;
    flow->elf = elf_open(b);
    assert_int_equal(an_functions_find(flow->elf, &flow->functions, &error), AN_OK);
    bool hit[8] = {false};
    assert_true(flow->functions.count <= 8);
    hit[an_functions_at(&flow->functions, CODE)] = true;
    assert_int_equal(an_flow_build(flow->elf, &flow->functions, hit, 1, &flow->flow, &error),
                     AN_OK);
}

static void finish(struct flow *flow)
{
    an_flow_free(flow->flow);
    an_functions_free(&flow->functions);
    an_elf_close(flow->elf);
}

static struct elf_builder with_code(const uint8_t *code, size_t size)
{
    struct elf_builder b = {0};
    unsigned text = elf_section(&b, ".text", CODE, SHF_EXECINSTR, code, size);
    elf_symbol(&b, "f", STB_GLOBAL, STT_FUNC, text, CODE, size);
    return b;
}

/* As if linked with --emit-relocs. */
static void emit_relocations(struct elf_builder *b)
{
    elf_relocation(b, 1, CODE, R_X86_64_NONE, 1, 0);
}

static bool count(struct flow *flow, uint64_t from, uint64_t to, uint64_t times)
{
    return an_flow_count(flow->flow, an_functions_at(&flow->functions, CODE), CODE + from,
                         CODE + to, false, times);
}

static void print(void *context, size_t function, uint64_t from, uint64_t to, uint64_t times)
{
    char *text = context;
    assert_int_equal(function, 0);
    size_t length = strlen(text);
    snprintf(text + length, 200 - length, "%s%llu-%llu:%llu", length ? " " : "",
             (unsigned long long)from, (unsigned long long)to, (unsigned long long)times);
}

static void expect_runs(const struct flow *flow, const char *expected)
{
    char text[200] = "";
    an_flow_each(flow->flow, print, text);
    assert_string_equal(text, expected);
}

static void crosses_boundaries_of_blocks(void **state)
{
    (void)state;
    static const uint8_t code[] = {
        0x85, 0xff, /* 0 test */
        0x74, 0x03, /* 2 je 7 */
        0xff, 0xc0, /* 4 inc */
        0x90,       /* 6 */
        0xc3,       /* 7 ret */
        0x90,       /* 8 */
        0xc3,       /* 9 */
    };
    struct elf_builder b = with_code(code, sizeof code);
    struct flow flow;
    build(&flow, &b);
    assert_true(count(&flow, 0, 7, 5));
    assert_true(count(&flow, 4, 7, 2));
    assert_true(count(&flow, 0, 2, 9)); /* within a block */
    assert_true(count(&flow, 8, 9, 9));
    assert_false(count(&flow, 7, 8, 1)); /* behind a return */
    assert_false(count(&flow, 0, 9, 1));
    assert_false(count(&flow, 7, 4, 1)); /* backwards */
    assert_false(count(&flow, 0, sizeof code, 1));
    expect_runs(&flow, "2-4:5 6-7:7");
    assert_true(an_flow_is_return(flow.flow, 0, CODE + 7));
    assert_false(an_flow_is_return(flow.flow, 0, CODE + 6));
    assert_false(an_flow_is_return(flow.flow, 0, CODE + 5));
    finish(&flow);
}

/* A return from elsewhere comes to the end of the call. */
static void counts_the_block_of_a_call(void **state)
{
    (void)state;
    static const uint8_t code[] = {
        0xe8, 0x00, 0x01, 0, 0, /* 0 call, elsewhere */
        0x90,                   /* 5 */
        0x75, 0xfd,             /* 6 jne 5 */
        0xc3,                   /* 8 ret */
    };
    struct elf_builder b = with_code(code, sizeof code);
    struct flow flow;
    build(&flow, &b);
    assert_true(an_flow_count(flow.flow, 0, CODE + 5, CODE + 6, true, 3));
    assert_true(an_flow_count(flow.flow, 0, CODE + 5, CODE + 8, false, 4));
    expect_runs(&flow, "0-5:3 6-8:4");
    finish(&flow);
}

/* A jump behind a lock prefix makes a block there. */
static void takes_a_lock_for_an_instruction(void **state)
{
    (void)state;
    static const uint8_t code[] = {
        0x74, 0x01,       /* 0 je 3 */
        0xf0, 0xff, 0x07, /* 2 lock 3 incl */
        0xc3,             /* 5 */
    };
    struct elf_builder b = with_code(code, sizeof code);
    struct flow flow;
    build(&flow, &b);
    assert_true(count(&flow, 0, 5, 1));
    expect_runs(&flow, "0-2:1 2-3:1");
    finish(&flow);
}

/* loop reaches too short for code that is moved: BOLT leaves such functions alone. */
static void leaves_functions_with_loop_alone(void **state)
{
    (void)state;
    static const uint8_t code[] = {0x90, 0xe2, 0xfd, 0xc3};
    struct elf_builder b = with_code(code, sizeof code);
    struct flow flow;
    build(&flow, &b);
    assert_false(count(&flow, 0, 1, 1));
    assert_true(an_flow_is_return(flow.flow, 0, CODE + 3));
    finish(&flow);
}

static void put64(uint8_t *to, uint64_t value)
{
    memcpy(to, &value, sizeof value);
}

static void follows_tables_of_addresses(void **state)
{
    (void)state;
    static const uint8_t code[] = {
        0xff, 0x24, 0xfd, 0, 0x20, 0, 0, /* 0 jmp *TABLE(,%rdi,8) */
        0x90,                            /* 7 */
        0x90,                            /* 8 */
        0xc3,                            /* 9 */
    };
    uint8_t table[24];
    put64(table, CODE + 7);
    put64(table + 8, CODE + 8);
    put64(table + 16, 0x77777);
    struct elf_builder b = with_code(code, sizeof code);
    elf_section(&b, ".rodata", TABLE, 0, table, sizeof table);
    struct flow flow;
    build(&flow, &b);
    assert_true(count(&flow, 7, 9, 6));
    expect_runs(&flow, "7-8:6");
    finish(&flow);
}

static void follows_tables_of_distances(void **state)
{
    (void)state;
    static const uint8_t code[] = {
        0x48, 0x8d, 0x15, 0xf9, 0x0f, 0, 0, /* 0 lea TABLE(%rip), %rdx */
        0x48, 0x63, 0x04, 0xba,             /* 7 movslq (%rdx,%rdi,4), %rax */
        0x48, 0x01, 0xd0,                   /* 11 add %rdx, %rax */
        0xff, 0xe0,                         /* 14 jmp *%rax */
        0x90,                               /* 16 */
        0x90,                               /* 17 */
        0xc3,                               /* 18 */
    };
    int32_t table[] = {CODE + 16 - TABLE, CODE + 17 - TABLE, 0x500000};
    struct elf_builder b = with_code(code, sizeof code);
    elf_section(&b, ".rodata", TABLE, 0, table, sizeof table);
    struct flow flow;
    build(&flow, &b);
    assert_true(count(&flow, 16, 18, 6));
    expect_runs(&flow, "16-17:6");
    finish(&flow);
    /* One entry is no table; nobody knows where the jump leads, so nothing is sure. */
    table[1] = 0x500000;
    build(&flow, &b);
    assert_false(count(&flow, 16, 18, 6));
    finish(&flow);
}

/* With relocations a symbol inside is an entry, where a block begins; without, BOLT gives up. */
static void knows_entries(void **state)
{
    (void)state;
    static const uint8_t code[] = {0x90, 0x90, 0xc3};
    for (int relocations = 0; relocations < 2; relocations++) {
        struct elf_builder b = with_code(code, sizeof code);
        elf_symbol(&b, "inside", STB_GLOBAL, STT_FUNC, 1, CODE + 1, 2);
        if (relocations)
            emit_relocations(&b);
        struct flow flow;
        build(&flow, &b);
        assert_int_equal(count(&flow, 0, 2, 3), relocations);
        expect_runs(&flow, relocations ? "0-1:3" : "");
        finish(&flow);
    }
}

/* g was not hit, but jumps behind the first instruction of f. */
static void finds_jumps_of_others(void **state)
{
    (void)state;
    static const uint8_t shorts[] = {0x90, 0x90, 0xc3, 0xeb, 0xfc},
                         longs[] = {0x90, 0x90, 0xc3, 0xe9, 0xf9, 0xff, 0xff, 0xff},
                         conditional[] = {0x90, 0x90, 0xc3, 0x0f, 0x84, 0xf8, 0xff, 0xff, 0xff};
    const struct {
        const uint8_t *code;
        size_t size;
    } all[] = {{shorts, sizeof shorts}, {longs, sizeof longs}, {conditional, sizeof conditional}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct elf_builder b = with_code(all[i].code, all[i].size);
        b.symbols[0].size = 3;
        elf_symbol(&b, "g", STB_GLOBAL, STT_FUNC, 1, CODE + 3, all[i].size - 3);
        emit_relocations(&b);
        struct flow flow;
        build(&flow, &b);
        assert_true(count(&flow, 0, 2, 1));
        expect_runs(&flow, "0-1:1");
        finish(&flow);
    }
}

static void looks_at_what_lies_behind(void **state)
{
    (void)state;
    static const uint8_t padded[] = {0x90, 0xc3, 0x66, 0x90, 0x0f, 0x1f, 0x00, 0, 0},
                         traps[] = {0x90, 0xc3, 0xcc, 0xcc},
                         jumps[] = {0x90, 0xc3, 0xeb, 0x02, 0x90, 0x90},
                         code[] = {0x90, 0xc3, 0x90, 0x50, 0x90};
    const struct {
        const uint8_t *code;
        size_t size;
        bool valid;
    } all[] = {{padded, sizeof padded, true},
               {traps, sizeof traps, true},
               {jumps, sizeof jumps, true},
               {code, sizeof code, false}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct elf_builder b = with_code(all[i].code, all[i].size);
        b.symbols[0].size = 2;
        emit_relocations(&b);
        struct flow flow;
        build(&flow, &b);
        assert_int_equal(count(&flow, 0, 1, 1), all[i].valid);
        finish(&flow);
    }
}

/* f.cold is not hit; what it jumps back to begins a block. Without relocations both are left. */
static void decodes_all_parts(void **state)
{
    (void)state;
    static const uint8_t code[] = {
        0x74, 0x06,             /* 0 je f.cold */
        0x90,                   /* 2 */
        0x90,                   /* 3 */
        0xc3,                   /* 4 */
        0x90, 0x90, 0x90,       /* padding */
        0x90,                   /* 8: f.cold */
        0xe9, 0xf5, 0xff, 0xff, /* 9 jmp 3 */
        0xff,
    };
    for (int relocations = 0; relocations < 2; relocations++) {
        struct elf_builder b = {0};
        unsigned text = elf_section(&b, ".text", CODE, SHF_EXECINSTR, code, sizeof code);
        elf_symbol(&b, "f.cold", STB_LOCAL, STT_FUNC, text, CODE + 8, 6);
        elf_symbol(&b, "f", STB_GLOBAL, STT_FUNC, text, CODE, 5);
        if (relocations)
            emit_relocations(&b);
        struct flow flow;
        build(&flow, &b);
        assert_int_equal(count(&flow, 0, 4, 2), relocations);
        expect_runs(&flow, relocations ? "0-2:2 2-3:2" : "");
        finish(&flow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crosses_boundaries_of_blocks),
        cmocka_unit_test(counts_the_block_of_a_call),
        cmocka_unit_test(takes_a_lock_for_an_instruction),
        cmocka_unit_test(leaves_functions_with_loop_alone),
        cmocka_unit_test(follows_tables_of_addresses),
        cmocka_unit_test(follows_tables_of_distances),
        cmocka_unit_test(knows_entries),
        cmocka_unit_test(finds_jumps_of_others),
        cmocka_unit_test(looks_at_what_lies_behind),
        cmocka_unit_test(decodes_all_parts),
    };
    return RUN_TESTS(tests);
}
