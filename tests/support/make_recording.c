/*
 * Writes a made-up perf.data to standard output, for peers to read (perf/test_peer.sh):
 *
 *     make_recording [big] [pipe] [z | z2] [two] [hwindex] [chains] [few] >perf.data
 *
 * big: big-endian; z, z2: compressed; two: two events; hwindex: branch stacks with an index;
 * chains: samples with call chains; few: some samples with few branches, for seeds of fuzzers.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/perf_build.h"
#include "support/test.h"

enum { SAMPLES = 300, FEW = 25, MOST_BRANCHES = 32 };

static const uint8_t id[20] = {0xde, 0xad, 1,  2,  3,  4,  5,  6,  7,  8,
                               9,    10,   11, 12, 13, 14, 15, 16, 17, 18};

struct wishes {
    bool two, hwindex, chains, few;
};

static void put_events(struct perf_builder *b, const struct wishes *wishes)
{
    struct perf_event_spec event = {
        .name = "branches:u",
        .config = 4,
        .period = 1000,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
                       PERF_SAMPLE_BRANCH_STACK,
        .branch_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
        .ids = {21, 22},
        .id_count = 2,
    };
    if (wishes->hwindex)
        event.branch_type |= PERF_SAMPLE_BRANCH_HW_INDEX;
    if (wishes->chains)
        event.sample_type |= PERF_SAMPLE_CALLCHAIN;
    perf_event(b, &event);
    if (!wishes->two)
        return;
    event.name = "instructions:u";
    event.config = 1;
    event.ids[0] = 23;
    event.ids[1] = 24;
    perf_event(b, &event);
}

static void put_tasks(struct perf_builder *b)
{
    perf_mmap(b, &(struct perf_mapping_spec){.pid = UINT32_MAX,
                                             .start = 0xffffffff81000000,
                                             .length = 0x1209000,
                                             .file_offset = 0xffffffff81000000,
                                             .filename = "[kernel.kallsyms]_text",
                                             .misc = PERF_RECORD_MISC_KERNEL});
    perf_comm(b, &(struct perf_task_spec){.pid = 70, .name = "perf-exec"});
    perf_comm(b,
              &(struct perf_task_spec){.pid = 70, .name = "two words", .exec = true, .time = 100});
    perf_mmap2(b, &(struct perf_mapping_spec){.pid = 70,
                                              .time = 110,
                                              .start = 0x400000,
                                              .length = 0x100000,
                                              .file_offset = 0x1000,
                                              .device_major = 8,
                                              .device_minor = 17,
                                              .inode = 12345,
                                              .inode_generation = 9,
                                              .filename = "/no/such/program"});
    perf_mmap2(b, &(struct perf_mapping_spec){.pid = 70,
                                              .time = 120,
                                              .start = 0x7f0000000000,
                                              .length = 0x4000,
                                              .filename = "/no/such/lib.so",
                                              .protection = PROT_READ | PROT_WRITE,
                                              .flags = MAP_SHARED});
    perf_mmap2(b, &(struct perf_mapping_spec){.pid = 70,
                                              .time = 130,
                                              .start = 0x7f0000100000,
                                              .length = 0x4000,
                                              .filename = "/no/such/other file.so",
                                              .build_id = id,
                                              .build_id_size = 20});
    perf_build_id(b, id, 20, UINT32_MAX, PERF_RECORD_MISC_USER, "/no/such/program");
}

static void put_sample(struct perf_builder *b, const struct wishes *wishes, uint64_t number,
                       uint64_t *random)
{
    struct perf_branch branches[MOST_BRANCHES];
    const uint64_t chain[] = {PERF_CONTEXT_USER, 0x401000 + number, 0x402000};
    for (size_t i = 0; i < MOST_BRANCHES; i++)
        branches[i] = (struct perf_branch){
            number_below(random, 9) ? 0x400000 + number_below(random, 0x100000)
                                    : 0xffffffff81000000 + number_below(random, 0x10000),
            0x400000 + number_below(random, 0x100000),
            number_below(random, 3) | number_below(random, 4) << 2 |
                (number_below(random, 2) ? number_below(random, 1 << 16) << 4 : 0) |
                number_below(random, 7) << 20};
    perf_sample(
        b, &(struct perf_sample_spec){.event = wishes->two && number % 3 == 0,
                                      .ip = 0x400000 + number_below(random, 0x100000),
                                      .pid = 70,
                                      .tid = 70 + (uint32_t)number_below(random, 3),
                                      .cpu = (uint32_t)number_below(random, 200),
                                      .time = 1000000000 * (number / 10) + number,
                                      .addr = number_below(random, 2) ? next_number(random) : 0,
                                      .period = number_below(random, 100000) + 1,
                                      .callchain = chain,
                                      .callchain_count = 3,
                                      .branches = branches,
                                      .branch_count = wishes->few   ? number % 4
                                                      : number % 20 ? MOST_BRANCHES
                                                                    : number % 7,
                                      .hardware_index = 3});
}

int main(int argc, char **argv)
{
    struct perf_builder builder = {0};
    struct wishes wishes = {0};
    uint64_t random = 7;
    struct an_buffer file;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == 'z')
            builder.compress = 5003;
        builder.big |= strcmp(argv[i], "big") == 0;
        builder.pipe |= strcmp(argv[i], "pipe") == 0;
        builder.compressed2 |= strcmp(argv[i], "z2") == 0;
        wishes.two |= strcmp(argv[i], "two") == 0;
        wishes.hwindex |= strcmp(argv[i], "hwindex") == 0;
        wishes.chains |= strcmp(argv[i], "chains") == 0;
        wishes.few |= strcmp(argv[i], "few") == 0;
    }
    if (builder.compress && wishes.few)
        builder.compress = 503;
    put_events(&builder, &wishes);
    put_tasks(&builder);
    for (uint64_t i = 10; i < (wishes.few ? FEW : SAMPLES); i++) {
        put_sample(&builder, &wishes, i, &random);
        if (i == 100)
            perf_fork(&builder,
                      &(struct perf_task_spec){
                          .pid = 90, .parent_pid = 70, .parent_tid = 71, .time = 10000000100});
        if (i % 50 == 49)
            perf_finished_round(&builder);
    }
    perf_exit(&builder, &(struct perf_task_spec){.pid = 90, .parent_pid = 70, .time = 30000000001});
    perf_finish(&builder, &file);
    if (file.failed || fwrite(file.data, 1, file.size, stdout) != file.size)
        return 1;
    an_buffer_free(&file);
    perf_builder_free(&builder);
    return fflush(stdout) != 0;
}
