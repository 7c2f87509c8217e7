/*
 * lib/perf/script and script_line: lines as several versions of perf print them, and such as
 * none does. Whole recordings are compared in test_peer.sh.
 */
#include "perf/script.h"

#include <sys/mman.h>

#include "perf/script_line.h"
#include "support/collect.h"
#include "support/test.h"

static struct an_buffer branches;

static enum an_code read_line(const char *text, struct an_branch_sample *sample,
                              struct an_error *error)
{
    struct script_line line = {text, strlen(text), 100};
    return an_script_line_sample(line, &branches, sample, error);
}

static void the_fields_before_the_branches(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int pid, tid;
        int cpu;                   /* -1: none */
        int64_t time;              /* -1: none */
        uint64_t period, addr, ip; /* 0: none */
    } lines[] = {
        {"    7           421a70 0x1/0x2/M/-/-/0/", 7, 7, -1, -1, 1, 0, 0x421a70},
        {"7 421a70 0x1/0x2/M/-/-/0/", 7, 7, -1, -1, 1, 0, 0x421a70},
        {"    7/8              401000 0x1/0x2/M/-/-/0/", 7, 8, -1, -1, 1, 0, 0x401000},
        {"4194304/4194304 ffffffff81000000 0x1/0x2/M/-/-/0/", 4194304, 4194304, -1, -1, 1, 0,
         0xffffffff81000000},
        {"   -1/0                10 0x1/0x2/M/-/-/0/", -1, 0, -1, -1, 1, 0, 0x10},
        {"    7 cycles:u:           421a70 ", 7, 7, -1, -1, 1, 0, 0x421a70},
        {"    7 mem-loads:u:     7fff12345678           421a70", 7, 7, -1, -1, 1, 0x7fff12345678,
         0x421a70},
        {"    7 mem-loads: ffff888000000000 ffffffff81000000", 7, 7, -1, -1, 1, 0xffff888000000000,
         0xffffffff81000000},
        {"worker     7     0.000001:      12345 cycles:            421a70 main+0x3 (/usr/bin/x)", 7,
         7, -1, 1000, 12345, 0, 0x421a70},
        {"worker     7/9     [003] 12.000000001: cpu/event=0xc4,umask=0x20/u:            421a70 "
         "[unknown] (/a b) 0x1/0x2/M/-/-/0/",
         7, 9, 3, 12000000001, 1, 0, 0x421a70},
        {"two words     7 [127]     1.000000:          2 sched:sched_switch:            abc add "
         "(/x)",
         7, 7, 127, 1000000000, 2, 0, 0xabc},
        {"kworker/0:1-x 77 12/13 99.000001000: 4 cycles: 1234 f (/x)", 12, 13, -1, 99000001000, 4,
         0, 0x1234},
        {":8     7/8         0.000002000:  0x5/0x6/P/-/-/1/COND/", 7, 8, -1, 2000, 1, 0, 0},
        {"a 1 b     7/8  [000]   3.500000: 0x5/0x6/P/-/-/1/", 7, 8, 0, 3500000000, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct an_branch_sample sample;
        struct an_error error = {0};
        enum an_code code = read_line(lines[i].text, &sample, &error);
        check(code == AN_OK, "%s", error.what);
        check((int)sample.pid == lines[i].pid && (int)sample.tid == lines[i].tid, "%s: %d/%d",
              lines[i].text, (int)sample.pid, (int)sample.tid);
        check(sample.has_cpu == (lines[i].cpu >= 0), "%s", lines[i].text);
        check(!sample.has_cpu || (int)sample.cpu == lines[i].cpu, "%s", lines[i].text);
        check(sample.has_time == (lines[i].time >= 0), "%s", lines[i].text);
        check(!sample.has_time || (int64_t)sample.time == lines[i].time, "%s: %llu", lines[i].text,
              (unsigned long long)sample.time);
        check(sample.period == lines[i].period, "%s", lines[i].text);
        check(sample.has_ip == (lines[i].ip != 0) && sample.ip == lines[i].ip, "%s: %llx",
              lines[i].text, (unsigned long long)sample.ip);
        check(sample.has_addr == (lines[i].addr != 0) && sample.addr == lines[i].addr, "%s: %llx",
              lines[i].text, (unsigned long long)sample.addr);
        check(sample.has_branches ==
                  (strstr(lines[i].text, "0x1/") || strstr(lines[i].text, "0x5/")),
              "%s", lines[i].text);
        assert_int_equal(sample.offset, 100);
    }
}

