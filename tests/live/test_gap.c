/* Where new code goes, in made-up processes. */
#include "live/address_gap.h"

#include "support/elf_build.h"
#include "support/test.h"

enum { PAGE = 4096, MEGABYTE = 1 << 20, CODE_SIZE = 0x3000 };

static const uint8_t code[CODE_SIZE];
static const uint64_t reach = (uint64_t)1 << 31;

static struct an_target program_at(uint64_t address, uint64_t bias, bool independent)
{
    struct elf_builder b = {.independent = independent};
    struct an_target target = {.bias = bias, .memory = -1};
    elf_section(&b, ".text", address, SHF_EXECINSTR, code, sizeof code);
    target.elf = elf_open(&b);
    return target;
}

static void map(struct an_target *target, uint64_t start, uint64_t end)
{
    struct an_target_mapping *mapping = an_vector_push(&target->maps);
    assert_non_null(mapping);
    *mapping = (struct an_target_mapping){.start = start, .end = end, .path = ""};
}

static void close_target(struct an_target *target)
{
    an_elf_close(target->elf);
    an_vector_free(&target->maps);
}

/* A place that can be taken: whole pages, all free, with a free one on each side. */
static void check_free(const struct an_target *target, uint64_t address, uint64_t size)
{
    assert_int_equal(address % PAGE, 0);
    for (size_t i = 0; i < target->maps.count; i++) {
        const struct an_target_mapping *mapping = &target->maps.items[i];
        check(address + size + PAGE <= mapping->start || address >= mapping->end,
              "%#llx hits the mapping at %#llx", (unsigned long long)address,
              (unsigned long long)mapping->start);
    }
}

static uint64_t find(const struct an_target *target, uint64_t size, uint64_t random)
{
    uint64_t address;
    struct an_error error;
    assert_int_equal(an_address_gap_find(target, size, random, &address, &error), AN_OK);
    check_free(target, address, size);
    return address;
}

/* Above the program, within 2 GiB of its first byte, and far from the heap. */
static void leaves_the_heap_room(void **state)
{
    (void)state;
    struct an_target target = program_at(0x400000, 0, false);
    map(&target, 0x400000, 0x400000 + CODE_SIZE);
    map(&target, 0x1000000, 0x1021000); /* heap */
    map(&target, 0x7ff000000000, 0x7ff000100000);
    for (uint64_t random = 0; random < 10000; random += 97) {
        uint64_t address = find(&target, 16 * MEGABYTE, random);
        assert_true(address + 16 * MEGABYTE < reach);
        assert_true(address > reach - 64 * MEGABYTE);
    }
    assert_int_not_equal(find(&target, PAGE, 1), find(&target, PAGE, 2));
    close_target(&target);
}

static void follows_the_bias(void **state)
{
    (void)state;
    const uint64_t bias = 0x555555554000;
    struct an_target target = program_at(0x1000, bias, true);
    map(&target, bias + 0x1000, bias + 0x1000 + CODE_SIZE);
    map(&target, bias + 0x10000, bias + 0x31000);
    uint64_t address = find(&target, 8 * MEGABYTE, 12345);
    assert_true(address > bias + 0x31000);
    assert_true(address + 8 * MEGABYTE - (bias + 0x1000) < reach);
    close_target(&target);
}

/* Code that is linked to the middle of a page has new code on whole ones all the same. */
static void chooses_whole_pages(void **state)
{
    (void)state;
    const uint64_t bias = 0x555555554000;
    struct an_target target = program_at(0x1040, bias, true);
    map(&target, bias + 0x1000, bias + 0x6000);
    find(&target, 8 * MEGABYTE, 7);
    close_target(&target);
}

/* What is nearer is taken when the upper end is not free. */
static void takes_the_last_gap(void **state)
{
    (void)state;
    struct an_target target = program_at(0x400000, 0, false);
    map(&target, 0x400000, 0x400000 + CODE_SIZE);
    map(&target, 0x10000000, 0x20000000);
    map(&target, 0x21000000, (uint64_t)1 << 32);
    uint64_t address = find(&target, 4 * MEGABYTE, 99);
    assert_true(address >= 0x20000000 && address + 4 * MEGABYTE <= 0x21000000);
    address = find(&target, 64 * MEGABYTE, 99);
    assert_true(address + 64 * MEGABYTE <= 0x10000000);
    close_target(&target);
}

static void refuses(void **state)
{
    (void)state;
    struct an_target target = program_at(0x400000, 0, false);
    struct an_error error;
    uint64_t address;
    map(&target, 0x400000, 0x70000000); /* a large heap */
    map(&target, 0x70400000, (uint64_t)1 << 33);
    assert_int_equal(an_address_gap_find(&target, 4 * MEGABYTE, 0, &address, &error), AN_SYSTEM);
    assert_int_equal(an_address_gap_find(&target, 4 * MEGABYTE - PAGE, 0, &address, &error),
                     AN_SYSTEM);
    find(&target, 4 * MEGABYTE - 2 * PAGE, 5);
    close_target(&target);
    /* beyond the 2 GiB that addresses of 32 bits reach, and with no room up to the end of all */
    target = program_at(0x90000000, 0, false);
    map(&target, 0x90000000, 0x90000000 + CODE_SIZE);
    assert_int_equal(an_address_gap_find(&target, PAGE, 0, &address, &error), AN_SYSTEM);
    assert_int_equal(an_address_gap_find(&target, UINT64_MAX, 0, &address, &error), AN_SYSTEM);
    close_target(&target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_the_heap_room),
        cmocka_unit_test(follows_the_bias),
        cmocka_unit_test(chooses_whole_pages),
        cmocka_unit_test(takes_the_last_gap),
        cmocka_unit_test(refuses),
    };
    return RUN_TESTS(tests);
}
