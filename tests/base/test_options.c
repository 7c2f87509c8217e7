/* Options of programs that were compiled with older and newer headers. */
#include "base/options.h"

#include <string.h>

#include <anneal/anneal.h>

#include "support/test.h"

struct old {
    size_t size;
    int a;
};

struct present {
    size_t size;
    int a, b;
    const char *c;
};

struct newer {
    struct present present;
    uint64_t d;
};

static enum an_code take(struct present *taken, const void *given)
{
    struct an_error error = {.code = AN_OK};
    memset(taken, 0x5a, sizeof *taken);
    enum an_code code = an_options_take(taken, sizeof *taken, given, &error);
    assert_int_equal(error.code, code);
    return code;
}

static void none_are_the_usual_ones(void **state)
{
    (void)state;
    struct present taken;
    assert_int_equal(take(&taken, NULL), AN_OK);
    assert_int_equal(taken.size, sizeof taken);
    assert_true(taken.a == 0 && taken.b == 0 && !taken.c);
}

static void the_same_are_copied(void **state)
{
    (void)state;
    struct present taken, given = {.size = sizeof given, .a = 1, .b = 2, .c = "three"};
    assert_int_equal(take(&taken, &given), AN_OK);
    assert_true(taken.size == sizeof taken && taken.a == 1 && taken.b == 2 && taken.c == given.c);
}

static void older_ones_lack_what_came_later(void **state)
{
    (void)state;
    struct present taken;
    struct {
        struct old given;
        char behind[64];
    } caller = {.given = {.size = sizeof(struct old), .a = 1}};
    memset(caller.behind, 0xff, sizeof caller.behind);
    assert_int_equal(take(&taken, &caller.given), AN_OK);
    assert_int_equal(taken.size, sizeof taken);
    assert_true(taken.a == 1 && !taken.c);
}

static void newer_ones_may_not_be_set(void **state)
{
    (void)state;
    struct present taken;
    struct newer given = {.present = {.size = sizeof given, .a = 1, .c = "three"}};
    assert_int_equal(take(&taken, &given), AN_OK);
    assert_true(taken.size == sizeof taken && taken.a == 1 && taken.c == given.present.c);
    given.d = (uint64_t)1 << 63;
    assert_int_equal(take(&taken, &given), AN_USAGE);
}

static void the_size_is_needed(void **state)
{
    (void)state;
    struct present taken, given = {.a = 1};
    for (given.size = 0; given.size < sizeof given.size; given.size++)
        assert_int_equal(take(&taken, &given), AN_USAGE);
}

/* Each function that takes options asks for their size, before it does anything else; those that record for `live` hand
 * them on to an_record(). */
static void everybody_asks(void **state)
{
    (void)state;
    struct an_error error;
    struct an_ledger *ledger;
    void *bytes;
    size_t size;
    struct an_llvm_profile *llvm;
    struct an_llvm_overlap overlap;
    struct an_fdata_profile *fdata;
    struct an_gcc_merged *gcc;
    struct an_gcc_converted converted;
    struct an_coverage *coverage;
    struct an_aggregate *aggregate;
    struct an_translation *translation;
    struct an_console *console;
    struct an_order order;
    struct an_order_evaluation evaluation;
    struct an_faults_result *faults;
    struct an_train_result *train;
    struct an_live *live;
    struct an_work *work;
    struct an_record_counts counts;
    assert_int_equal(an_llvm_merge(&(struct an_llvm_merge_options){.threads = 1}, NULL, 0, &llvm,
                                   &ledger, &error),
                     AN_USAGE);
    assert_int_equal(an_llvm_profile_write(NULL, &(struct an_llvm_write_options){.text = true},
                                           &bytes, &size, NULL, &error),
                     AN_USAGE);
    assert_int_equal(an_llvm_overlap("", "", &(struct an_llvm_overlap_options){.value_cutoff = 1},
                                     &overlap, &error),
                     AN_USAGE);
    assert_int_equal(an_fdata_merge(&(struct an_fdata_merge_options){.threads = 1}, NULL, 0, &fdata,
                                    &ledger, &error),
                     AN_USAGE);
    assert_int_equal(an_gcc_merge(&(struct an_gcc_merge_options){.threads = 1}, NULL, 0, 0, &gcc,
                                  &ledger, &error),
                     AN_USAGE);
    assert_int_equal(
        an_gcc_convert(&(struct an_gcc_convert_options){.major = 12}, "", 0, &converted, &error),
        AN_USAGE);
    assert_int_equal(an_coverage_read(&(struct an_coverage_options){.threads = 1}, NULL, 0,
                                      &coverage, &ledger, &error),
                     AN_USAGE);
    assert_int_equal(an_report_coverage(NULL, &(struct an_report_options){.title = "a"}, &error),
                     AN_USAGE);
    assert_int_equal(
        an_aggregate_run(&(struct an_aggregate_options){.threads = 1}, "", "", &aggregate, &error),
        AN_USAGE);
    assert_int_equal(
        an_translate_run(&(struct an_translate_options){.threads = 1}, "", &translation, &error),
        AN_USAGE);
    assert_int_equal(an_console_read(&(struct an_console_options){.require_checksum = true}, "",
                                     &console, &error),
                     AN_USAGE);
    assert_int_equal(an_behaviour_add_recording(
                         NULL, NULL, "", &(struct an_recording_options){.threads = 1}, &error),
                     AN_USAGE);
    assert_int_equal(
        an_order_startup(NULL, &(struct an_order_options){.threads = 1}, &order, &error), AN_USAGE);
    assert_int_equal(an_order_hot(NULL, &(struct an_order_options){.threads = 1}, &order, &error),
                     AN_USAGE);
    assert_int_equal(
        an_order_blend(NULL, &(struct an_order_options){.threads = 1}, 0.9, &order, &error),
        AN_USAGE);
    assert_int_equal(an_order_evaluate(NULL, &(struct an_order_evaluate_options){.tests = 1},
                                       &evaluation, &error),
                     AN_USAGE);
    assert_int_equal(an_faults_measure(&(struct an_faults_options){.runs = 1}, &faults, &error),
                     AN_USAGE);
    assert_int_equal(an_train(&(struct an_train_options){.jobs = 1}, &train, &error), AN_USAGE);
    assert_int_equal(an_live_open(&(struct an_live_options){.pid = 1}, &live, &error), AN_USAGE);
    assert_int_equal(an_work_open(&(struct an_work_options){.pid = 1}, &work, &error), AN_USAGE);
    assert_int_equal(an_record(&(struct an_record_options){.pid = 1}, &counts, &error), AN_USAGE);
}

/* As older programs do that know of no options. */
static void nothing_is_the_usual(void **state)
{
    (void)state;
    struct an_error error;
    struct an_ledger *ledger;
    struct an_llvm_profile *llvm;
    void *bytes;
    size_t size;
    assert_int_equal(an_llvm_merge(NULL, NULL, 0, &llvm, &ledger, &error), AN_OK);
    assert_int_equal(an_llvm_profile_write(llvm, NULL, &bytes, &size, NULL, &error), AN_OK);
    assert_true(size > 0);
    free(bytes);
    an_llvm_profile_free(llvm);
    an_ledger_free(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_are_the_usual_ones),
        cmocka_unit_test(the_same_are_copied),
        cmocka_unit_test(older_ones_lack_what_came_later),
        cmocka_unit_test(newer_ones_may_not_be_set),
        cmocka_unit_test(the_size_is_needed),
        cmocka_unit_test(everybody_asks),
        cmocka_unit_test(nothing_is_the_usual),
    };
    return RUN_TESTS(tests);
}
