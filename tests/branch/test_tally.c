/* Counting branches: against a list that is searched from its beginning. */
#include "branch/tally.h"

#include "support/test.h"

enum { KINDS = 40, ROUNDS = 30000 };

/* A few that differ in one part only, and many that share slots. */
static struct an_tally_branch branch_of(uint64_t number)
{
    return (struct an_tally_branch){.from = (uint32_t)(number % 5),
                                    .to = (uint32_t)(number / 5 % 4 << 16),
                                    .next = number / 20 ? AN_TALLY_NOWHERE : 0};
}

static const struct an_tally_slot *slot_of(const struct an_tally *tally,
                                           const struct an_tally_branch *branch)
{
    const struct an_tally_slot *found = NULL;
    for (size_t i = 0; tally->slots && i <= tally->mask; i++) {
        const struct an_tally_slot *slot = &tally->slots[i];
        if (!slot->occupied || slot->from != branch->from || slot->to != branch->to ||
            slot->next != branch->next)
            continue;
        assert_null(found); /* each once */
        found = slot;
    }
    return found;
}

static void counts_each(void **state)
{
    (void)state;
    struct an_tally tally = {0};
    uint64_t counts[KINDS] = {0}, mispreds[KINDS] = {0}, seed = 9;
    for (int done = 0; done < ROUNDS;) {
        struct an_tally_branch batch[AN_TALLY_BATCH];
        size_t size = number_below(&seed, AN_TALLY_BATCH + 1);
        for (size_t i = 0; i < size; i++) {
            uint64_t kind = number_below(&seed, KINDS);
            batch[i] = branch_of(kind);
            batch[i].mispredicted = number_below(&seed, 3) == 0;
            counts[kind]++;
            mispreds[kind] += batch[i].mispredicted;
        }
        assert_true(an_tally_add(&tally, batch, size));
        done += (int)size + 1;
    }
    assert_int_equal(tally.used, KINDS);
    for (uint64_t i = 0; i < KINDS; i++) {
        struct an_tally_branch branch = branch_of(i);
        const struct an_tally_slot *slot = slot_of(&tally, &branch);
        assert_non_null(slot);
        assert_int_equal(slot->count, counts[i]);
        assert_int_equal(slot->mispreds, mispreds[i]);
    }
    an_tally_free(&tally);
}

static void grows(void **state)
{
    (void)state;
    struct an_tally tally = {0};
    enum { MANY = 100000 };
    for (int again = 0; again < 2; again++)
        for (uint32_t i = 0; i < MANY; i++) {
            struct an_tally_branch branch = {i * 8, i ^ 0x5555, i % 3 ? i : 0, false};
            assert_true(an_tally_add_many(&tally, &branch, i, 1));
        }
    assert_int_equal(tally.used, MANY);
    uint64_t sum = 0, slots = 0;
    for (size_t i = 0; i <= tally.mask; i++)
        if (tally.slots[i].occupied) {
            assert_int_equal(tally.slots[i].count, 2 * (tally.slots[i].from / 8));
            assert_int_equal(tally.slots[i].mispreds, 2);
            sum += tally.slots[i].count;
            slots++;
        }
    assert_int_equal(slots, MANY);
    assert_int_equal(sum, (uint64_t)MANY * (MANY - 1));
    assert_true(tally.mask + 1 >= 2 * tally.used);
    an_tally_free(&tally);
}

static void joins_and_stays_within_64_bits(void **state)
{
    (void)state;
    struct an_tally one = {0}, other = {0}, empty = {0};
    struct an_tally_branch a = {1, 2, 3, false}, b = {4, 5, 6, false};
    assert_true(an_tally_add_many(&one, &a, UINT64_MAX - 5, 7));
    assert_true(an_tally_add_many(&other, &a, 10, UINT64_MAX));
    assert_true(an_tally_add_many(&other, &b, 3, 1));
    assert_true(an_tally_join(&one, &other));
    assert_true(an_tally_join(&one, &empty));
    assert_true(an_tally_join(&empty, &other));
    assert_int_equal(slot_of(&one, &a)->count, UINT64_MAX);
    assert_int_equal(slot_of(&one, &a)->mispreds, UINT64_MAX);
    assert_int_equal(slot_of(&one, &b)->count, 3);
    assert_int_equal(slot_of(&empty, &a)->count, 10);
    assert_int_equal(one.used, 2);
    an_tally_free(&one);
    an_tally_free(&other);
    an_tally_free(&empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_each),
        cmocka_unit_test(grows),
        cmocka_unit_test(joins_and_stays_within_64_bits),
    };
    return RUN_TESTS(tests);
}