/* A thread may have any name. The fields behind it are as perf 6.1 prints them. */
static void names_of_threads(void **state)
{
    (void)state;
    static const char *const names[] = {
        "plain",
        "java main",
        "[ET_NET 0]",
        "worker 7",
        "12",
        "io 3 of 4",
        "a 3 4",
        "7 [3]",
        "1 io:",
        "5/6",
        "",
        ":1",
        "cycles:",
        "PERF_RECORD_MMA",
        "PERF_RECORD_C",
        "x PERF_RECORD_F",
        "1 PERF_RECORD_C",
        "0x1/0x2/M/-/-/0",
        "99 1 cycles:",
        "   9",
        "deadbeef",
        "7 deadbeef",
        "24136 24136",
        "-1",
        "fifteen bytes 1",
    };
    static const struct {
        const char *fields; /* behind the name */
        int pid, tid;
    } rests[] = {
        {" 24136     555500001129 ", 24136, 24136},
        {" 24136     555500001129  0x1/0x2/M/-/-/0/", 24136, 24136},
        {"    77     555500001129 ", 77, 77},
        {"      77     555500001129 ", 77, 77}, /* perf of Linux 6 */
        {" 24136/24140     555500001129  0x1/0x2/M/-/-/0/", 24136, 24140},
        {"     7/8         555500001129  0x1/0x2/M/-/-/0/", 7, 8},
        {" 24136  1566.828377:    5000000 cpu-clock:u:      555500001129 main+0x0 (/p)", 24136,
         24136},
        {" 24136 [003]  1566.828377:          1 cycles:u:      555500001129 a 1 2: (/p q)", 24136,
         24136},
        {"    77  1566.828377000:          1 cycles:      555500001129 main+0x0 (/p)", 77, 77},
        {" 4194304 cycles:u:      555500001129 ", 4194304, 4194304},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof rests / sizeof *rests; k++) {
            char text[256];
            struct an_branch_sample sample;
            struct an_error error = {0};
            snprintf(text, sizeof text, "%16s%s", names[i], rests[k].fields);
            check(!an_script_line_is_record((struct script_line){text, strlen(text), 0}), "%s",
                  text);
            check(read_line(text, &sample, &error) == AN_OK, "%s: %s", text, error.what);
            check((int)sample.pid == rests[k].pid && (int)sample.tid == rests[k].tid, "%s: %d/%d",
                  text, (int)sample.pid, (int)sample.tid);
            check(sample.ip == 0x555500001129, "%s: %llx", text, (unsigned long long)sample.ip);
            check(sample.is_lone == (rests[k].pid == rests[k].tid), "%s", text);
        }
}

/* With call chains, names are not padded. */
static void names_without_columns(void **state)
{
    (void)state;
    static const char *const names[] = {"plain", "java main", "[ET_NET 0]", "worker 7",
                                        "12",    "io 3 of 4", "a 3 4",      "7 [3]",
                                        "1 io:", "5/6",       ":1",         "7 deadbeef"};
    static const char *const rests[] = {
        " 24136     555500001129 ",
        " 24136  1566.828377:    5000000 cpu-clock:u:      555500001129 main+0x0 (/p)",
        " 24136/24140 [000]  1566.828377:    5000000 cpu-clock:u:      555500001129 main+0x0 (/p)",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof rests / sizeof *rests; k++) {
            char text[256];
            struct an_branch_sample sample;
            struct an_error error = {0};
            snprintf(text, sizeof text, "%s%s", names[i], rests[k]);
            check(read_line(text, &sample, &error) == AN_OK, "%s: %s", text, error.what);
            check(sample.pid == 24136 && sample.ip == 0x555500001129, "%s: %u", text, sample.pid);
        }
}

