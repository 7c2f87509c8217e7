/* drift.c of lib/live: how alike profiles are that were made up. */
#include <anneal/live.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

static char folder[] = "/tmp/anneal-drift.XXXXXX";
static char one[64], other[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(one, sizeof one, "%s/one.fdata", folder);
    snprintf(other, sizeof other, "%s/other.fdata", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(one);
    unlink(other);
    return rmdir(folder);
}

/* A branch of each function, `first` of the first of them, and 100 in all. */
static void write_profile(const char *path, const char *const names[2], unsigned first)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "1 %s 4 1 %s 0 0 %u\n1 %s 8 1 %s 0 0 %u\n", names[0], names[0], first, names[1],
            names[1], 100 - first);
    assert_int_equal(fclose(file), 0);
}

static double overlap(void)
{
    struct an_error error;
    double found;
    assert_int_equal(an_live_overlap(one, other, &found, &error), AN_OK);
    return found;
}

static void the_same_share_is_had(void **state)
{
    static const char *const names[] = {"first", "second"}, *const swapped[] = {"second", "first"},
                             *const else_where[] = {"third", "second"};
    (void)state;
    write_profile(one, names, 30);
    write_profile(other, names, 30);
    assert_true(overlap() > 0.999);
    write_profile(other, swapped, 30); /* 30 and 70: 70 and 30 */
    assert_true(overlap() > 0.599 && overlap() < 0.601);
    write_profile(other, else_where, 90);
    assert_true(overlap() > 0.099 && overlap() < 0.101);
}

static void a_missing_profile_is_an_error(void **state)
{
    struct an_error error;
    double found;
    (void)state;
    unlink(other);
    assert_int_equal(an_live_overlap(one, other, &found, &error), AN_SYSTEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_share_is_had),
        cmocka_unit_test(a_missing_profile_is_an_error),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
