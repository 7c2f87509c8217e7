/*
 * lib/perf/data, walk, sample: what was put into a made-up recording comes out of it, in each form that a
 * recording can have; what is damaged is refused. That the made-up ones are what perf means is
 * for test_peer.sh.
 */
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "support/collect.h"
#include "support/perf_build.h"
#include "support/test.h"

enum { MOST_SAMPLES = 4000, MOST_BRANCHES = 40, BRANCH_COUNTERS = 1 << 19 };

static const uint64_t usual = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                              PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK;

struct form {
    const char *name;
    bool big, pipe, compressed2;
    size_t compress;
};

static const struct form forms[] = {
    {"file", false, false, false, 0},
    {"big-endian file", true, false, false, 0},
    {"pipe", false, true, false, 0},
    {"big-endian pipe", true, true, false, 0},
    {"compressed", false, false, false, 10007},
    {"compressed, big-endian", true, false, false, 3001},
    {"compressed, a record at a time or less", false, false, false, 50},
    {"compressed, second kind", false, false, true, 30011},
    {"compressed pipe", false, true, false, 20011},
};
enum { FORMS = sizeof forms / sizeof *forms };

static struct perf_builder builder_of(const struct form *form)
{
    return (struct perf_builder){.big = form->big,
                                 .pipe = form->pipe,
                                 .compress = form->compress,
                                 .compressed2 = form->compressed2};
}

static struct an_bytes bytes_of(const struct an_buffer *buffer)
{
    assert_false(buffer->failed);
    return (struct an_bytes){buffer->data, buffer->size};
}

static void read_back(struct perf_builder *builder, struct collected *all, unsigned threads)
{
    struct an_buffer file;
    perf_finish(builder, &file);
    collect_bytes(all, bytes_of(&file), NULL, threads);
    an_buffer_free(&file);
    perf_builder_free(builder);
}

static void check_read(const struct collected *all)
{
    check(all->code == AN_OK, "%s: %s at %llu", all->failed, all->error.what,
          (unsigned long long)all->error.offset);
}

/* ---- samples ---- */

/* A sample of which every field has a value of its own, made from a number. */
struct made {
    struct perf_sample_spec spec;
    struct perf_branch branches[MOST_BRANCHES];
    uint64_t callchain[8];
    uint8_t raw[20];
};

static void make_sample(struct made *made, uint64_t seed, uint64_t number)
{
    uint64_t state = seed * 1000003 + number + 1;
    next_number(&state);
    *made = (struct made){.spec = {
                              .ip = next_number(&state),
                              .time = 1000 + number, /* tells samples apart */
                              .addr = next_number(&state),
                              .period = next_number(&state),
                              .stream_id = next_number(&state),
                              .pid = (uint32_t)next_number(&state),
                              .tid = (uint32_t)next_number(&state) | 1,
                              .cpu = (uint32_t)next_number(&state),
                              .misc = (uint16_t)(1 + number_below(&state, 5)),
                              .hardware_index = next_number(&state),
                              .callchain_count = number_below(&state, 8),
                              .branch_count = number_below(&state, MOST_BRANCHES),
                              .read_count = number_below(&state, 5),
                              .raw_size = number_below(&state, 2) ? 4 : 20,
                          }};
    made->spec.branches = made->branches;
    made->spec.callchain = made->callchain;
    made->spec.raw = made->raw;
    for (size_t i = 0; i < MOST_BRANCHES; i++)
        made->branches[i] =
            (struct perf_branch){next_number(&state), next_number(&state), next_number(&state)};
    for (size_t i = 0; i < 20; i++)
        made->raw[i] = (uint8_t)next_number(&state);
}

static void check_branches(const struct an_branch_sample *sample, const struct made *made)
{
    assert_int_equal(sample->branch_count, made->spec.branch_count);
    for (size_t i = 0; i < sample->branch_count; i++) {
        assert_true(an_branch_from(sample, i) == made->branches[i].from);
        assert_true(an_branch_to(sample, i) == made->branches[i].to);
        assert_true(an_branch_flags(sample, i) == made->branches[i].flags);
    }
}

