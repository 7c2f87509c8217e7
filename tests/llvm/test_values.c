/*
 * lib/llvm/values: sites after many additions, against LLVM's way told plainly: a new site is
 * scaled; a further one is merged with both sides in the order of values, what is new to the site
 * joining unscaled; and after every addition the 255 largest counts are kept, in their order.
 */
#include "llvm/values.h"

#include "base/std_sort.h"
#include "support/profiles.h"
#include "support/test.h"
#include "llvm/profile.h"

enum { MOST = 1200 };

struct model {
    struct an_llvm_value values[MOST];
    uint32_t count;
    bool exists;
};

static uint64_t times(uint64_t count, uint64_t weight)
{
    unsigned __int128 product = (unsigned __int128)count * weight;
    return product > UINT64_MAX ? UINT64_MAX : (uint64_t)product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void keep_largest(struct model *model)
{
    for (uint32_t i = 1; i < model->count; i++) {
        struct an_llvm_value moving = model->values[i];
        uint32_t at = i;
        for (; at && model->values[at - 1].count < moving.count; at--)
            model->values[at] = model->values[at - 1];
        model->values[at] = moving;
    }
    if (model->count > 255)
        model->count = 255;
}

static void model_add(struct model *model, const struct an_llvm_value *from, uint32_t count,
                      uint64_t weight)
{
    if (!model->exists) {
        model->exists = true;
        for (uint32_t i = 0; i < count; i++)
            model->values[i] = (struct an_llvm_value){from[i].value, times(from[i].count, weight)};
        model->count = count;
        keep_largest(model);
        return;
    }
    static struct an_llvm_value input[MOST], merged[MOST];
    uint32_t i = 0, to = 0;
    memcpy(input, from, count * sizeof *input);
    an_sort_by_value(input, count); /* test_sort.c holds it against std::sort */
    an_sort_by_value(model->values, model->count);
    for (uint32_t j = 0; j < count; j++) {
        while (i < model->count && model->values[i].value < input[j].value)
            merged[to++] = model->values[i++];
        merged[to] = input[j];
        if (i < model->count && model->values[i].value == input[j].value)
            merged[to].count = plus(model->values[i++].count, times(input[j].count, weight));
        to++;
    }
    while (i < model->count)
        merged[to++] = model->values[i++];
    memcpy(model->values, merged, to * sizeof *merged);
    model->count = to;
    keep_largest(model);
}

static void assert_same(const struct model *model, const struct an_llvm_site *site, int round)
{
    check(site->count == model->count, "round %d: %u values, expected %u", round, site->count,
          model->count);
    for (uint32_t i = 0; i < model->count; i++)
        check(site->values[i].value == model->values[i].value &&
                  site->values[i].count == model->values[i].count,
              "round %d, value %u: %llu:%llu, expected %llu:%llu", round, i,
              (unsigned long long)site->values[i].value, (unsigned long long)site->values[i].count,
              (unsigned long long)model->values[i].value,
              (unsigned long long)model->values[i].count);
}

struct mix {
    uint32_t most;     /* values of one addition */
    uint64_t distinct; /* values there are */
    uint64_t counts;   /* counts are below */
    bool unique;       /* no value twice in one addition, as the runtime writes it */
    bool weights;
};

/* Adds sites in random numbers; looks at the result now and then, as a writer does. */
static void compare_with_model(const struct mix *mix, uint64_t seed)
{
    static struct model model;
    model.exists = false;
    model.count = 0;
    struct an_llvm_profile *profile = an_llvm_profile_new();
    struct an_error error;
    uint64_t count = 1;
    size_t function = 0;
    for (int round = 0; round < 25; round++) {
        struct an_llvm_value values[300];
        uint32_t number = 0;
        for (uint64_t wanted = number_below(&seed, mix->most + 1); number < wanted; number++) {
            uint64_t value =
                mix->unique ? number * mix->distinct / wanted : number_below(&seed, mix->distinct);
            values[number] = (struct an_llvm_value){value, number_below(&seed, mix->counts)};
        }
        uint64_t weight = mix->weights ? 1 + number_below(&seed, 4) : 1;
        model_add(&model, values, number, weight);

        struct an_llvm_site site = {values, number, number};
        struct an_llvm_values all = {.site_count = {[AN_LLVM_MEMOP_SIZE] = 1},
                                     .sites = {[AN_LLVM_MEMOP_SIZE] = &site}};
        struct an_llvm_record record = record_of("f", 1, &count, 1);
        unsigned warnings = 0;
        record.values = &all;
        assert_int_equal(an_llvm_profile_add(profile, &record, weight, &warnings, &error), AN_OK);
        if (round % 4 == 3 || round == 24) {
            an_profile_settle(profile);
            const struct record *kept = an_profile_find(profile, function, 1, NULL);
            assert_same(&model, &kept->values->sites[AN_LLVM_MEMOP_SIZE][0], round);
        }
    }
    an_llvm_profile_free(profile);
}

static void sites_with_values_once(void **state)
{
    (void)state;
    static const struct mix mixes[] = {
        {8, 100, 50, true, false},      {24, 40, 3, true, false},  {200, 5000, 100, true, false},
        {24, 30, 1000, true, true},     {255, 400, 9, true, true}, {255, 100000, 5, true, false},
        {3, 4, UINT64_MAX, true, true},
    };
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++)
        for (uint64_t seed = 1; seed <= 40; seed++)
            compare_with_model(&mixes[i], seed);
}