static void branches_of_all_versions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t from, to, flags;
    } lines[] = {
        {"0x4b4567/0x4b23c6/M/-/-/0", 0x4b4567, 0x4b23c6, 1}, /* perf 4 */
        {"0x4b4567/0x4b23c6/P/-/-/17 ", 0x4b4567, 0x4b23c6, 2 | 17 << 4},
        {"0x4b4567/0x4b23c6/-/X/A/65535/", 0x4b4567, 0x4b23c6, 4 | 8 | 0xffff << 4},
        {"0x1/0x2/P/-/-/1/COND", 1, 2, 2 | 1 << 4 | 1 << 20}, /* perf 6.1 */
        {"0x1/0x2/P/-/-/1/COND_RET/", 1, 2, 2 | 1 << 4 | 10 << 20},
        {"0x1/0x2/P/-/-/1/CALL/NON_SPEC_CORRECT_PATH", 1, 2, 2 | 1 << 4 | 4 << 20}, /* 6.2 */
        {"0x1/0x2/PN/-/-/1/COND/-", 1, 2, 2 | 1 << 4 | 1 << 20}, /* 6.14: not taken */
        {"0x1(/usr/bin/a b)/0x2([kernel.kallsyms])/M/-/-/5/", 1, 2, 1 | 5 << 4}, /* with dso */
        {"0xffffffffffffffff/0x0/-/-/-/0/", UINT64_MAX, 0, 0},
        {"0x1/0x2/P/-/-/1/SOMETHING_NEW", 1, 2, 2 | 1 << 4},
        {"0x1/0x2/P/-/-/99999/", 1, 2, 2 | 0xffff << 4},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[256];
        struct an_branch_sample sample;
        struct an_error error = {0};
        snprintf(text, sizeof text, " 7   10 %s  %s", lines[i].text, "0x9/0x8/M/-/-/1/");
        enum an_code code = read_line(text, &sample, &error);
        check(code == AN_OK, "%s: %s", text, error.what);
        assert_int_equal(sample.branch_count, 2);
        assert_true(an_branch_from(&sample, 0) == lines[i].from);
        assert_true(an_branch_to(&sample, 0) == lines[i].to);
        check(an_branch_flags(&sample, 0) == lines[i].flags, "%s: %llx", text,
              (unsigned long long)an_branch_flags(&sample, 0));
        assert_true(an_branch_from(&sample, 1) == 9 && an_branch_to(&sample, 1) == 8);
    }
}

static void lines_that_are_no_samples(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "no numbers at all",
        "7",
        "    7  ",
        "worker 7 1.000000: cycles: ",           /* the begin of a call chain */
        "\t          421a70 main+0x3 (/x)",      /* the rest of it */
        "           421a70 0x1/0x2/M/-/-/0/",    /* no process */
        "              401000 0x1/0x2/M/-/-/0/", /* the same, looking like a pid */
        "7 421a70 0x1/0x2",
        "7 421a70 0x1/2/M/-/-/0/",
        "7 421a70 0x1/0x2/M/-/-/0/ main/foo/M/-/-/0",
        "7 421a70 0x11112222333344445/0x2/M/-/-/0/",
        "7 11112222333344445 0x1/0x2/",
        "7 421a70 0x1(/never/0x2/M/-/-/0/",
        "0x1/0x2/M/-/-/0/",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct an_branch_sample sample;
        struct an_error error = {0};
        enum an_code code = read_line(lines[i], &sample, &error);
        bool odd_ip = i == 11; /* taken for a symbol */
        check(code == AN_MALFORMED || odd_ip, "%s", lines[i]);
        check(odd_ip || (error.offset == 100 && error.hint[0]), "%s", lines[i]);
    }
}

static struct an_task_event task_of(const char *text, struct an_buffer *name)
{
    struct script_line line = {text, strlen(text), 100};
    struct an_task_event event;
    struct an_error error = {0};
    bool is_task = false;
    assert_true(an_script_line_is_record(line));
    enum an_code code = an_script_line_task(line, name, &event, &is_task, &error);
    check(code == AN_OK && is_task, "%s: %s", text, error.what);
    return event;
}

