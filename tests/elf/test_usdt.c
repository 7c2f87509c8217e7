/* Probes that programs name themselves, as sys/sdt.h lays their notes out. */
#include "elf/usdt.h"

#include "support/elf_build.h"
#include "support/test.h"

enum { NOTES = 0x100 };

struct notes {
    uint8_t bytes[NOTES];
    size_t size;
};

static void put(struct notes *notes, const void *bytes, size_t size)
{
    memcpy(notes->bytes + notes->size, bytes, size);
    notes->size += size;
}

static void put_padding(struct notes *notes)
{
    notes->size = (notes->size + 3) / 4 * 4;
}

static void add(struct notes *notes, const char *owner, uint64_t address, uint64_t base,
                const char *texts, size_t size)
{
    const uint32_t head[] = {(uint32_t)strlen(owner) + 1, (uint32_t)(24 + size), 3};
    const uint64_t words[] = {address, base, 0};
    put(notes, head, sizeof head);
    put(notes, owner, strlen(owner) + 1);
    put_padding(notes);
    put(notes, words, sizeof words);
    put(notes, texts, size);
    put_padding(notes);
}

struct found {
    struct an_usdt probes[4];
    size_t count;
};

static void keep(void *context, const struct an_usdt *probe)
{
    struct found *found = context;
    assert_true(found->count < 4);
    found->probes[found->count++] = *probe;
}

static struct an_elf *open_with(const struct notes *notes)
{
    struct elf_builder b = {0};
    static const uint8_t base[16];
    elf_section(&b, ".stapsdt.base", 0x3000, 0, base, sizeof base);
    if (notes)
        elf_section(&b, ".note.stapsdt", 0x4000, 0, notes->bytes, notes->size);
    return elf_open(&b);
}

static void reads_probes(void **state)
{
    (void)state;
    struct notes notes = {0};
    struct found found = {0};
    add(&notes, "stapsdt", 0x1234, 0x3000, "shop\0sold\0 4@%eax", 18);
    add(&notes, "other", 0x1300, 0x3000, "shop\0lost\0", 10);
    add(&notes, "stapsdt", 0x2234, 0x4000, "shop\0paid\0", 11); /* moved by 0x1000 since */
    struct an_elf *elf = open_with(&notes);
    assert_true(an_usdt_each(elf, keep, &found));
    assert_int_equal(found.count, 2);
    assert_int_equal(found.probes[0].address, 0x1234);
    assert_string_equal(found.probes[0].provider, "shop");
    assert_string_equal(found.probes[0].name, "sold");
    assert_int_equal(found.probes[1].address, 0x1234);
    assert_string_equal(found.probes[1].name, "paid");
    an_elf_close(elf);
}

static void knows_programs_without(void **state)
{
    (void)state;
    struct found found = {0};
    struct an_elf *elf = open_with(NULL);
    assert_true(an_usdt_each(elf, keep, &found));
    assert_int_equal(found.count, 0);
    an_elf_close(elf);
}

/* Cut off anywhere, but between notes or in the padding at the end. */
static void refuses_what_is_cut_off(void **state)
{
    (void)state;
    struct notes whole = {0};
    add(&whole, "stapsdt", 0x1234, 0, "shop\0sold\0", 11);
    for (size_t size = 1; size < whole.size - 1; size++) {
        struct notes part = whole;
        struct found found = {0};
        part.size = size;
        struct an_elf *elf = open_with(&part);
        assert_false(an_usdt_each(elf, keep, &found));
        assert_int_equal(found.count, 0);
        an_elf_close(elf);
    }
    struct notes nameless = {0};
    add(&nameless, "stapsdt", 0x1234, 0, "shop", 4);
    struct found found = {0};
    struct an_elf *elf = open_with(&nameless);
    assert_false(an_usdt_each(elf, keep, &found));
    an_elf_close(elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_probes),
        cmocka_unit_test(knows_programs_without),
        cmocka_unit_test(refuses_what_is_cut_off),
    };
    return RUN_TESTS(tests);
}
