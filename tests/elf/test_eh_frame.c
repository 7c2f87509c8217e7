/* .eh_frame: of the test program itself, whose functions the compiler described, and made up. */
#include "elf/eh_frame.h"

#include "base/vector.h"
#include "support/elf_build.h"
#include "support/test.h"

static const char self[] = "/proc/self/exe";

/* Every function of some size that the compiler made has an entry of that size. */
static void describes_the_program(void **state)
{
    (void)state;
    struct an_elf *elf;
    struct an_error error;
    struct an_elf_fdes fdes;
    const struct an_elf_symbol *symbols;
    size_t count, known = 0;
    assert_int_equal(an_elf_open(self, &elf, &error), AN_OK);
    assert_int_equal(an_elf_fdes_read(elf, &fdes, &error), AN_OK);
    assert_int_equal(an_elf_symbols(elf, &symbols, &count, &error), AN_OK);
    for (size_t i = 1; i < fdes.count; i++)
        assert_true(fdes.items[i - 1].start <= fdes.items[i].start);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(symbols[i].name, "an_elf_", 7) != 0 || symbols[i].type != STT_FUNC)
            continue;
        size_t at = an_elf_fde_from(&fdes, symbols[i].address);
        check(at < fdes.count && fdes.items[at].start == symbols[i].address, "%s", symbols[i].name);
        assert_int_equal(fdes.items[at].size, symbols[i].size);
        assert_int_equal(an_elf_fde_from(&fdes, symbols[i].address + 1), at + 1);
        known++;
    }
    assert_true(known > 5);
    assert_int_equal(an_elf_fde_from(&fdes, UINT64_MAX), fdes.count);
    an_elf_fdes_free(&fdes);
    an_elf_close(elf);
}

static void put32(uint8_t *to, uint32_t value)
{
    memcpy(to, &value, sizeof value);
}

enum { FRAMES = 0x3000 };

/*
 * At 0: a CIE "zPLR" of 24 bytes: personality as udata4, LSDA and addresses relative to themselves.
 * At 28: an FDE of 24 bytes for the code at 0x1000; its LSDA lies at 0x4000.
 * At 56: an FDE with a length of 8 bytes, for 0x1040, without an LSDA. At 92: the end.
 */
static void make_frames(uint8_t bytes[96])
{
    memset(bytes, 0, 96);
    put32(bytes, 24);
    static const uint8_t cie[] = {1, 'z',  'P',  'L',  'R', 0, 1,    0x78, 16,
                                  7, 0x03, 0x11, 0x22, 0,   0, 0x1b, 0x1b};
    memcpy(bytes + 8, cie, sizeof cie);
    put32(bytes + 28, 24);
    put32(bytes + 32, 32);
    put32(bytes + 36, 0x1000u - (FRAMES + 36));
    put32(bytes + 40, 0x30);
    bytes[44] = 4;
    put32(bytes + 45, 0x4000u - (FRAMES + 45));
    put32(bytes + 56, 0xffffffff);
    put32(bytes + 60, 24);
    put32(bytes + 68, 68);
    put32(bytes + 72, 0x1040u - (FRAMES + 72));
    put32(bytes + 76, 7);
    bytes[80] = 4;
}

static struct an_elf_fdes read_frames(const uint8_t *bytes, size_t size)
{
    struct elf_builder b = {0};
    struct an_elf_fdes fdes;
    struct an_error error;
    elf_section(&b, ".eh_frame", FRAMES, 0, bytes, size);
    struct an_elf *elf = elf_open(&b);
    assert_int_equal(an_elf_fdes_read(elf, &fdes, &error), AN_OK);
    an_elf_close(elf);
    return fdes;
}

static void reads_what_was_made_up(void **state)
{
    (void)state;
    uint8_t bytes[96];
    make_frames(bytes);
    struct an_elf_fdes fdes = read_frames(bytes, sizeof bytes);
    assert_int_equal(fdes.count, 2);
    assert_int_equal(fdes.items[0].start, 0x1000);
    assert_int_equal(fdes.items[0].size, 0x30);
    assert_int_equal(fdes.items[0].lsda, 0x4000);
    assert_int_equal(fdes.items[1].start, 0x1040);
    assert_int_equal(fdes.items[1].size, 7);
    assert_int_equal(fdes.items[1].lsda, 0);
    an_elf_fdes_free(&fdes);
}

/* What was read before stays; what cannot be understood is left out. */
static void leaves_out_what_is_damaged(void **state)
{
    (void)state;
    uint8_t bytes[96];
    for (size_t size = 0; size < sizeof bytes; size++) {
        make_frames(bytes);
        struct an_elf_fdes fdes = read_frames(bytes, size);
        assert_int_equal(fdes.count, size < 56 ? 0 : size < 92 ? 1 : 2);
        an_elf_fdes_free(&fdes);
    }
    make_frames(bytes);
    bytes[12] = 'x'; /* a letter that nobody knows */
    struct an_elf_fdes fdes = read_frames(bytes, sizeof bytes);
    assert_int_equal(fdes.count, 0);
    an_elf_fdes_free(&fdes);
    make_frames(bytes);
    put32(bytes + 32, 1u << 30); /* no CIE there */
    fdes = read_frames(bytes, sizeof bytes);
    assert_int_equal(fdes.count, 1);
    an_elf_fdes_free(&fdes);
    uint64_t seed = 3;
    for (int round = 0; round < 5000; round++) {
        make_frames(bytes);
        for (int i = 0; i < 3; i++)
            bytes[number_below(&seed, sizeof bytes)] = (uint8_t)next_number(&seed);
        fdes = read_frames(bytes, sizeof bytes);
        assert_true(fdes.count <= 3);
        an_elf_fdes_free(&fdes);
    }
}

struct pads {
    AN_VECTOR(uint64_t);
};

static void keep(void *context, uint64_t landing_pad)
{
    uint64_t *pad = an_vector_push((struct pads *)context);
    assert_non_null(pad);
    *pad = landing_pad;
}

/* Base and types left out; call sites as ULEB128: start, length, landing pad, action. */
static void finds_landing_pads(void **state)
{
    (void)state;
    static const uint8_t lsda[] = {0xff, 0xff, 0x01, 13, 0,    5, 0,    0, /* none */
                                   5,    9,    0x20, 1,  0x10, 4, 0x81, 0x01, 0, 99, 99};
    struct elf_builder b = {0};
    struct pads pads = {0};
    elf_section(&b, ".gcc_except_table", 0x4000, 0, lsda, sizeof lsda);
    struct an_elf *elf = elf_open(&b);
    an_elf_landing_pads(elf, 0x1000, 0x4000, keep, &pads);
    assert_int_equal(pads.count, 2);
    assert_int_equal(pads.items[0], 0x1020);
    assert_int_equal(pads.items[1], 0x1081);
    an_elf_landing_pads(elf, 0x1000, 0x5000, keep, &pads);
    an_elf_landing_pads(elf, 0x1000, 0x4000 + sizeof lsda - 2, keep, &pads);
    assert_int_equal(pads.count, 2);
    an_vector_free(&pads);
    an_elf_close(elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_the_program),
        cmocka_unit_test(reads_what_was_made_up),
        cmocka_unit_test(leaves_out_what_is_damaged),
        cmocka_unit_test(finds_landing_pads),
    };
    return RUN_TESTS(tests);
}
