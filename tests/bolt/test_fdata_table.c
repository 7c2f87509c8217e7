/* Distinct keys with sums: finding, the list and its order, variants, putting tables together. */
#include "bolt/fdata_table.h"
#include "support/test.h"

enum { KEYS = 5000 };

static size_t key_of(char key[40], unsigned number)
{
    return (size_t)sprintf(key, "1 function%u %x 1 other 0", number % 97, number);
}

static struct fdata_entry *find(const struct fdata_table *table, unsigned number)
{
    char key[40];
    size_t length = key_of(key, number);
    return an_fdata_table_find(table, key, length);
}

static struct fdata_entry *insert(struct fdata_table *table, unsigned number, uint32_t after)
{
    char key[40];
    size_t length = key_of(key, number);
    size_t owner = strcspn(key + 2, " ");
    struct fdata_entry *entry = an_fdata_table_insert(table, key, length, key + 2, owner, after);
    assert_non_null(entry);
    entry->count = number;
    entry->lines = 1;
    return entry;
}

static void check_content(const struct fdata_table *table, unsigned times)
{
    for (unsigned i = 0; i < KEYS; i++) {
        const struct fdata_entry *entry = find(table, i);
        check(entry && (uint64_t)entry->count == (uint64_t)i * times && entry->lines == times,
              "key %u", i);
        char owner[40];
        snprintf(owner, sizeof owner, "function%u", i % 97);
        const struct an_name *name = &table->owners.names[an_fdata_node(table, entry)->owner];
        assert_int_equal(name->length, strlen(owner));
        assert_memory_equal(name->text, owner, name->length);
    }
    assert_null(find(table, KEYS));
    assert_int_equal(table->owners.count, 97);
}

static void many_keys(void **state)
{
    (void)state;
    struct fdata_table table = {0};
    assert_null(find(&table, 0));
    for (unsigned i = 0; i < KEYS; i++)
        insert(&table, i, i);
    check_content(&table, 1);
    an_fdata_table_free(&table);
}

/* The keys of the list, from its first on, are those of numbers[]. */
static void check_list(const struct fdata_table *table, const unsigned *numbers, size_t count)
{
    uint32_t at = table->first, before = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(at != 0);
        assert_ptr_equal(&table->entries.items[at - 1], find(table, numbers[i]));
        assert_int_equal(table->nodes.items[at - 1].previous, before);
        before = at;
        at = table->nodes.items[at - 1].next;
    }
    assert_int_equal(at, 0);
}

static void the_list(void **state)
{
    (void)state;
    struct fdata_table table = {0};
    insert(&table, 10, 0);
    insert(&table, 30, 1);
    insert(&table, 20, 1);
    insert(&table, 5, 0);
    check_list(&table, (const unsigned[]){5, 10, 20, 30}, 4);
    an_fdata_table_move(&table, 2, 1); /* 30 behind 10 */
    check_list(&table, (const unsigned[]){5, 10, 30, 20}, 4);
    an_fdata_table_move(&table, 4, 3); /* 5 behind 20, which is the last */
    check_list(&table, (const unsigned[]){10, 30, 20, 5}, 4);
    an_fdata_table_move(&table, 3, 0); /* 20 to the front */
    check_list(&table, (const unsigned[]){20, 10, 30, 5}, 4);
    an_fdata_table_move(&table, 3, 0);
    an_fdata_table_move(&table, 3, 3); /* not behind itself */
    check_list(&table, (const unsigned[]){20, 10, 30, 5}, 4);
    an_fdata_table_free(&table);
}

static void moving_into_order(void **state)
{
    (void)state;
    struct fdata_table table = {0};
    for (unsigned i = 0; i < KEYS; i++) {
        insert(&table, i, 0); /* the list is the other way round */
        if (i % 700 == 0)
            an_fdata_table_arrange(&table);
    }
    an_fdata_table_arrange(&table);
    assert_true(table.in_order > KEYS / 2);
    check_content(&table, 1);
    static unsigned backwards[KEYS];
    for (unsigned i = 0; i < KEYS; i++)
        backwards[i] = KEYS - 1 - i;
    check_list(&table, backwards, KEYS);
    uint32_t *indexes = an_fdata_table_indexes(&table);
    for (unsigned i = 0; i < KEYS; i++)
        assert_ptr_equal(&table.entries.items[indexes[i]], find(&table, i));
    free(indexes);
    an_fdata_table_free(&table);
}

static void variants_by_number(void **state)
{
    (void)state;
    struct fdata_table table = {0};
    for (int round = 0; round < 2; round++)
        for (uint32_t number = 0; number < 200; number++)
            for (uint64_t mispreds = 1; mispreds < 20; mispreds++) {
                struct fdata_variant *variant =
                    an_fdata_table_variant(&table, number, mispreds << number % 60);
                assert_non_null(variant);
                assert_int_equal(variant->lines, round);
                variant->lines++;
                variant->count += number;
            }
    assert_int_equal(table.variants.count, 200 * 19);
    an_fdata_table_free(&table);
}

static void put_together(void **state)
{
    (void)state;
    struct fdata_table table = {0}, part = {0};
    for (unsigned i = 0; i < KEYS; i += 2)
        insert(&table, i, 0);
    for (unsigned i = 0; i < KEYS; i++)
        insert(&part, i, i);
    an_fdata_table_arrange(&part);
    for (unsigned i = 0; i < KEYS; i += 2)
        find(&part, i)->count = 0;
    an_fdata_table_variant(&part, 7, 3)->count = 11;
    an_fdata_table_variant(&table, find(&table, 8)->number, 3)->count = 12;
    assert_true(an_fdata_table_absorb(&table, &part));
    assert_int_equal(part.entries.count, 0);
    for (unsigned i = 0; i < KEYS; i++)
        check((uint64_t)find(&table, i)->count == i && find(&table, i)->lines == 1u + (i % 2 == 0),
              "key %u", i);
    assert_int_equal(table.variants.count, 2);
    assert_true(an_fdata_table_variant(&table, find(&table, 7)->number, 3)->count == 11);
    assert_true(an_fdata_table_variant(&table, find(&table, 8)->number, 3)->count == 12);
    an_fdata_table_free(&table);
}

static void sums_are_exact(void **state)
{
    (void)state;
    fdata_sum sum = an_fdata_weighted(UINT64_MAX, UINT32_MAX);
    assert_true(sum >> 64 == UINT32_MAX - 1);
    assert_true(an_fdata_weighted(UINT64_MAX, UINT64_MAX) == (fdata_sum)1 << 96);
    assert_true(an_fdata_clamped(sum, INT64_MAX) == INT64_MAX);
    assert_int_equal(an_fdata_clamped(7, INT64_MAX), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_keys),         cmocka_unit_test(the_list),
        cmocka_unit_test(moving_into_order), cmocka_unit_test(variants_by_number),
        cmocka_unit_test(put_together),      cmocka_unit_test(sums_are_exact),
    };
    return RUN_TESTS(tests);
}