static void check_sample(const struct an_branch_sample *sample, const struct made *made,
                         const struct perf_event_spec *event)
{
    const struct perf_sample_spec *spec = &made->spec;
    uint64_t type = event->sample_type;
    assert_int_equal(sample->has_ip, !!(type & PERF_SAMPLE_IP));
    assert_int_equal(sample->has_tid, !!(type & PERF_SAMPLE_TID));
    assert_int_equal(sample->has_time, !!(type & PERF_SAMPLE_TIME));
    assert_int_equal(sample->has_addr, !!(type & PERF_SAMPLE_ADDR));
    assert_int_equal(sample->has_cpu, !!(type & PERF_SAMPLE_CPU));
    assert_int_equal(sample->has_branches, !!(type & PERF_SAMPLE_BRANCH_STACK));
    assert_true(!sample->has_ip || sample->ip == spec->ip);
    assert_true(!sample->has_tid || (sample->pid == spec->pid && sample->tid == spec->tid));
    assert_true(!sample->has_time || sample->time == spec->time);
    assert_true(!sample->has_addr || sample->addr == spec->addr);
    assert_true(!sample->has_cpu || sample->cpu == spec->cpu);
    assert_true(sample->period == (type & PERF_SAMPLE_PERIOD ? spec->period : event->period));
    assert_int_equal(sample->misc_cpumode, spec->misc);
    if (sample->has_branches)
        check_branches(sample, made);
    else
        assert_int_equal(sample->branch_count, 0);
}

/* Writes samples 0 to count - 1 of one event, and checks that each comes back once. */
static void round_trip(const struct form *form, const struct perf_event_spec *event, size_t count,
                       uint64_t seed, unsigned threads)
{
    struct perf_builder builder = builder_of(form);
    struct collected all;
    static struct made made;
    perf_event(&builder, event);
    for (size_t i = 0; i < count; i++) {
        make_sample(&made, seed, i);
        perf_sample(&builder, &made.spec);
        if (i % 100 == 99)
            perf_finished_round(&builder);
    }
    read_back(&builder, &all, threads);
    check_read(&all);
    check(all.item_count == count, "%zu samples, expected %zu (%s)", all.item_count, count,
          form->name);
    assert_int_equal(an_samples_counts(all.samples)->samples, count);
    for (size_t i = 0; i < count; i++) {
        /* with compression, samples of one block share their offset, but not their time */
        size_t number =
            event->sample_type & PERF_SAMPLE_TIME ? (size_t)(all.items[i].time - 1000) : i;
        make_sample(&made, seed, number);
        if (event->sample_type & PERF_SAMPLE_TIME)
            assert_int_equal(number, i);
        check_sample(&all.items[i], &made, event);
    }
    collected_free(&all);
}

static void samples_in_every_form(void **state)
{
    (void)state;
    struct perf_event_spec event = {.sample_type = usual, .period = 4000, .frequency = true};
    for (size_t f = 0; f < FORMS; f++)
        for (unsigned threads = 1; threads <= 3; threads += 2)
            round_trip(&forms[f], &event, 700, f, threads);
}

/* Several pieces of a mebibyte for each of the threads. */
static void samples_of_a_large_file(void **state)
{
    (void)state;
    struct perf_event_spec event = {.sample_type = usual | PERF_SAMPLE_CALLCHAIN};
    static const size_t some[] = {0, 1, 4, 8};
    for (size_t f = 0; f < 4; f++)
        for (unsigned threads = 1; threads <= 4; threads++)
            round_trip(&forms[some[f]], &event, some[f] == 4 ? 4 * MOST_SAMPLES : 3 * MOST_SAMPLES,
                       f, threads);
}

static void every_set_of_fields(void **state)
{
    (void)state;
    static const uint64_t bits[] = {
        PERF_SAMPLE_IP,         PERF_SAMPLE_TID,          PERF_SAMPLE_ADDR,
        PERF_SAMPLE_READ,       PERF_SAMPLE_CALLCHAIN,    PERF_SAMPLE_ID,
        PERF_SAMPLE_CPU,        PERF_SAMPLE_PERIOD,       PERF_SAMPLE_STREAM_ID,
        PERF_SAMPLE_RAW,        PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_REGS_USER,
        PERF_SAMPLE_STACK_USER, PERF_SAMPLE_WEIGHT,       PERF_SAMPLE_DATA_SRC,
        PERF_SAMPLE_IDENTIFIER,
    };
    static const uint64_t branch_types[] = {0, PERF_SAMPLE_BRANCH_HW_INDEX, BRANCH_COUNTERS,
                                            PERF_SAMPLE_BRANCH_HW_INDEX | BRANCH_COUNTERS};
    uint64_t random = 5;
    for (size_t turn = 0; turn < 600; turn++) {
        struct perf_event_spec event = {
            .sample_type = PERF_SAMPLE_TIME, .period = 12, .ids = {3, 4}, .id_count = 2};
        uint64_t chosen = turn < 16 ? (uint64_t)1 << turn : next_number(&random);
        for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
            if (chosen >> i & 1)
                event.sample_type |= bits[i];
        event.read_format = number_below(&random, 32);
        event.branch_type = branch_types[number_below(&random, 4)];
        round_trip(&forms[turn % 2], &event, 12, turn, 1);
    }
}