static void records_of_processes(void **state)
{
    (void)state;
    struct an_buffer name = {0};
    struct an_task_event event =
        task_of("x  7/8 [001] 1.000002: PERF_RECORD_MMAP2 7/8: [0x563e000(0x16000) @ 0x4000 fe:1f "
                "247728 3]: r-xs /usr/bin/a b",
                &name);
    assert_true(event.kind == AN_TASK_MMAP && event.pid == 7 && event.tid == 8);
    assert_true(event.has_time && event.time == 1000002000);
    assert_true(event.start == 0x563e000 && event.length == 0x16000 && event.file_offset == 0x4000);
    assert_true(event.device_major == 0xfe && event.device_minor == 0x1f && event.has_file);
    assert_true(event.inode == 247728 && event.inode_generation == 3 && event.executable);
    assert_true(event.protection == (PROT_READ | PROT_EXEC) && event.flags == MAP_SHARED);
    assert_string_equal(event.name, "/usr/bin/a b");
    event = task_of("7 PERF_RECORD_MMAP2 7/8: [0x1000(0x1000) @ 0 <0aFf>]: rw-p //anon", &name);
    assert_true(!event.has_time && !event.has_file && event.build_id_size == 2);
    assert_true(event.build_id[0] == 0x0a && event.build_id[1] == 0xff && !event.executable);
    event = task_of("swapper 0 0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x12090c8) @ "
                    "0xffffffff81000000]: x [kernel.kallsyms]_text",
                    &name);
    assert_true(event.pid == UINT32_MAX && event.tid == 0 && event.executable);
    assert_true(!event.has_protection && event.protection == 0 && event.time == 0);
    event = task_of("x 7 1.000000: PERF_RECORD_COMM exec: a:b c:7/9", &name);
    assert_true(event.kind == AN_TASK_COMM && event.exec && event.pid == 7 && event.tid == 9);
    assert_string_equal(event.name, "a:b c");
    event = task_of("x 7 1.000000: PERF_RECORD_COMM: :7/9", &name);
    assert_true(!event.exec);
    assert_string_equal(event.name, "");
    event = task_of("x 7 1.000000: PERF_RECORD_FORK(8:9):(6:7)", &name);
    assert_true(event.kind == AN_TASK_FORK && event.pid == 8 && event.tid == 9);
    assert_true(event.parent_pid == 6 && event.parent_tid == 7 && !event.name);
    event = task_of("x 7 1.000000: PERF_RECORD_EXIT(8:9):(6:7)", &name);
    assert_int_equal(event.kind, AN_TASK_EXIT);
    an_buffer_free(&name);
}

static void records_of_threads_with_odd_names(void **state)
{
    (void)state;
    static const char *const names[] = {"",      "worker 7",        "12",  "[ET_NET 0]",
                                        "7 [3]", "PERF_RECORD_FOR", "1 a:"};
    struct an_buffer name = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "%16s 24136  1566.828377: PERF_RECORD_COMM: PERF_RECORD_EXIT(1:2):(3:4):7/9",
                 names[i]);
        struct an_task_event event = task_of(text, &name);
        check(event.kind == AN_TASK_COMM && event.pid == 7 && event.tid == 9, "%s", text);
        check(event.has_time && event.time == 1566828377000, "%s", text);
        snprintf(text, sizeof text, "%16s 24136 PERF_RECORD_FORK(8:9):(6:7)", names[i]);
        event = task_of(text, &name);
        check(event.kind == AN_TASK_FORK && event.pid == 8 && !event.has_time, "%s", text);
    }
    an_buffer_free(&name);
}

static void records_that_are_wrong(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "x 7 1.0: PERF_RECORD_MMAP2 7/8",
        "x 7 1.0: PERF_RECORD_MMAP2 7: [0x1(0x1) @ 0 fe:1f 2 3]: r-xp x",
        "x 7 1.0: PERF_RECORD_MMAP2 7/8: [0x1(0x1) @ 0 fe:1f 2]: r-xp x",
        "x 7 1.0: PERF_RECORD_MMAP2 7/8: [0x1(0x1) @ 0 fe:1f 2 3: r-xp x",
        "x 7 1.0: PERF_RECORD_MMAP2 7/8: [0x1(0x1) @ 0 fe:1f 2 3]: r-xp",
        "x 7 1.0: PERF_RECORD_MMAP2 7/8: [0x1(0x1) @ 0 <0a0]: r-xp x",
        "7 PERF_RECORD_MMAP2 7/8: [1(1) @ 0 <0102030405060708090a0b0c0d0e0f101112131415>]: r x",
        "x 7 1.0: PERF_RECORD_COMM: a",
        "x 7 1.0: PERF_RECORD_COMM: a:7",
        "x 7 1.0: PERF_RECORD_FORK(8:9)",
        "x 7 1.0: PERF_RECORD_EXIT(8:9):(6:7",
    };
    struct an_buffer name = {0};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct script_line line = {lines[i], strlen(lines[i]), 0};
        struct an_task_event event;
        struct an_error error = {0};
        bool is_task;
        check(an_script_line_task(line, &name, &event, &is_task, &error) == AN_MALFORMED, "%s",
              lines[i]);
    }
    an_buffer_free(&name);
}

