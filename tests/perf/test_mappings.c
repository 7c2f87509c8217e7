/* Where a binary was mapped, when, in which process: made-up recordings. */
#include "perf/mappings.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/elf_build.h"
#include "support/perf_build.h"
#include "support/test.h"

enum { TEXT = 0x1000, START = 0x500000, SIZE = 0x3000 };

struct fixture {
    struct perf_builder recording;
    struct an_elf *elf;
    struct an_samples *samples;
    struct an_mappings mappings;
    uint64_t offset; /* of .text in the file */
};

static void begin(struct fixture *f, bool independent)
{
    static const uint8_t code[64] = {0xc3};
    struct elf_builder b = {.independent = independent};
    elf_section(&b, ".text", TEXT, SHF_EXECINSTR, code, sizeof code);
    *f = (struct fixture){.elf = elf_open(&b)};
    size_t count;
    f->offset = an_elf_segments(f->elf, &count)[0].offset;
    perf_event(&f->recording,
               &(struct perf_event_spec){.sample_type =
                                             PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME});
}

static void map(struct fixture *f, uint32_t pid, uint64_t time, uint64_t start, const char *name)
{
    perf_mmap2(&f->recording,
               &(struct perf_mapping_spec){
                   .pid = pid, .time = time, .start = start, .length = SIZE, .filename = name});
}

static void read_mappings(struct fixture *f, uint32_t only)
{
    struct an_buffer bytes = {0};
    char path[40];
    struct an_error error;
    struct an_mapped_file file = {.elf = f->elf, .name = "program"};
    struct an_mappings_options options = {.files = &file, .file_count = 1, .only_pid = only};
    perf_finish(&f->recording, &bytes);
    int fd = memfd_create("recording", MFD_CLOEXEC);
    assert_true(fd >= 0 && !bytes.failed);
    assert_int_equal(write(fd, bytes.data, bytes.size), (ssize_t)bytes.size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(an_samples_open(path, NULL, &f->samples, &error), AN_OK);
    assert_int_equal(an_mappings_read(&f->mappings, f->samples, &options, &error), AN_OK);
    close(fd);
    an_buffer_free(&bytes);
}

static void end(struct fixture *f)
{
    an_mappings_free(&f->mappings);
    an_samples_close(f->samples);
    an_elf_close(f->elf);
    perf_builder_free(&f->recording);
}

/* Of the first byte of .text, in a mapping of the file's start. */
static uint64_t address_of(const struct fixture *f, uint32_t pid, uint64_t time, uint64_t start)
{
    const struct an_process *process = an_mappings_process(&f->mappings, pid, time);
    return process ? an_mappings_address(&f->mappings, process, time, start + f->offset) : 1;
}

static bool runs(const struct fixture *f, uint32_t pid, uint64_t time)
{
    return an_mappings_process(&f->mappings, pid, time) != NULL;
}

static void follows_where_it_was_moved_to(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, true);
    map(&f, 7, 100, START, "/usr/bin/program");
    map(&f, 8, 100, 2 * START, "/usr/bin/program (deleted)");
    map(&f, 9, 100, START, "/usr/bin/other-program");
    read_mappings(&f, 0);
    assert_int_equal(address_of(&f, 7, 200, START), TEXT);
    assert_int_equal(address_of(&f, 8, 200, 2 * START), TEXT);
    assert_int_equal(address_of(&f, 7, 200, 2 * START), 0);
    assert_int_equal(address_of(&f, 7, 200, START + SIZE), 0);
    assert_false(runs(&f, 7, 99));
    assert_false(runs(&f, 9, 200));
    assert_int_equal(f.mappings.processes.count, 2);
    assert_non_null(strstr(f.mappings.seen, "other-program"));
    end(&f);
}

static void leaves_fixed_addresses_alone(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, false);
    map(&f, 7, 100, TEXT - f.offset % TEXT, "program");
    read_mappings(&f, 0);
    const struct an_process *process = an_mappings_process(&f.mappings, 7, 100);
    assert_non_null(process);
    assert_int_equal(an_mappings_address(&f.mappings, process, 100, 0x12345678), 0x12345678);
    end(&f);
}

