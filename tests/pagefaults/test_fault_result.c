/* Medians and ranges: lib/faults/result.c. */
#include "support/test.h"

#include <anneal/faults.h>

static struct an_faults_summary summary_of(const uint64_t *majors, size_t count)
{
    struct an_faults_run runs[8] = {{0}};
    struct an_faults_text texts[8] = {{0}};
    struct an_faults_file file = {.path = "x"};
    for (size_t i = 0; i < count; i++) {
        runs[i].major = runs[i].text.major = texts[i].major = majors[i];
        runs[i].files = &texts[i];
    }
    const struct an_faults_subject subject = {"x", &file, 1, runs, count};
    struct an_faults_summary all = an_faults_summarize(&subject, AN_FAULTS_MAJOR);
    struct an_faults_summary text = an_faults_summarize(&subject, AN_FAULTS_TEXT_MAJOR);
    struct an_faults_summary of_file = an_faults_summarize_file(&subject, 0, AN_FAULTS_TEXT_MAJOR);
    assert_memory_equal(&all, &text, sizeof all);
    assert_memory_equal(&all, &of_file, sizeof all);
    return all;
}

static void expect_summary(struct an_faults_summary of, double least, double median, double most)
{
    assert_true(of.least == least);
    assert_true(of.median == median);
    assert_true(of.most == most);
}

static void summaries(void **state)
{
    (void)state;
    expect_summary(summary_of((uint64_t[]){0}, 0), 0, 0, 0);
    expect_summary(summary_of((uint64_t[]){7}, 1), 7, 7, 7);
    expect_summary(summary_of((uint64_t[]){9, 4}, 2), 4, 6.5, 9);
    expect_summary(summary_of((uint64_t[]){5, 9, 1}, 3), 1, 5, 9);
    expect_summary(summary_of((uint64_t[]){3, 3, 3, 3}, 4), 3, 3, 3);
    expect_summary(summary_of((uint64_t[]){8, 2, 2, 6, 2}, 5), 2, 2, 8);
}

static void names(void **state)
{
    (void)state;
    for (int i = 0; i < AN_FAULTS_MEASURES; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(an_faults_measure_name((enum an_faults_measure)i),
                                    an_faults_measure_name((enum an_faults_measure)j));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(summaries), cmocka_unit_test(names)};
    return RUN_TESTS(tests);
}
