/*
 * Sorting the values of a site. lib/base/std_sort: equal values end up where libstdc++'s std::sort leaves them. The expected orders
 * (peer_sort.h, as digests) were made by peer.cpp, with the real std::sort.
 */
#include "base/std_sort.h"
#include "llvm/sort.h"

#include "support/test.h"
#include "llvm/peer_sort.h"

/* The same arrays as in peer.cpp; the count of each pair says where it was. */
static struct an_llvm_value *make(int shape, size_t size, uint64_t distinct)
{
    struct an_llvm_value *pairs = calloc(size, sizeof *pairs);
    uint64_t seed = 1000 * size + distinct;
    for (size_t i = 0; i < size; i++) {
        uint64_t value = next_number(&seed) % distinct;
        if (shape == 1)
            value = i * distinct / size;
        else if (shape == 2)
            value = (size - 1 - i) * distinct / size;
        else if (shape == 3)
            value = (i < size / 2 ? i : size - 1 - i) % distinct;
        else if (shape == 4)
            value = i % distinct;
        else if (shape == 5 && i % 8)
            value = i * distinct / size;
        pairs[i] = (struct an_llvm_value){value, i};
    }
    return pairs;
}

static void equal_values_land_where_std_sort_puts_them(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof sorted_by_peer / sizeof *sorted_by_peer; c++) {
        size_t size = sorted_by_peer[c].size;
        struct an_llvm_value *pairs =
            make(sorted_by_peer[c].shape, size, sorted_by_peer[c].distinct);
        an_sort_by_value(pairs, size);
        uint64_t hash = 0xcbf29ce484222325u;
        for (size_t i = 0; i < size; i++)
            hash = (hash ^ pairs[i].count) * 0x100000001b3u;
        check(hash == sorted_by_peer[c].digest, "shape %d, %zu values, %u distinct",
              sorted_by_peer[c].shape, size, sorted_by_peer[c].distinct);
        free(pairs);
    }
}

/* An order against which quicksort with the median of three gains nothing, so that it gives up. */
static void a_hostile_order_is_sorted(void **state)
{
    (void)state;
    enum { SIZE = sizeof hostile_order / sizeof *hostile_order };
    struct an_llvm_value pairs[SIZE];
    for (size_t i = 0; i < SIZE; i++)
        pairs[i] = (struct an_llvm_value){hostile_order[i], i};
    an_sort_by_value(pairs, SIZE);
    for (size_t i = 0; i < SIZE; i++) {
        assert_int_equal(pairs[i].value, i);
        assert_int_equal(hostile_order[pairs[i].count], i);
    }
}

static void few_or_no_values(void **state)
{
    (void)state;
    struct an_llvm_value one = {5, 0};
    an_sort_by_value(NULL, 0);
    an_sort_by_value(&one, 1);
    assert_int_equal(one.value, 5);
    assert_int_equal(an_keep_by_count(NULL, 0), 0);
    assert_int_equal(an_keep_by_count(&one, 1), 1);
}

/* Against the plainest stable sort there is; more than 510 values take another way in the code. */
static void keeps_the_largest_counts_stably(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {2,   5,   16,  17,  30,  100, 254,
                                     255, 256, 300, 509, 510, 511, 2000};
    uint64_t seed = 11;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int round = 0; round < 40; round++) {
            uint32_t size = sizes[s];
            uint64_t distinct = round % 2 ? 4 : size;
            struct an_llvm_value *pairs = calloc(size, sizeof *pairs);
            struct an_llvm_value *expected = calloc(size, sizeof *expected);
            for (uint32_t i = 0; i < size; i++) {
                pairs[i] = (struct an_llvm_value){i, number_below(&seed, distinct)};
                uint32_t at = i;
                for (; at && expected[at - 1].count < pairs[i].count; at--)
                    expected[at] = expected[at - 1];
                expected[at] = pairs[i];
            }
            uint32_t kept = an_keep_by_count(pairs, size);
            assert_int_equal(kept, size < 255 ? size : 255);
            assert_memory_equal(pairs, expected, kept * sizeof *pairs);
            free(pairs);
            free(expected);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_values_land_where_std_sort_puts_them),
        cmocka_unit_test(a_hostile_order_is_sorted),
        cmocka_unit_test(few_or_no_values),
        cmocka_unit_test(keeps_the_largest_counts_stably),
    };
    return RUN_TESTS(tests);
}
