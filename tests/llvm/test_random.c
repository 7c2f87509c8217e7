/*
 * lib/llvm/random: the numbers of std::mt19937 and std::uniform_int_distribution, which decide
 * which temporal traces LLVM keeps. Expected numbers are from peer.cpp and the C++ standard.
 */
#include "llvm/random.h"

#include "support/test.h"
#include "llvm/peer_random.h"

static void the_engine(void **state)
{
    (void)state;
    struct an_random random;
    an_random_start(&random, AN_RANDOM_DEFAULT_SEED);
    for (size_t i = 0; i < sizeof engine_of_peer / sizeof *engine_of_peer; i++)
        assert_int_equal(an_random_next(&random), engine_of_peer[i]);
}

/* C++17 [rand.predef]: the 10000th number of a default-constructed mt19937. */
static void the_ten_thousandth_number(void **state)
{
    (void)state;
    struct an_random random;
    an_random_start(&random, AN_RANDOM_DEFAULT_SEED);
    for (int i = 1; i < 10000; i++)
        an_random_next(&random);
    assert_int_equal(an_random_next(&random), 4123659995u);
}

/* One sequence over ranges of all sizes: a draw too many or too few would shift the rest. */
static void draws_from_ranges(void **state)
{
    (void)state;
    struct an_random random;
    an_random_start(&random, AN_RANDOM_DEFAULT_SEED);
    for (size_t i = 0; i < sizeof drawn_by_peer / sizeof *drawn_by_peer; i++) {
        uint64_t drawn = an_random_upto(&random, drawn_by_peer[i].most);
        check(drawn == drawn_by_peer[i].drawn, "draw %zu: %llu of %llu", i,
              (unsigned long long)drawn, (unsigned long long)drawn_by_peer[i].most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_engine),
        cmocka_unit_test(the_ten_thousandth_number),
        cmocka_unit_test(draws_from_ranges),
    };
    return RUN_TESTS(tests);
}