/* ---- whole texts ---- */

static struct an_bytes bytes_of(const char *text)
{
    return (struct an_bytes){(const uint8_t *)text, strlen(text)};
}

static const char small[] = "# a comment\n"
                            "\n"
                            "x 7 1.000000: PERF_RECORD_COMM exec: x:7/7\n"
                            "x 7 1.000001: PERF_RECORD_NAMESPACES 7/7 - nr_namespaces: 7\n"
                            "x 7/7 1.000002: cycles: 10 0x1/0x2/M/-/-/0/\r\n"
                            "x 7/8 1.000003: cycles: 11\n";

static void a_small_text(void **state)
{
    (void)state;
    struct collected all;
    for (int piped = 0; piped < 2; piped++) {
        if (piped)
            collect_piped(&all, bytes_of(small), 2);
        else
            collect_bytes(&all, bytes_of(small), NULL, 2);
        check(all.code == AN_OK, "%s: %s", all.failed, all.error.what);
        assert_int_equal(an_samples_info(all.samples)->kind, AN_SAMPLES_PERF_SCRIPT);
        assert_int_equal(all.task_count, 1);
        assert_int_equal(all.item_count, 2);
        assert_true(all.items[0].ip == 0x10 && all.items[0].branch_count == 1);
        assert_true(all.items[1].ip == 0x11 && all.items[1].tid == 8);
        assert_int_equal(an_samples_counts(all.samples)->records, 6);
        assert_int_equal(an_samples_counts(all.samples)->samples, 2);
        collected_free(&all);
    }
}

/* By default perf prints the tid only: records tell the process. */
static void threads_find_their_process(void **state)
{
    (void)state;
    static const char text[] =
        "               p  2000     1.000000: PERF_RECORD_MMAP2 2000/2000: [0x1000(0x1000) @ 0 "
        "fe:1f 2 "
        "3]: r-xp /p\n"
        "               p  2000     1.000001: PERF_RECORD_FORK(2000:2001):(2000:2000)\n"
        "               p  2002     1.000002: PERF_RECORD_COMM: w:2000/2002\n"
        "               p  2003     1.000003: PERF_RECORD_EXIT(2000:2003):(2000:2000)\n"
        "               p  2000     1.000004:          1 cycles:u:             1010 f (/p)\n"
        "               p  2001     1.000005:          1 cycles:u:             1011 f (/p)\n"
        "               w  2002     1.000006:          1 cycles:u:             1012 f (/p)\n"
        "               p  2003     1.000007:          1 cycles:u:             1013 f (/p)\n"
        "           other  2004     1.000008:          1 cycles:u:             1014 f (/p)\n"
        "         swapper     0     1.000009:          1 cycles:           ffff1015 f (/p)\n";
    struct collected all;
    collect_bytes(&all, bytes_of(text), NULL, 1);
    check(all.code == AN_OK, "%s: %s", all.failed, all.error.what);
    assert_int_equal(all.item_count, 6);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(all.items[i].pid == 2000 && all.items[i].tid == 2000 + i);
    assert_true(all.items[4].pid == 2004 && all.items[5].pid == 0);
    assert_int_equal(an_samples_counts(all.samples)->homeless, 1);
    collected_free(&all);
}

static void a_text_that_is_cut_off(void **state)
{
    (void)state;
    struct collected all;
    size_t last = strlen(small) - strlen("x 7/8 1.000003: cycles: 11\n");
    struct an_bytes cut = {(const uint8_t *)small, strlen(small) - 1};
    collect_bytes(&all, cut, NULL, 1);
    assert_int_equal(all.code, AN_TRUNCATED);
    assert_int_equal(all.error.offset, last);
    collected_free(&all);
    collect_bytes(&all, cut, &(struct an_samples_options){.allow_truncated = true}, 1);
    assert_int_equal(all.code, AN_OK);
    assert_int_equal(all.item_count, 1);
    assert_true(an_samples_counts(all.samples)->cut);
    assert_int_equal(an_samples_counts(all.samples)->cut_at, last);
    collected_free(&all);
}

