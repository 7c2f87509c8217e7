/*
 * Reading a recording while every allocation and read fails once, each in a run of its own
 * (-Dfaults=true; lib/base/memory.h): it fails as documented, or finds everything; nothing leaks.
 */
#include <linux/perf_event.h>

#include "base/memory.h"
#include "support/collect.h"
#include "support/perf_build.h"
#include "support/test.h"

static void make_recording(const struct perf_builder *form, struct an_buffer *file)
{
    static const uint8_t id[20] = {1, 2, 3};
    static const struct perf_branch branches[] = {{1, 2, 3}, {4, 5, 6}};
    struct perf_builder builder = *form;
    an_fault_countdown = -1;
    for (unsigned i = 0; i < 2; i++)
        perf_event(&builder, &(struct perf_event_spec){
                                 .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
                                                PERF_SAMPLE_TIME | PERF_SAMPLE_BRANCH_STACK,
                                 .ids = {10 + i},
                                 .id_count = 1});
    perf_comm(&builder, &(struct perf_task_spec){.pid = 7, .name = "x"});
    perf_build_id(&builder, id, 20, 7, 0, "/usr/bin/x");
    for (unsigned i = 0; i < 6; i++)
        perf_sample(
            &builder,
            &(struct perf_sample_spec){
                .event = i % 2, .pid = 7, .time = i + 1, .branches = branches, .branch_count = 2});
    perf_finish(&builder, file);
    perf_builder_free(&builder);
}

static void read_with_faults(struct an_bytes bytes, bool piped)
{
    long calls = 0;
    for (bool failed = true; failed; calls++) {
        struct collected all;
        an_fault_countdown = calls;
        if (piped)
            collect_piped(&all, bytes, 1);
        else
            collect_bytes(&all, bytes, NULL, 1);
        failed = an_fault_countdown < 0;
        an_fault_countdown = -1;
        if (all.code == AN_OK) {
            assert_int_equal(all.item_count, 6);
            assert_int_equal(all.task_count, 1);
        } else {
            check(failed && (all.code == AN_NO_MEMORY || all.code == AN_SYSTEM),
                  "call %ld: %s (%s)", calls, an_code_name(all.code), all.error.what);
            assert_true(all.error.code == all.code && all.error.what[0]);
        }
        collected_free(&all);
    }
    check(calls > 4, "%ld calls", calls);
}

static void recordings(void **state)
{
    (void)state;
    static const struct perf_builder forms[] = {{.big = false},
                                                {.big = true},
                                                {.pipe = true},
                                                {.compress = 100},
                                                {.compress = 100, .pipe = true}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        struct an_buffer file;
        make_recording(&forms[f], &file);
        assert_false(file.failed);
        read_with_faults((struct an_bytes){file.data, file.size}, false);
        read_with_faults((struct an_bytes){file.data, file.size}, true);
        an_buffer_free(&file);
    }
}

static void text(void **state)
{
    (void)state;
    static const char lines[] = "x 7/7 1.000000: PERF_RECORD_COMM: x:7/7\n"
                                "x 7/7 1.000001: 1 cycles: 10 0x1/0x2/M/-/-/0/\n"
                                "x 7/7 1.000002: 1 cycles: 10 0x1/0x2/M/-/-/0/\n"
                                "x 7/7 1.000003: 1 cycles: 10 0x1/0x2/M/-/-/0/\n"
                                "x 7/7 1.000004: 1 cycles: 10 0x1/0x2/M/-/-/0/\n"
                                "x 7/7 1.000005: 1 cycles: 10 0x1/0x2/M/-/-/0/\n"
                                "x 7/7 1.000006: 1 cycles: 10 0x1/0x2/M/-/-/0/\n";
    struct an_bytes bytes = {(const uint8_t *)lines, sizeof lines - 1};
    read_with_faults(bytes, false);
    read_with_faults(bytes, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recordings), cmocka_unit_test(text)};
    return RUN_TESTS(tests);
}