/* ---- events ---- */

static void two_events(const struct form *form, uint64_t id_bit)
{
    struct perf_builder builder = builder_of(form);
    struct collected all;
    perf_event(&builder, &(struct perf_event_spec){.name = "branches:u",
                                                   .sample_type = usual | id_bit,
                                                   .config = 4,
                                                   .ids = {101, 102},
                                                   .id_count = 2});
    perf_event(&builder, &(struct perf_event_spec){.name = "faults",
                                                   .type = 1,
                                                   .config = 2,
                                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                                                  PERF_SAMPLE_TIME | id_bit,
                                                   .period = 5,
                                                   .ids = {103, UINT64_MAX},
                                                   .id_count = 2});
    static const uint64_t ids[] = {101, 103, 102, UINT64_MAX, 0, 77};
    for (size_t i = 0; i < 6; i++) {
        bool second = ids[i] == 103 || ids[i] == UINT64_MAX;
        perf_sample(&builder, &(struct perf_sample_spec){
                                  .event = second, .id = ids[i], .time = i, .period = 9});
    }
    read_back(&builder, &all, 1);
    check_read(&all);
    const struct an_samples_info *info = an_samples_info(all.samples);
    assert_int_equal(info->event_count, 2);
    assert_string_equal(info->events[0].name, "branches:u");
    assert_string_equal(info->events[1].name, "faults");
    assert_int_equal(info->events[1].type, 1);
    assert_true(info->has_branches);
    static const struct {
        unsigned event;
        uint64_t period;
    } expected[] = {{0, 9}, {1, 5}, {0, 9}, {1, 5}, {0, 9}};
    assert_int_equal(all.item_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(all.items[i].time, i);
        assert_int_equal(all.items[i].event, expected[i].event);
        assert_int_equal(all.items[i].period, expected[i].period);
    }
    assert_int_equal(an_samples_counts(all.samples)->unknown, 1); /* id 77 */
    collected_free(&all);
}

static void events_are_told_apart(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        two_events(&forms[f], PERF_SAMPLE_IDENTIFIER);
    /* ID stands behind what both have */
    two_events(&forms[0], PERF_SAMPLE_ID);
    two_events(&forms[1], PERF_SAMPLE_ID);
}

static void events_that_cannot_be_told_apart(void **state)
{
    (void)state;
    static const uint64_t second[] = {PERF_SAMPLE_IP | PERF_SAMPLE_TID,
                                      PERF_SAMPLE_TID | PERF_SAMPLE_ID};
    for (size_t i = 0; i < 4; i++) {
        struct perf_builder builder = {.pipe = i % 2};
        struct collected all;
        perf_event(&builder, &(struct perf_event_spec){
                                 .sample_type = i < 2 ? PERF_SAMPLE_IP : usual | PERF_SAMPLE_ID});
        perf_event(&builder, &(struct perf_event_spec){.sample_type = second[i / 2]});
        read_back(&builder, &all, 1);
        assert_int_equal(all.code, AN_MALFORMED);
        assert_string_equal(all.failed, "open");
        assert_non_null(strstr(all.error.what, "2 events"));
        collected_free(&all);
    }
}

