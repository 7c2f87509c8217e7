/*
 * Making a report while every allocation fails in turn: the call says so, gives only whole pages, and leaks
 * nothing (the address sanitizer sees to that).
 */
#include <anneal/report.h>

#include "base/memory.h"
#include "support/coverage_build.h"
#include "support/test.h"

static bool give_text(void *context, const struct an_coverage_source *source, const void **bytes,
                      size_t *size)
{
    (void)context;
    return made_text(source, bytes, size);
}

struct pages {
    size_t count, size;
};

static enum an_code take(void *context, const char *name, const void *bytes, size_t size,
                         struct an_error *error)
{
    struct pages *pages = context;
    const char *end = (const char *)bytes + size;
    (void)error;
    pages->count++;
    pages->size += size;
    if (strstr(name, ".html"))
        assert_memory_equal(end - 10, "</footer>\n", 10);
    return AN_OK;
}

static void test_allocations(void **context)
{
    struct pages whole = {0}, pages = {0};
    struct an_report_options options = {.text = give_text, .page = take, .context = &whole};
    struct an_error error;
    long calls = 0;
    (void)context;
    assert_int_equal(an_report_coverage(made_coverage(), &options, &error), AN_OK);
    options.context = &pages;
    for (bool failed = true; failed; calls++) {
        pages = (struct pages){0};
        an_fault_countdown = calls;
        enum an_code code = an_report_coverage(made_coverage(), &options, &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        assert_int_equal(code, failed ? AN_NO_MEMORY : AN_OK);
        assert_int_equal(pages.count == whole.count && pages.size == whole.size, !failed);
    }
    check(calls > 40, "%ld calls", calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocations),
    };
    return RUN_TESTS(tests);
}
