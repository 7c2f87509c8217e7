/* Aggregation while every allocation and read fails in turn: an error, and nothing kept. */
#include <anneal/branch.h>

#include <linux/perf_event.h>
#include <unistd.h>

#include "base/memory.h"
#include "support/elf_build.h"
#include "support/perf_build.h"
#include "support/test.h"

/* A switch, a call, a part of the function elsewhere, and one that jumps into it. */
static int make_binary(void)
{
    static const uint8_t code[] = {
        0xff, 0x24, 0xfd, 0, 0x20, 0, 0, /* 0 jmp *0x2000(,%rdi,8) */
        0x90,                            /* 7 */
        0x90,                            /* 8 */
        0xe8, 5,    0,    0, 0,          /* 9 call g */
        0x74, 3,                         /* 14 je f.cold */
        0xc3,                            /* 16 */
        0x90, 0x90,                      /* padding */
        0xeb, 0xf3,                      /* 19: g jmp 8 */
        0xc3,                            /* 21: f.cold */
    };
    static uint64_t table[] = {0x1007, 0x1008};
    struct elf_builder b = {0};
    unsigned text = elf_section(&b, ".text", 0x1000, SHF_EXECINSTR, code, sizeof code);
    unsigned data = elf_section(&b, ".rodata", 0x2000, 0, table, sizeof table);
    elf_symbol(&b, "f.c", STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
    elf_symbol(&b, "f", STB_LOCAL, STT_FUNC, text, 0x1000, 17);
    elf_symbol(&b, "f.cold", STB_LOCAL, STT_FUNC, text, 0x1015, 1);
    elf_symbol(&b, "inside", STB_LOCAL, STT_NOTYPE, text, 0x1007, 0);
    elf_symbol(&b, "table", STB_LOCAL, STT_OBJECT, data, 0x2000, 16);
    unsigned g = elf_symbol(&b, "g", STB_GLOBAL, STT_FUNC, text, 0x1013, 2);
    elf_relocation(&b, text, 0x1003, R_X86_64_32S, 5, 0);
    elf_relocation(&b, data, 0x2000, R_X86_64_64, 2, 7);
    elf_relocation(&b, data, 0x2008, R_X86_64_64, 2, 8);
    elf_relocation(&b, text, 0x100a, R_X86_64_PLT32, g, (uint64_t)-4);
    return elf_file(&b);
}

static int make_recording(const char *name)
{
    struct perf_builder b = {0};
    perf_event(&b, &(struct perf_event_spec){.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                                            PERF_SAMPLE_TIME |
                                                            PERF_SAMPLE_BRANCH_STACK});
    perf_mmap2(&b, &(struct perf_mapping_spec){
                       .pid = 7, .time = 1, .start = 0x1000, .length = 0x1000, .filename = name});
    perf_fork(&b, &(struct perf_task_spec){.pid = 8, .parent_pid = 7, .parent_tid = 7, .time = 2});
    for (unsigned i = 0; i < 20; i++) {
        struct perf_branch branches[] = {
            {0x1010, 0x5000, 2}, {0x1013, 0x1008, 2}, {0x1009, 0x1013, 1}, {0x1000, 0x1007, 2}};
        perf_sample(&b, &(struct perf_sample_spec){.ip = 0x1000 + i % 17,
                                                   .time = 10 + i,
                                                   .pid = 7 + i % 3,
                                                   .tid = 7,
                                                   .branches = branches,
                                                   .branch_count = 4});
    }
    return perf_file(&b);
}

struct result {
    void *bytes;
    size_t size;
};

static enum an_code aggregate(const struct an_aggregate_options *options, const char *recording,
                              const char *binary, struct result *result, struct an_error *error)
{
    struct an_aggregate *made;
    enum an_code code = an_aggregate_run(options, recording, binary, &made, error);
    if (code == AN_OK)
        code = an_aggregate_write(made, AN_AGGREGATE_FDATA, &result->bytes, &result->size, error);
    else
        assert_null(made);
    an_aggregate_free(made);
    return code;
}

static void every_call_fails_in_turn(void **state)
{
    (void)state;
    char binary[40], recording[40], name[16];
    int binary_fd = make_binary();
    snprintf(name, sizeof name, "%d", binary_fd);
    snprintf(binary, sizeof binary, "/proc/self/fd/%d", binary_fd);
    int recording_fd = make_recording(name);
    snprintf(recording, sizeof recording, "/proc/self/fd/%d", recording_fd);
    for (int basic = 0; basic < 2; basic++) {
        struct an_aggregate_options options = {
            .size = sizeof options, .threads = 1, .no_branches = basic};
        struct result expected, result;
        struct an_error error = {0};
        an_fault_countdown = -1;
        enum an_code code = aggregate(&options, recording, binary, &expected, &error);
        check(code == AN_OK, "%s", error.what);
        assert_true(basic || expected.size > 50);
        long calls = 0;
        for (bool failed = true; failed; calls++) {
            error = (struct an_error){0};
            an_fault_countdown = calls;
            code = aggregate(&options, recording, binary, &result, &error);
            failed = an_fault_countdown < 0;
            an_fault_countdown = -1;
            if (code != AN_OK) {
                check(failed && error.what[0], "call %ld", calls);
                continue;
            }
            check(result.size == expected.size &&
                      memcmp(result.bytes, expected.bytes, expected.size) == 0,
                  "call %ld: another result", calls);
            free(result.bytes);
        }
        assert_true(calls > 20);
        free(expected.bytes);
    }
    close(binary_fd);
    close(recording_fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_fails_in_turn)};
    return RUN_TESTS(tests);
}