static void events_without_names(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        uint64_t config;
        const char *name;
    } known[] = {{0, 0, "cycles"},          {0, 5, "branch-misses"},
                 {1, 0, "cpu-clock"},       {1, 9, "dummy"},
                 {2, 31, "tracepoint 31"},  {3, 0x10002, "hw-cache 0x10002"},
                 {4, 0x20c4, "raw 0x20c4"}, {10, 1, "type 10 config 0x1"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct perf_builder builder = {.no_features = true, .big = i % 2};
        struct collected all;
        perf_event(&builder, &(struct perf_event_spec){.type = known[i].type,
                                                       .config = known[i].config,
                                                       .sample_type = PERF_SAMPLE_IP,
                                                       .period = 99,
                                                       .frequency = i % 3});
        perf_finished_round(&builder);
        read_back(&builder, &all, 1);
        check_read(&all);
        const struct an_samples_event *event = an_samples_info(all.samples)->events;
        assert_string_equal(event->name, known[i].name);
        assert_int_equal(event->config, known[i].config);
        assert_int_equal(event->period, 99);
        assert_int_equal(event->by_frequency, i % 3 != 0);
        assert_int_equal(event->sample_type, PERF_SAMPLE_IP);
        assert_false(an_samples_info(all.samples)->has_branches);
        collected_free(&all);
    }
}

/* ---- what happens to processes ---- */

static const uint8_t build_id[20] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                     11, 12, 13, 14, 15, 16, 17, 18, 19, 20};

static void put_tasks(struct perf_builder *b)
{
    perf_comm(b, &(struct perf_task_spec){.pid = 7, .name = "perf-exec"});
    perf_comm(
        b, &(struct perf_task_spec){.pid = 7, .name = "a name of 15 by", .exec = true, .time = 11});
    perf_mmap2(b, &(struct perf_mapping_spec){.pid = 7,
                                              .tid = 9,
                                              .time = 12,
                                              .start = 0x7f0000001000,
                                              .length = 0x2000,
                                              .file_offset = 0x3000,
                                              .device_major = 8,
                                              .device_minor = 1,
                                              .inode = 1u << 31,
                                              .inode_generation = 77,
                                              .filename = "/usr/lib/libx.so",
                                              .flags = MAP_SHARED,
                                              .protection = PROT_READ});
    perf_mmap2(b, &(struct perf_mapping_spec){.pid = 7,
                                              .time = 13,
                                              .start = 0x400000,
                                              .length = 0x1000,
                                              .filename = "/usr/bin/x",
                                              .build_id = build_id,
                                              .build_id_size = 20});
    perf_mmap2(b, &(struct perf_mapping_spec){.pid = 7,
                                              .time = 13,
                                              .start = 0x500000,
                                              .length = 0x1000,
                                              .filename = "",
                                              .build_id = build_id,
                                              .build_id_size = 16});
    perf_mmap(b, &(struct perf_mapping_spec){.pid = UINT32_MAX,
                                             .start = 0xffffffff81000000,
                                             .length = 0x1000,
                                             .file_offset = 0xffffffff81000000,
                                             .filename = "[kernel.kallsyms]_text",
                                             .misc = PERF_RECORD_MISC_KERNEL});
    perf_mmap(b, &(struct perf_mapping_spec){.pid = 7,
                                             .start = 0x1000,
                                             .filename = "[heap]",
                                             .misc = PERF_RECORD_MISC_MMAP_DATA | 2});
    perf_fork(b, &(struct perf_task_spec){
                     .pid = 8, .tid = 8, .parent_pid = 7, .parent_tid = 9, .time = 14});
    perf_exit(b, &(struct perf_task_spec){.pid = 8, .parent_pid = 7, .time = 15});
}

static void check_mappings(const struct an_task_event *tasks, bool has_time)
{
    const struct an_task_event *shared = &tasks[2], *program = &tasks[3], *kernel = &tasks[5];
    assert_int_equal(shared->kind, AN_TASK_MMAP);
    assert_true(shared->pid == 7 && shared->tid == 9 && shared->time == (has_time ? 12 : 0));
    assert_true(shared->start == 0x7f0000001000 && shared->length == 0x2000);
    assert_true(shared->file_offset == 0x3000 && shared->has_file && !shared->executable);
    assert_true(shared->device_major == 8 && shared->device_minor == 1);
    assert_true(shared->inode == 1u << 31 && shared->inode_generation == 77);
    assert_true(shared->has_protection && shared->protection == PROT_READ);
    assert_true(shared->flags == MAP_SHARED && shared->build_id_size == 0);
    assert_string_equal(shared->name, "/usr/lib/libx.so");
    assert_true(program->executable && !program->has_file && program->build_id_size == 20);
    assert_memory_equal(program->build_id, build_id, 20);
    assert_true(program->protection == (PROT_READ | PROT_EXEC) && program->misc_cpumode == 2);
    assert_int_equal(tasks[4].build_id_size, 16);
    assert_string_equal(tasks[4].name, "");
    assert_true(kernel->misc_cpumode == 1 && kernel->executable && !kernel->has_protection);
    assert_true(kernel->start == 0xffffffff81000000 && kernel->pid == UINT32_MAX);
    assert_false(tasks[6].executable);
    assert_string_equal(tasks[6].name, "[heap]");
}

