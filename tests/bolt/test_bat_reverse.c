/* The reverse of BAT, by examples that show each choice that was made. */
#include "bolt/bat_reverse.h"

#include "support/bat_build.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/*
 * The original function, 0x100 bytes at 0x500000, and where its parts went:
 *
 *     0x00  block   hot  0x00       0x40  block   cold 0x00, and a copy at hot 0x60
 *     0x08  branch  hot  0x08       0x48  branch  cold 0x04 (shorter code)
 *     0x10  block   hot  0x30       0x80  block   deleted: at the hot fragment's end
 *     0x30  block   hot  0x10       0x90  block   hot  0x40
 *                                   0xa0  branch  stray: its place is said to be in another fragment
 */
static const struct built_entry hot[] = {
    {0x00, 0x00, false, 0, 0}, {0x08, 0x08, true, 0, 0},    {0x10, 0x30, false, 0, 0},
    {0x30, 0x10, false, 0, 0}, {0x40, 0x90, false, 0, 0},   {0x60, 0x40, false, 0, 0},
    {0x70, 0x80, false, 0, 0}, {0x7f000, 0xa0, true, 0, 0},
};
static const struct built_entry cold[] = {{0x00, 0x40, false, 0, 0}, {0x04, 0x48, true, 0, 0}};

enum { INPUT = 0x500000, HOT = 0x900000, OTHER = 0x900070, COLD = 0x980000 };

static const struct built_function functions[] = {
    {HOT, 0, 0, 0, 0, {0}, COUNT(hot), hot},
    {OTHER, 0, 0, 0, 0, {0}, 1, hot},
    {COLD, HOT, 0, 0, 0, {0}, COUNT(cold), cold},
};

static struct an_funcmap_record records[] = {
    {0x600000, 0x600000, 0x20, 0},             /* was not moved */
    {0x700000, 0x610000, 0x20, 0},             /* was moved as it is */
    {HOT, INPUT, 0x100, 0},                    /* the function above */
    {HOT, 0x510000, 0x100, AN_FUNCMAP_FOLDED}, /* one that was identical */
    {HOT + 0x10, INPUT + 0x30, 0, 0},          /* a second name in its midst */
    {OTHER, 0x520000, 0x30, 0},                /* with one entry */
    {COLD, INPUT, 0x100, AN_FUNCMAP_COLD},
};

static struct an_bat *bat;
static struct an_bat_reverse *reverse;

static int build(void **state)
{
    (void)state;
    struct an_buffer note = bat_build(AN_BAT_WORDS, functions, COUNT(functions), false);
    struct an_funcmap map = {.records = records, .count = COUNT(records)};
    struct an_error error;
    if (an_bat_parse((struct an_bytes){note.data, note.size}, NULL, &bat, &error) != AN_OK ||
        an_bat_reverse_build(bat, &map, &reverse, &error) != AN_OK)
        return -1;
    an_buffer_free(&note);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    an_bat_reverse_free(reverse);
    an_bat_free(bat);
    return 0;
}

static uint64_t place(uint64_t input, bool is_source)
{
    uint64_t output = 0;
    assert_int_equal(an_bat_from_input(reverse, input, is_source, &output), AN_BAT_FOUND);
    return output;
}

static void entries_lead_to_their_places(void **state)
{
    (void)state;
    assert_int_equal(place(INPUT + 0x00, false), HOT);
    assert_int_equal(place(INPUT + 0x08, true), HOT + 0x08);
    assert_int_equal(place(INPUT + 0x10, false), HOT + 0x30);
    assert_int_equal(place(INPUT + 0x30, false), HOT + 0x10);
    assert_int_equal(place(INPUT + 0x90, false), HOT + 0x40);
    assert_int_equal(place(INPUT + 0x48, true), COLD + 0x04);
}

static void targets_keep_their_distance_and_sources_do_not(void **state)
{
    (void)state;
    assert_int_equal(place(INPUT + 0x0d, false), HOT + 0x0d); /* behind a call */
    assert_int_equal(place(INPUT + 0x0d, true), HOT + 0x08);
    assert_int_equal(place(INPUT + 0x34, false), HOT + 0x14);
    assert_int_equal(place(INPUT + 0x34, true), HOT + 0x10);
}

static void targets_stay_in_their_stretch(void **state)
{
    (void)state;
    assert_int_equal(place(INPUT + 0x1f, false), HOT + 0x3f); /* up to the entry at 0x40 */
    assert_int_equal(place(INPUT + 0x2f, false), HOT + 0x3f);
    assert_int_equal(place(INPUT + 0xb8, false), HOT + 0x5f);
}

static void copies_lead_to_the_hot_fragment(void **state)
{
    (void)state;
    assert_int_equal(place(INPUT + 0x40, false), HOT + 0x60);
    assert_int_equal(place(INPUT + 0x47, false), HOT + 0x67);
}

static void deleted_blocks_are_gone(void **state)
{
    (void)state;
    uint64_t output = 1;
    assert_int_equal(an_bat_from_input(reverse, INPUT + 0x80, false, &output), AN_BAT_GONE);
    assert_int_equal(an_bat_from_input(reverse, INPUT + 0x8f, true, &output), AN_BAT_GONE);
    assert_int_equal(output, 1);
}

static void strays_have_no_say(void **state)
{
    (void)state;
    assert_int_equal(place(INPUT + 0xa0, true), HOT + 0x40);
}

static void folded_functions_have_the_others_place(void **state)
{
    (void)state;
    for (uint64_t offset = 0; offset < 0x80; offset++)
        assert_int_equal(place(0x510000 + offset, false), place(INPUT + offset, false));
}

static void unmoved_functions_stay(void **state)
{
    (void)state;
    uint64_t output;
    for (uint64_t offset = 0; offset < 0x20; offset++) {
        assert_int_equal(place(0x600000 + offset, true), 0x600000 + offset);
        assert_int_equal(place(0x610000 + offset, true), 0x700000 + offset);
    }
    assert_int_equal(an_bat_from_input(reverse, 0x600020, false, &output), AN_BAT_OUTSIDE);
    assert_int_equal(an_bat_from_input(reverse, 0x5fffff, false, &output), AN_BAT_OUTSIDE);
    assert_int_equal(an_bat_from_input(reverse, 0, false, &output), AN_BAT_OUTSIDE);
    assert_int_equal(an_bat_from_input(reverse, UINT64_MAX, false, &output), AN_BAT_OUTSIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_lead_to_their_places),
        cmocka_unit_test(targets_keep_their_distance_and_sources_do_not),
        cmocka_unit_test(targets_stay_in_their_stretch),
        cmocka_unit_test(copies_lead_to_the_hot_fragment),
        cmocka_unit_test(deleted_blocks_are_gone),
        cmocka_unit_test(strays_have_no_say),
        cmocka_unit_test(folded_functions_have_the_others_place),
        cmocka_unit_test(unmoved_functions_stay),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, build, tear_down);
}
