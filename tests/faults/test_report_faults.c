/*
 * Making a report, or the same as gcov makes it, while every allocation fails in turn: the call says so, gives only whole
 * pages, and leaks nothing (the address sanitizer sees to that).
 */
#include <anneal/gcov.h>
#include <anneal/report.h>

#include <sys/mman.h>
#include <unistd.h>

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
    struct an_report_options options = {
        .size = sizeof options, .text = give_text, .page = take, .context = &whole};
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

static enum an_code count_bytes(void *context, const void *bytes, size_t size,
                                struct an_error *error)
{
    (void)bytes, (void)error;
    *(size_t *)context += size;
    return AN_OK;
}

/* A source whose text is in a file that has no name. */
static struct an_coverage_source with_file(const struct an_coverage_source *made, char path[64],
                                           int *file)
{
    struct an_coverage_source source = *made;
    const void *bytes;
    size_t size = 0;
    *file = memfd_create("source", MFD_CLOEXEC);
    assert_true(*file >= 0);
    if (made_text(made, &bytes, &size))
        assert_int_equal(write(*file, bytes, size), size);
    snprintf(path, 64, "/proc/self/fd/%d", *file);
    source.path = path;
    return source;
}

static void test_gcov_text(void **context)
{
    const struct an_gcov_text_options options = {
        .size = sizeof options, .branches = true, .blocks = true};
    const struct an_coverage *coverage = made_coverage();
    long all = 0;
    (void)context;
    for (size_t i = 0; i < coverage->source_count; i++) {
        char path[64];
        int file;
        bool found;
        size_t whole = 0, size;
        struct an_error error;
        const struct an_coverage_source source = with_file(&coverage->sources[i], path, &file);
        struct an_gcov_sink sink = {count_bytes, &whole};
        assert_int_equal(an_gcov_text(&source, "a", false, &options, &sink, &found, &error), AN_OK);
        sink.context = &size;
        bool failed = true;
        for (long calls = 0; failed; calls++, all++) {
            size = 0;
            an_fault_countdown = calls;
            enum an_code code = an_gcov_text(&source, "a", false, &options, &sink, &found, &error);
            failed = an_fault_countdown < 0;
            an_fault_countdown = -1;
            if (!failed)
                assert_int_equal(code, AN_OK);
            else if (found)
                assert_int_not_equal(code, AN_OK);
        }
        assert_int_equal(size, whole);
        close(file);
    }
    check(all > 10, "%ld calls", all);
}

static void test_gcov_json(void **context)
{
    const struct an_gcov_json_options options = {.size = sizeof options, .branches = true};
    size_t size = 0;
    const struct an_gcov_sink sink = {count_bytes, &size};
    struct an_error error;
    long calls = 0;
    (void)context;
    for (bool failed = true; failed; calls++) {
        an_fault_countdown = calls;
        enum an_code code = an_gcov_json(made_coverage(), &options, &sink, &error);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        assert_int_equal(code, failed ? AN_NO_MEMORY : AN_OK);
    }
    check(calls > 5, "%ld calls", calls);
}

static void test_exports(void **context)
{
    long all = 0;
    (void)context;
    for (int form = AN_REPORT_LCOV; form <= AN_REPORT_COBERTURA; form++) {
        size_t whole = 0, size = 0;
        struct an_report_export_options options = {.size = sizeof options,
                                                   .form = (enum an_report_form)form,
                                                   .write = count_bytes,
                                                   .context = &whole};
        struct an_error error;
        assert_int_equal(an_report_export(made_coverage(), &options, &error), AN_OK);
        options.context = &size;
        bool failed = true;
        for (long calls = 0; failed; calls++, all++) {
            size = 0;
            an_fault_countdown = calls;
            enum an_code code = an_report_export(made_coverage(), &options, &error);
            failed = an_fault_countdown < 0;
            an_fault_countdown = -1;
            assert_int_equal(code, failed ? AN_NO_MEMORY : AN_OK);
        }
        assert_int_equal(size, whole);
    }
    check(all > 10, "%ld calls", all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_exports),
        cmocka_unit_test(test_gcov_text),
        cmocka_unit_test(test_gcov_json),
    };
    return RUN_TESTS(tests);
}