static void check_tasks(const struct collected *all, bool has_time)
{
    const struct an_task_event *tasks = all->tasks;
    assert_int_equal(all->task_count, 9);
    assert_true(tasks[0].kind == AN_TASK_COMM && !tasks[0].exec && tasks[0].has_time == has_time);
    assert_string_equal(tasks[0].name, "perf-exec");
    assert_true(tasks[1].kind == AN_TASK_COMM && tasks[1].exec && tasks[1].pid == 7);
    assert_int_equal(tasks[1].time, has_time ? 11 : 0);
    assert_string_equal(tasks[1].name, "a name of 15 by");
    check_mappings(tasks, has_time);
    assert_true(tasks[7].kind == AN_TASK_FORK && tasks[7].pid == 8 && tasks[7].tid == 8);
    assert_true(tasks[7].parent_pid == 7 && tasks[7].parent_tid == 9 && tasks[7].time == 14);
    assert_true(tasks[8].kind == AN_TASK_EXIT && tasks[8].pid == 8 && tasks[8].parent_pid == 7);
    assert_true(tasks[8].time == 15 && tasks[8].has_time && !tasks[8].name);
}

static void task_events_in_every_form(void **state)
{
    (void)state;
    static const uint64_t types[] = {0, PERF_SAMPLE_CPU, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID,
                                     PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU};
    for (size_t f = 0; f < FORMS; f++)
        for (size_t t = 0; t < 8; t++) {
            struct perf_builder builder = builder_of(&forms[f]);
            struct collected all;
            perf_event(&builder, &(struct perf_event_spec){.sample_type = usual | types[t / 2],
                                                           .no_sample_id_all = t % 2,
                                                           .ids = {5},
                                                           .id_count = 1});
            put_tasks(&builder);
            perf_lost(&builder, 0, 40);
            read_back(&builder, &all, 1);
            check_read(&all);
            check_tasks(&all, t % 2 == 0);
            assert_int_equal(an_samples_counts(all.samples)->lost, 40);
            collected_free(&all);
        }
}

static void build_ids(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        struct perf_builder builder = builder_of(&forms[f]);
        struct collected all;
        perf_event(&builder, &(struct perf_event_spec){.sample_type = usual});
        perf_build_id(&builder, build_id, 20, UINT32_MAX, 0, "/usr/bin/x");
        perf_sample(&builder, &(struct perf_sample_spec){.ip = 1});
        perf_build_id(&builder, build_id, 8, 44, PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]");
        read_back(&builder, &all, 1);
        check_read(&all);
        const struct an_samples_info *info = an_samples_info(all.samples);
        assert_int_equal(info->build_id_count, 2);
        assert_int_equal(info->build_ids[0].size, 20);
        assert_memory_equal(info->build_ids[0].bytes, build_id, 20);
        assert_string_equal(info->build_ids[0].filename, "/usr/bin/x");
        assert_true(info->build_ids[0].pid == UINT32_MAX);
        assert_true(info->build_ids[1].size == 8 && info->build_ids[1].pid == 44);
        assert_int_equal(info->build_ids[1].misc & 7, AN_CPUMODE_KERNEL);
        assert_string_equal(info->build_ids[1].filename, "[kernel.kallsyms]");
        assert_int_equal(all.item_count, 1);
        collected_free(&all);
    }
}

/* ---- records that are not looked into ---- */

static void data_behind_records(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 8, 4096, 3 << 20, (5 << 20) + 8};
    for (size_t f = 0; f < FORMS; f++)
        for (size_t i = 0; i < 5; i++) {
            struct perf_builder builder = builder_of(&forms[f]);
            struct collected all;
            if (builder.compress && i) /* it does not stand in compressed data */
                continue;
            perf_event(&builder, &(struct perf_event_spec){.sample_type = usual});
            perf_sample(&builder, &(struct perf_sample_spec){.time = 1});
            if (!builder.compress)
                perf_auxtrace(&builder, sizes[i]);
            perf_sample(&builder, &(struct perf_sample_spec){.time = 2});
            read_back(&builder, &all, 3);
            check_read(&all);
            check(all.item_count == 2, "%zu samples, %s", all.item_count, forms[f].name);
            assert_true(all.items[0].time == 1 && all.items[1].time == 2);
            collected_free(&all);
        }
}