/* Lines of all lengths, so that they lie across pieces in every way, and one of megabytes. */
static void a_long_text(void **state)
{
    (void)state;
    enum { LINES = 20000 };
    struct an_buffer text = {0};
    uint64_t random = 3, total = 0;
    for (uint64_t i = 0; i < LINES; i++) {
        uint64_t count = i == 5000 ? 80000 : number_below(&random, 20);
        an_buffer_print(&text, "%llu %llx", (unsigned long long)(i % 1000 + 1),
                        (unsigned long long)i + 0x1000);
        for (uint64_t k = 0; k < count; k++)
            an_buffer_print(&text, "  0x%llx/0x%llx/P/-/-/0/", (unsigned long long)i,
                            (unsigned long long)k);
        an_buffer_put(&text, "\n", 1);
        total += count;
    }
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct collected all;
        uint64_t found = 0;
        collect_bytes(&all, (struct an_bytes){text.data, text.size}, NULL, threads);
        check(all.code == AN_OK, "%s: %s", all.failed, all.error.what);
        assert_int_equal(all.item_count, LINES);
        for (size_t i = 0; i < LINES; i++) {
            assert_true(all.items[i].ip == i + 0x1000 && all.items[i].pid == i % 1000 + 1);
            for (uint64_t k = 0; k < all.items[i].branch_count; k++)
                assert_true(an_branch_to(&all.items[i], k) == k);
            found += all.items[i].branch_count;
        }
        assert_true(found == total);
        collected_free(&all);
    }
    an_buffer_free(&text);
}

/* The first line decides what a file is, however long it is. */
static void a_long_first_line(void **state)
{
    (void)state;
    for (size_t count = 90; count < 300; count++) {
        struct an_buffer text = {0};
        struct collected all;
        an_buffer_print(&text, "# made by hand\n    7           421a70");
        for (size_t i = 0; i < count; i++)
            an_buffer_print(&text, " 0x%zx/0x%zx/P/-/-/0/", i + 0x400000, i);
        an_buffer_put(&text, "\n", 1);
        collect_bytes(&all, (struct an_bytes){text.data, text.size}, NULL, 1);
        check(all.code == AN_OK, "%zu branches: %s", count, all.error.what);
        assert_int_equal(all.items[0].branch_count, count);
        collected_free(&all);
        an_buffer_free(&text);
    }
}

static void what_is_no_text_of_perf(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words;
    } others[] = {
        {"1 main 0 1 main 1c 0 12\n", "a BOLT profile (fdata)"},
        {"B 1 2 3 0\n", "pre-aggregated"},
        {"T 1 2 3 0\n", "pre-aggregated"},
        {"hello\n", "not a perf recording"},
        {"# only a comment\n", "not a perf recording"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct collected all;
        collect_bytes(&all, bytes_of(others[i].text), NULL, 1);
        check(all.code == AN_UNKNOWN && strstr(all.error.what, others[i].words), "%s: %s",
              others[i].text, all.error.what);
        collected_free(&all);
    }
    struct collected all;
    collect_bytes(&all, bytes_of("x 7 1.000000: cycles: \n\t 421a70 main (/x)\n"), NULL, 1);
    assert_int_equal(all.code, AN_MALFORMED);
    assert_non_null(strstr(all.error.hint, "-G"));
    collected_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fields_before_the_branches),
        cmocka_unit_test(names_of_threads),
        cmocka_unit_test(names_without_columns),
        cmocka_unit_test(branches_of_all_versions),
        cmocka_unit_test(lines_that_are_no_samples),
        cmocka_unit_test(records_of_processes),
        cmocka_unit_test(records_of_threads_with_odd_names),
        cmocka_unit_test(records_that_are_wrong),
        cmocka_unit_test(a_small_text),
        cmocka_unit_test(threads_find_their_process),
        cmocka_unit_test(a_text_that_is_cut_off),
        cmocka_unit_test(a_long_text),
        cmocka_unit_test(a_long_first_line),
        cmocka_unit_test(what_is_no_text_of_perf),
    };
    int failed = RUN_TESTS(tests);
    an_buffer_free(&branches);
    return failed;
}