/* The order of the file is not that of time. */
static void ends_a_mapping_with_the_next_in_its_place(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, true);
    map(&f, 7, 300, START + 0x1000, "/lib/library.so");
    map(&f, 7, 400, 3 * START, "/bin/program");
    map(&f, 7, 100, START, "/bin/program");
    read_mappings(&f, 0);
    assert_int_equal(address_of(&f, 7, 299, START), TEXT);
    assert_false(runs(&f, 7, 300));
    assert_int_equal(address_of(&f, 7, 400, START), 0);
    assert_int_equal(address_of(&f, 7, 400, 3 * START), TEXT);
    assert_int_equal(f.mappings.processes.count, 1);
    end(&f);
}

static void hands_mappings_to_children(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, true);
    map(&f, 7, 100, START, "/bin/program");
    perf_fork(&f.recording,
              &(struct perf_task_spec){.pid = 8, .parent_pid = 7, .parent_tid = 7, .time = 200});
    perf_comm(&f.recording,
              &(struct perf_task_spec){.pid = 8, .time = 300, .name = "other", .exec = true});
    perf_fork(&f.recording, &(struct perf_task_spec){.pid = 7,
                                                     .tid = 77, /* a thread */
                                                     .parent_pid = 7,
                                                     .parent_tid = 7,
                                                     .time = 200});
    read_mappings(&f, 0);
    assert_false(runs(&f, 8, 199));
    assert_int_equal(address_of(&f, 8, 200, START), TEXT);
    assert_false(runs(&f, 8, 300)); /* it ran something else from then on */
    assert_true(runs(&f, 7, 300));
    assert_int_equal(f.mappings.processes.count, 2);
    assert_int_equal(an_mappings_wanted(&f.mappings), 2);
    end(&f);
}

static void keeps_to_the_process_that_is_wanted(void **state)
{
    (void)state;
    for (uint32_t only = 7; only <= 9; only++) {
        struct fixture f;
        begin(&f, true);
        map(&f, 7, 100, START, "/bin/program");
        perf_fork(&f.recording, &(struct perf_task_spec){
                                    .pid = 8, .parent_pid = 7, .parent_tid = 7, .time = 200});
        read_mappings(&f, only);
        assert_int_equal(runs(&f, 7, 250), only == 7);
        assert_int_equal(runs(&f, 8, 250), only == 8);
        assert_int_equal(an_mappings_wanted(&f.mappings), only != 9);
        assert_int_equal(f.mappings.processes.count, 2);
        end(&f);
    }
}

static void survives_mappings_beyond_all_addresses(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, true);
    static const uint64_t numbers[] = {0, 1, UINT64_MAX, UINT64_MAX - 0xfff, 1ull << 63};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    for (unsigned i = 0; i < NUMBERS * NUMBERS * NUMBERS; i++)
        perf_mmap2(&f.recording,
                   &(struct perf_mapping_spec){.pid = 7,
                                               .time = i,
                                               .start = numbers[i % NUMBERS],
                                               .length = numbers[i / NUMBERS % NUMBERS],
                                               .file_offset = numbers[i / NUMBERS / NUMBERS],
                                               .filename = "program"});
    read_mappings(&f, 0);
    for (unsigned time = 0; time < 200; time++)
        for (unsigned i = 0; i < NUMBERS; i++)
            address_of(&f, 7, time, numbers[i]);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_where_it_was_moved_to),
        cmocka_unit_test(leaves_fixed_addresses_alone),
        cmocka_unit_test(ends_a_mapping_with_the_next_in_its_place),
        cmocka_unit_test(hands_mappings_to_children),
        cmocka_unit_test(keeps_to_the_process_that_is_wanted),
        cmocka_unit_test(survives_mappings_beyond_all_addresses),
    };
    return RUN_TESTS(tests);
}