static void unknown_records(void **state)
{
    (void)state;
    static const uint8_t payload[40] = {8, 1, 8};
    struct perf_builder builder = {0};
    struct collected all;
    perf_event(&builder, &(struct perf_event_spec){.sample_type = usual});
    for (uint32_t type = 0; type < 100; type++) {
        bool known = type == 1 || type == 3 || type == 4 || type == 7 || type == 9 || type == 10 ||
                     type == 66 || type == 71 || type == 81 || type == 83;
        if (!known)
            perf_record(&builder, type, 0xffff, payload, type % 41);
    }
    perf_record(&builder, UINT32_MAX, 0, payload, 40);
    perf_sample(&builder, &(struct perf_sample_spec){.time = 3});
    read_back(&builder, &all, 1);
    check_read(&all);
    assert_int_equal(all.item_count, 1);
    assert_int_equal(all.task_count, 0);
    assert_int_equal(an_samples_counts(all.samples)->records, 92);
    collected_free(&all);
}

/* ---- what is not whole ---- */

static void small_recording(struct an_buffer *file, const struct form *form, bool unfinished)
{
    struct perf_builder builder = builder_of(form);
    struct made made;
    builder.unfinished = unfinished;
    perf_event(&builder, &(struct perf_event_spec){.sample_type = usual});
    put_tasks(&builder);
    for (size_t i = 0; i < 5; i++) {
        make_sample(&made, 1, i);
        perf_sample(&builder, &made.spec);
    }
    perf_finish(&builder, file);
    perf_builder_free(&builder);
}

/* A file cut off anywhere is refused; if that is allowed, what is whole is read. */
static void cut_off_anywhere(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        struct an_buffer file;
        struct collected whole, all;
        size_t most = 0;
        small_recording(&file, &forms[f], false);
        collect_bytes(&whole, bytes_of(&file), NULL, 1);
        check_read(&whole);
        for (size_t size = 0; size < file.size; size += f == 0 ? 1 : 3) {
            struct an_bytes part = {file.data, size};
            collect_bytes(&all, part, NULL, 1);
            bool at_record = forms[f].pipe && all.code == AN_OK; /* a pipe has no end of its own */
            check(all.code == AN_TRUNCATED || all.code == AN_MALFORMED || all.code == AN_EMPTY ||
                      all.code == AN_UNKNOWN || at_record,
                  "%s, %zu bytes: %s", forms[f].name, size, an_code_name(all.code));
            collected_free(&all);
            collect_bytes(&all, part, &(struct an_samples_options){.allow_truncated = true}, 1);
            assert_true(all.item_count >= most || all.code != AN_OK);
            assert_true(all.item_count <= whole.item_count);
            if (all.code == AN_OK)
                most = all.item_count;
            for (size_t i = 0; all.code == AN_OK && i < all.item_count; i++)
                assert_true(all.items[i].ip == whole.items[i].ip);
            collected_free(&all);
        }
        /* a file has its features behind the samples, a pipe ends with them */
        size_t expected = !forms[f].pipe ? 5 : forms[f].compress ? 0 : 4;
        check(most == expected, "%s: %zu samples", forms[f].name, most);
        collected_free(&whole);
        an_buffer_free(&file);
    }
}

static void perf_record_was_killed(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        struct an_buffer file;
        struct collected all;
        if (forms[f].pipe)
            continue;
        small_recording(&file, &forms[f], true);
        collect_bytes(&all, bytes_of(&file), NULL, 1);
        check_read(&all);
        assert_true(an_samples_info(all.samples)->unfinished);
        assert_int_equal(all.item_count, 5);
        assert_false(an_samples_counts(all.samples)->cut);
        collected_free(&all);
        file.size -= 9;
        collect_bytes(&all, bytes_of(&file), NULL, 1);
        assert_int_equal(all.code, AN_TRUNCATED);
        assert_string_equal(all.failed, "tasks");
        assert_non_null(strstr(all.error.hint, "truncated"));
        collected_free(&all);
        collect_bytes(&all, bytes_of(&file), &(struct an_samples_options){.allow_truncated = true},
                      1);
        check_read(&all);
        assert_true(an_samples_counts(all.samples)->cut);
        assert_true(an_samples_counts(all.samples)->cut_at < file.size);
        if (!forms[f].compress)
            assert_int_equal(all.item_count, 4);
        collected_free(&all);
        an_buffer_free(&file);
    }
}

