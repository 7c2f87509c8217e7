/* lib/llvm/addresses: what the addresses of a real profile mean, and at their limits. */
#include "llvm/addresses.h"

#include "support/profiles.h"
#include "support/test.h"

static struct raw_image opened(struct an_bytes file)
{
    struct raw_image image;
    struct an_error error;
    assert_int_equal(an_raw_open(&image, file, 0, &error), AN_OK);
    return image;
}

static void functions_by_their_first_byte(void **state)
{
    (void)state;
    struct an_bytes file = corpus("raw/c-ir-clang19-run1.profraw");
    struct raw_image image = opened(file);
    struct addresses addresses;
    size_t with_address = 0;
    assert_true(an_addresses_learn(&addresses, &image));
    for (uint64_t i = 0; i < image.data_number; i++) {
        struct raw_record record;
        an_raw_record(&image, i, &record);
        if (!record.function_address)
            continue; /* its address is never taken */
        with_address++;
        assert_true(an_addresses_map(&addresses, AN_LLVM_INDIRECT_CALL, record.function_address) ==
                    record.name_hash);
        assert_int_equal(
            an_addresses_map(&addresses, AN_LLVM_INDIRECT_CALL, record.function_address + 1), 0);
        /* a size is a size, whatever else the number may be */
        assert_true(an_addresses_map(&addresses, AN_LLVM_MEMOP_SIZE, record.function_address) ==
                    record.function_address);
    }
    assert_true(with_address > 3);
    assert_int_equal(an_addresses_map(&addresses, AN_LLVM_INDIRECT_CALL, 0), 0);
    an_addresses_free(&addresses);
    free_bytes(file);
}

/* Another run may be loaded elsewhere: all its addresses are off by one distance. */
static void a_load_distance_is_taken_off(void **state)
{
    (void)state;
    struct an_bytes file = corpus("raw/c-ir-clang19-run1.profraw");
    struct raw_image image = opened(file);
    struct addresses addresses;
    struct raw_record record = {0};
    assert_true(an_addresses_learn(&addresses, &image));
    for (uint64_t i = 0; !record.function_address; i++)
        an_raw_record(&image, i, &record);
    static const uint64_t distances[] = {0x1000, 0x7f0000000000, (uint64_t)-0x1000};
    for (size_t i = 0; i < 3; i++) {
        addresses.load_delta = distances[i];
        assert_true(an_addresses_map(&addresses, AN_LLVM_INDIRECT_CALL,
                                     record.function_address + distances[i]) == record.name_hash);
        assert_int_equal(
            an_addresses_map(&addresses, AN_LLVM_INDIRECT_CALL, record.function_address), 0);
    }
    an_addresses_free(&addresses);
    free_bytes(file);
}

/* A pointer to a virtual table points somewhere into it. */
static void virtual_tables_by_any_byte(void **state)
{
    (void)state;
    static const char *const names[] = {"raw/cxx-ir-vtable-clang19-run1.profraw",
                                        "raw/cxx-ir-vtable-i386-clang19.profraw",
                                        "raw/cxx-ir-vtable-s390x-clang19.profraw"};
    for (size_t n = 0; n < 3; n++) {
        struct an_bytes file = corpus(names[n]);
        struct raw_image image = opened(file);
        struct addresses addresses;
        uint64_t lowest = UINT64_MAX, highest = 0;
        assert_true(an_addresses_learn(&addresses, &image));
        assert_true(image.vtable_number > 1);
        for (uint64_t i = 0; i < image.vtable_number; i++) {
            struct raw_vtable table;
            an_raw_vtable(&image, i, &table);
            assert_true(table.size >= 8);
            for (uint64_t at = 0; at < table.size; at += table.size - 1)
                assert_true(an_addresses_map(&addresses, AN_LLVM_VTABLE, table.address + at) ==
                            table.name_hash);
            lowest = table.address < lowest ? table.address : lowest;
            highest = table.address + table.size > highest ? table.address + table.size : highest;
        }
        assert_int_equal(an_addresses_map(&addresses, AN_LLVM_VTABLE, lowest - 1), 0);
        assert_int_equal(an_addresses_map(&addresses, AN_LLVM_VTABLE, highest), 0);
        assert_int_equal(an_addresses_map(&addresses, AN_LLVM_VTABLE, 0), 0);
        an_addresses_free(&addresses);
        free_bytes(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_by_their_first_byte),
        cmocka_unit_test(a_load_distance_is_taken_off),
        cmocka_unit_test(virtual_tables_by_any_byte),
    };
    return RUN_TESTS(tests);
}