/* Callees that are not instrumented are all value 0: one site has them many times. */
static void sites_with_values_repeated(void **state)
{
    (void)state;
    static const struct mix mixes[] = {
        {8, 3, 50, false, false},    {24, 10, 4, false, false},   {40, 2, 1000, false, true},
        {100, 30, 10, false, true},  {255, 200, 7, false, false}, {300, 250, 100, false, true},
        {300, 1, 100, false, false},
    };
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++)
        for (uint64_t seed = 1; seed <= 40; seed++)
            compare_with_model(&mixes[i], seed);
}

static void overflow_is_told(void **state)
{
    (void)state;
    struct an_arena arena = {0};
    struct an_llvm_site site = {0};
    unsigned warnings = 0;
    bool order_matters = false;
    struct an_llvm_value large = {7, UINT64_MAX - 1}, one = {7, 2};
    assert_true(an_site_set(&site, &large, 1, 1, false, &arena, &warnings));
    assert_int_equal(warnings, 0);
    assert_true(an_site_merge(&site, &one, 1, 1, &arena, &warnings, &order_matters));
    assert_true(site.values[0].count == UINT64_MAX);
    assert_int_equal(warnings, 1u << AN_LLVM_COUNTER_OVERFLOW);
    warnings = 0;
    assert_true(an_site_set(&site, &large, 1, 2, false, &arena, &warnings));
    assert_true(site.values[0].count == UINT64_MAX);
    assert_int_equal(warnings, 1u << AN_LLVM_COUNTER_OVERFLOW);
    an_arena_free(&arena);
}

/* Dropping values makes the order of inputs matter, which forbids merging in pieces. */
static void dropping_values_is_told(void **state)
{
    (void)state;
    struct an_arena arena = {0};
    struct an_llvm_site site = {0};
    struct an_llvm_value many[255], one = {1000, 1};
    unsigned warnings = 0;
    bool order_matters = false;
    for (uint64_t i = 0; i < 255; i++)
        many[i] = (struct an_llvm_value){i, 10};
    assert_true(an_site_set(&site, many, 255, 1, false, &arena, &warnings));
    an_site_order_by_value(&site);
    assert_true(an_site_merge(&site, many, 255, 1, &arena, &warnings, &order_matters));
    assert_false(order_matters);
    assert_true(an_site_merge(&site, &one, 1, 1, &arena, &warnings, &order_matters));
    assert_true(order_matters);
    assert_int_equal(site.count, 255);
    an_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_with_values_once),
        cmocka_unit_test(sites_with_values_repeated),
        cmocka_unit_test(overflow_is_told),
        cmocka_unit_test(dropping_values_is_told),
    };
    return RUN_TESTS(tests);
}