static void a_damaged_record(void **state)
{
    (void)state;
    for (int allowed = 0; allowed < 2; allowed++) {
        struct an_buffer file;
        struct collected all;
        small_recording(&file, &forms[0], false);
        collect_bytes(&all, bytes_of(&file), NULL, 1);
        size_t at = (size_t)all.items[2].offset;
        collected_free(&all);
        file.data[at + 6] = 7; /* its size */
        file.data[at + 7] = 0;
        collect_bytes(&all, bytes_of(&file), &(struct an_samples_options){allowed}, 1);
        assert_int_equal(all.code, allowed ? AN_OK : AN_MALFORMED);
        if (allowed) {
            assert_int_equal(all.item_count, 2);
            assert_int_equal(an_samples_counts(all.samples)->cut_at, at);
        } else {
            assert_int_equal(all.error.offset, at);
        }
        collected_free(&all);
        an_buffer_free(&file);
    }
}

/* Numbers in a sample that would lead out of it. */
static void samples_that_contradict_themselves(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {1,
                                       2,
                                       0x7fffffff,
                                       UINT64_MAX / 24,
                                       UINT64_MAX / 24 + 2,
                                       UINT64_MAX / 8 + 2,
                                       (uint64_t)1 << 63,
                                       UINT64_MAX};
    static const uint64_t bits[] = {PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_CALLCHAIN,
                                    PERF_SAMPLE_READ};
    for (size_t n = 0; n < 8; n++)
        for (size_t i = 0; i < 3; i++) {
            struct perf_builder builder = {0};
            struct collected all;
            perf_event(&builder, &(struct perf_event_spec){.sample_type = PERF_SAMPLE_IP | bits[i],
                                                           .read_format =
                                                               PERF_FORMAT_GROUP | PERF_FORMAT_ID});
            uint64_t payload[2] = {0x1234, numbers[n]};
            perf_record(&builder, PERF_RECORD_SAMPLE, 2, payload, sizeof payload);
            read_back(&builder, &all, 1);
            assert_int_equal(all.code, AN_MALFORMED);
            assert_string_equal(all.failed, "each");
            assert_true(all.error.offset != AN_NO_OFFSET);
            collected_free(&all);
        }
}

/* ---- headers ---- */

static void headers_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint8_t byte;
        enum an_code code;
        const char *words;
    } changes[] = {
        {4, 'F', AN_UNSUPPORTED, "PERFFILE"}, /* PERFFLE2 is nothing, see below */
        {8, 96, AN_UNSUPPORTED, "header of 96 bytes"},
        {16, 8, AN_MALFORMED, "event descriptions of"},
        {32, 0, AN_MALFORMED, "no event"},
        {31, 1, AN_TRUNCATED, "table of events"},
        {47, 1, AN_TRUNCATED, "data ends"},
        {54, 1, AN_TRUNCATED, "data ends"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct an_buffer file;
        struct collected all;
        small_recording(&file, &forms[0], false);
        if (i == 0)
            memcpy(file.data, "PERFFILE", 8);
        else
            file.data[changes[i].at] = changes[i].byte;
        collect_bytes(&all, bytes_of(&file), NULL, 1);
        check(all.code == changes[i].code && strstr(all.error.what, changes[i].words), "%zu: %s", i,
              all.error.what);
        assert_true(all.error.file[0]);
        collected_free(&all);
        an_buffer_free(&file);
    }
}

static void what_is_no_recording(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        enum an_code code;
        const char *words;
    } others[] = {
        {"", 0, AN_EMPTY, "empty"},
        {"\x7f"
         "ELF",
         4, AN_UNKNOWN, "an ELF program"},
        {"PERFILE", 7, AN_UNKNOWN, "not a perf recording"},
        {"PERFILE2", 8, AN_TRUNCATED, "header"},
        {"\0\0\0\0", 4, AN_UNKNOWN, "not a perf recording"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct collected all;
        collect_bytes(&all, (struct an_bytes){(const uint8_t *)others[i].bytes, others[i].size},
                      NULL, 1);
        check(all.code == others[i].code && strstr(all.error.what, others[i].words), "%zu: %s", i,
              all.error.what);
        collected_free(&all);
    }
    struct collected all;
    collect_path(&all, "/no/such/file", NULL, 1);
    assert_int_equal(all.code, AN_SYSTEM);
    assert_null(all.samples);
    collected_free(&all);
    collect_path(&all, "/", NULL, 1);
    assert_true(all.code == AN_USAGE && strstr(all.error.hint, "--threads"));
    collected_free(&all);
}

/* ---- reading ---- */

/* What comes through a pipe can be walked twice all the same. */
static void through_a_pipe(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++) {
        struct perf_builder builder = builder_of(&forms[f]);
        struct an_buffer file;
        struct collected all;
        static struct made made;
        perf_event(&builder, &(struct perf_event_spec){.sample_type = usual});
        put_tasks(&builder);
        for (size_t i = 0; i < MOST_SAMPLES; i++) {
            make_sample(&made, 4, i);
            perf_sample(&builder, &made.spec);
        }
        perf_finish(&builder, &file);
        collect_piped(&all, bytes_of(&file), 2);
        check_read(&all);
        check_tasks(&all, true);
        assert_int_equal(all.item_count, MOST_SAMPLES);
        for (size_t i = 0; i < MOST_SAMPLES; i++) {
            make_sample(&made, 4, (size_t)(all.items[i].time - 1000));
            check_branches(&all.items[i], &made);
        }
        collected_free(&all);
        an_buffer_free(&file);
        perf_builder_free(&builder);
    }
}

static enum an_code refuse(void *context, unsigned thread, const struct an_branch_sample *sample,
                           struct an_error *error)
{
    (void)thread;
    uint64_t from = *(uint64_t *)context;
    return sample->time < from
               ? AN_OK
               : an_fail(error, AN_MISMATCH, "%llu", (unsigned long long)sample->time);
}

static enum an_code refuse_task(void *context, const struct an_task_event *event,
                                struct an_error *error)
{
    (void)context;
    (void)event;
    return an_fail(error, AN_USAGE, "no tasks, please");
}

/* However many threads fail, it is the first failure in the file that is told. */
static void a_callback_that_fails(void **state)
{
    (void)state;
    static const size_t some[] = {0, 4};
    for (size_t f = 0; f < 2; f++) {
        struct perf_builder builder = builder_of(&forms[some[f]]);
        struct an_buffer file;
        struct collected all;
        static struct made made;
        perf_event(&builder, &(struct perf_event_spec){.sample_type = usual});
        put_tasks(&builder);
        for (size_t i = 0; i < 3 * MOST_SAMPLES; i++) {
            make_sample(&made, 4, i);
            perf_sample(&builder, &made.spec);
        }
        perf_finish(&builder, &file);
        collect_piped(&all, bytes_of(&file), 2);
        for (uint64_t from = 1000; from < 1000 + 3 * MOST_SAMPLES; from += 3701) {
            struct an_error error = {0};
            char expected[32];
            snprintf(expected, sizeof expected, "%llu", (unsigned long long)from);
            assert_int_equal(an_samples_each(all.samples, 4, refuse, &from, &error), AN_MISMATCH);
            assert_string_equal(error.what, expected);
        }
        struct an_error error = {0};
        assert_int_equal(an_samples_tasks(all.samples, refuse_task, NULL, &error), AN_USAGE);
        assert_string_equal(error.what, "no tasks, please");
        collected_free(&all);
        an_buffer_free(&file);
        perf_builder_free(&builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_in_every_form),
        cmocka_unit_test(samples_of_a_large_file),
        cmocka_unit_test(every_set_of_fields),
        cmocka_unit_test(events_are_told_apart),
        cmocka_unit_test(events_that_cannot_be_told_apart),
        cmocka_unit_test(events_without_names),
        cmocka_unit_test(task_events_in_every_form),
        cmocka_unit_test(build_ids),
        cmocka_unit_test(data_behind_records),
        cmocka_unit_test(unknown_records),
        cmocka_unit_test(cut_off_anywhere),
        cmocka_unit_test(perf_record_was_killed),
        cmocka_unit_test(a_damaged_record),
        cmocka_unit_test(samples_that_contradict_themselves),
        cmocka_unit_test(headers_that_are_refused),
        cmocka_unit_test(what_is_no_recording),
        cmocka_unit_test(through_a_pipe),
        cmocka_unit_test(a_callback_that_fails),
    };
    return RUN_TESTS(tests);
}
