/*
 * lib/record/perf_writer: what is written is what the library's own reader finds, in a file and in
 * a pipe; a file is there when it is whole, or not at all. What the peers make of it is for
 * test_perf_writer_peer.sh.
 */
#include "record/perf_writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/collect.h"
#include "support/profiles.h"
#include "support/test.h"

static const struct perf_event_attr attr = {
    .type = PERF_TYPE_HARDWARE,
    .config = PERF_COUNT_HW_CPU_CYCLES,
    .sample_freq = 1234,
    .freq = 1,
    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
                   PERF_SAMPLE_BRANCH_STACK,
    .branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
    .sample_id_all = 1,
};

static const struct an_perf_thread leader = {70, 70}, worker = {70, 71}, child = {80, 80};

/* ---- a folder for each case ---- */

static char folder[64];

static const char *in_folder(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/anneal-test.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static size_t entries(void)
{
    DIR *directory = opendir(folder);
    size_t count = 0;
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static void put_old_file(void)
{
    FILE *file = fopen(in_folder("data"), "wb");
    assert_non_null(file);
    assert_int_equal(fputs("old", file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

static void assert_old_file(void)
{
    struct an_bytes bytes = load_file(in_folder("data"));
    assert_int_equal(bytes.size, 3);
    assert_memory_equal(bytes.data, "old", 3);
    free_bytes(bytes);
    assert_int_equal(entries(), 1);
}

/* ---- writing and reading back ---- */

typedef void fill(struct an_perf_writer *writer);

static struct an_perf_writer *opened(const char *path)
{
    struct an_perf_writer *writer;
    struct an_error error;
    enum an_code code = an_perf_writer_open(path, &attr, "cycles:u", &writer, &error);
    check(code == AN_OK, "%s", error.what);
    return writer;
}

static void close_well(struct an_perf_writer *writer)
{
    struct an_error error;
    enum an_code code = an_perf_writer_close(writer, &error);
    check(code == AN_OK, "%s", error.what);
}

static void read_back(struct collected *all, const char *path)
{
    collect_path(all, path, NULL, 1);
    check(all->code == AN_OK, "%s: %s at %llu", all->failed, all->error.what,
          (unsigned long long)all->error.offset);
}

static void *copy_fifo(void *unused)
{
    (void)unused;
    FILE *from = fopen(in_folder("fifo"), "rb"), *to = fopen(in_folder("copy"), "wb");
    for (int c; from && to && (c = getc(from)) != EOF;)
        putc(c, to);
    if (from)
        fclose(from);
    if (to)
        fclose(to);
    return NULL;
}

/* What `put` writes, through a file or a pipe. */
static void written_and_read(struct collected *all, fill *put, bool pipe)
{
    pthread_t reader;
    if (pipe) {
        assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
        assert_int_equal(pthread_create(&reader, NULL, copy_fifo, NULL), 0);
    }
    struct an_perf_writer *writer = opened(in_folder(pipe ? "fifo" : "data"));
    put(writer);
    close_well(writer);
    if (pipe)
        pthread_join(reader, NULL);
    read_back(all, in_folder(pipe ? "copy" : "data"));
    const struct an_samples_info *info = an_samples_info(all->samples);
    assert_int_equal(info->kind, pipe ? AN_SAMPLES_PERF_PIPE : AN_SAMPLES_PERF_FILE);
    assert_false(info->unfinished);
}

static void in_both_forms(fill *put, void (*test)(const struct collected *all))
{
    for (int pipe = 0; pipe < 2; pipe++) {
        struct collected all;
        written_and_read(&all, put, pipe);
        test(&all);
        collected_free(&all);
    }
}

/* ---- what is in it ---- */

static void put_nothing(struct an_perf_writer *writer)
{
    (void)writer;
}

static void test_event(const struct collected *all)
{
    const struct an_samples_info *info = an_samples_info(all->samples);
    assert_int_equal(info->event_count, 1);
    assert_string_equal(info->events[0].name, "cycles:u");
    assert_int_equal(info->events[0].type, attr.type);
    assert_int_equal(info->events[0].config, attr.config);
    assert_int_equal(info->events[0].period, 1234);
    assert_true(info->events[0].by_frequency);
    assert_int_equal(info->events[0].sample_type, attr.sample_type);
    assert_int_equal(info->events[0].branch_type, attr.branch_sample_type);
    assert_true(info->has_branches);
    assert_int_equal(info->build_id_count, 0);
    assert_int_equal(all->item_count, 0);
    assert_int_equal(all->task_count, 0);
}

static void an_empty_recording(void **state)
{
    (void)state;
    in_both_forms(put_nothing, test_event);
}

static const struct an_proc_map mapping = {
    .start = 0x7f0000401000,
    .size = 0x5000,
    .offset = 0x1000,
    .major = 8,
    .minor = 17,
    .inode = 0x123456789,
    .protection = PROT_READ | PROT_EXEC,
    .flags = MAP_PRIVATE | MAP_DENYWRITE,
    .path = "/usr/bin/the program",
};
static const struct an_proc_map data_mapping = {
    .start = 0x10000,
    .size = 0x1000,
    .protection = PROT_READ | PROT_WRITE,
    .flags = MAP_SHARED,
    .path = "//anon",
};

static void put_tasks(struct an_perf_writer *writer)
{
    an_perf_writer_comm(writer, 0, leader, "program", true);
    an_perf_writer_comm(writer, 11, worker, "12345678", false);
    an_perf_writer_mmap(writer, 12, leader, &mapping);
    an_perf_writer_mmap(writer, 13, worker, &data_mapping);
    an_perf_writer_fork(writer, 14, child, worker);
    an_perf_writer_exit(writer, 15, child, leader);
}

static void check_task(const struct an_task_event *task, enum an_task_kind kind, uint64_t time,
                       struct an_perf_thread thread)
{
    assert_int_equal(task->kind, kind);
    assert_true(task->has_time);
    assert_int_equal(task->time, time);
    assert_int_equal(task->pid, thread.pid);
    assert_int_equal(task->tid, thread.tid);
}

static void check_mapping(const struct an_task_event *task, const struct an_proc_map *expected)
{
    assert_int_equal(task->misc_cpumode, AN_CPUMODE_USER);
    assert_int_equal(task->start, expected->start);
    assert_int_equal(task->length, expected->size);
    assert_int_equal(task->file_offset, expected->offset);
    assert_true(task->has_file && task->has_protection);
    assert_int_equal(task->device_major, expected->major);
    assert_int_equal(task->device_minor, expected->minor);
    assert_int_equal(task->inode, expected->inode);
    assert_int_equal(task->protection, expected->protection);
    assert_int_equal(task->flags, expected->flags);
    assert_int_equal(task->executable, (expected->protection & PROT_EXEC) != 0);
    assert_string_equal(task->name, expected->path);
}

static void test_tasks(const struct collected *all)
{
    assert_int_equal(all->task_count, 6);
    check_task(&all->tasks[0], AN_TASK_COMM, 0, leader);
    assert_string_equal(all->tasks[0].name, "program");
    assert_true(all->tasks[0].exec);
    check_task(&all->tasks[1], AN_TASK_COMM, 11, worker);
    assert_string_equal(all->tasks[1].name, "12345678");
    assert_false(all->tasks[1].exec);
    check_task(&all->tasks[2], AN_TASK_MMAP, 12, leader);
    check_mapping(&all->tasks[2], &mapping);
    check_task(&all->tasks[3], AN_TASK_MMAP, 13, worker);
    check_mapping(&all->tasks[3], &data_mapping);
    check_task(&all->tasks[4], AN_TASK_FORK, 14, child);
    assert_int_equal(all->tasks[4].parent_pid, 70);
    assert_int_equal(all->tasks[4].parent_tid, 71);
    check_task(&all->tasks[5], AN_TASK_EXIT, 15, child);
    assert_int_equal(all->tasks[5].parent_tid, 70);
}

static void what_happens_to_processes(void **state)
{
    (void)state;
    in_both_forms(put_tasks, test_tasks);
}

static const uint8_t id[24] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                               13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};

static void put_build_ids(struct an_perf_writer *writer)
{
    an_perf_writer_build_id(writer, "/usr/bin/one", (struct an_bytes){id, 20});
    an_perf_writer_build_id(writer, "/usr/bin/two", (struct an_bytes){id + 1, 8});
    an_perf_writer_build_id(writer, "/usr/bin/one", (struct an_bytes){id + 2, 20});
    an_perf_writer_build_id(writer, "/usr/bin/none", (struct an_bytes){id, 0});
    an_perf_writer_build_id(writer, "/usr/bin/long", (struct an_bytes){id, 24});
    for (int i = 0; i < 1000; i++) {
        char path[32];
        snprintf(path, sizeof path, "/usr/lib/%d.so", i / 2);
        an_perf_writer_build_id(writer, path, (struct an_bytes){id + i / 2 % 4, 16});
    }
}

static void test_build_ids(const struct collected *all)
{
    static const struct {
        const char *path;
        size_t size, from;
    } expected[] = {{"/usr/bin/one", 20, 0},
                    {"/usr/bin/two", 8, 1},
                    {"/usr/bin/long", 20, 0},
                    {"/usr/lib/0.so", 16, 0},
                    {"/usr/lib/1.so", 16, 1}};
    const struct an_samples_info *info = an_samples_info(all->samples);
    assert_int_equal(info->build_id_count, 503);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct an_samples_build_id *found = &info->build_ids[i];
        assert_string_equal(found->filename, expected[i].path);
        assert_int_equal(found->size, expected[i].size);
        assert_memory_equal(found->bytes, id + expected[i].from, found->size);
        assert_int_equal(found->pid, UINT32_MAX);
        assert_int_equal(found->misc & 7, AN_CPUMODE_USER);
    }
}

static void build_ids(void **state)
{
    (void)state;
    in_both_forms(put_build_ids, test_build_ids);
}

/* ---- samples ---- */

/* More than any buffer: pieces of it end anywhere in a record. */
enum { SAMPLES = 5000, MOST_BRANCHES = 70 };

struct made {
    struct an_perf_thread thread;
    uint64_t ip, period;
    struct an_perf_branch branches[MOST_BRANCHES];
    size_t count;
};

static void make_sample(struct made *made, uint64_t number)
{
    uint64_t state = number + 77;
    next_number(&state);
    made->thread = (struct an_perf_thread){(int32_t)number_below(&state, 4000000),
                                           (int32_t)number_below(&state, 4000000)};
    made->ip = next_number(&state);
    made->period = next_number(&state);
    made->count = number_below(&state, MOST_BRANCHES);
    for (size_t i = 0; i < made->count; i++)
        made->branches[i] = (struct an_perf_branch){next_number(&state), next_number(&state)};
}

static void put_samples(struct an_perf_writer *writer)
{
    for (uint64_t i = 0; i < SAMPLES; i++) {
        struct made made;
        make_sample(&made, i);
        an_perf_writer_sample(writer, 1000 + i, made.thread, made.ip, made.period, made.branches,
                              made.count);
        if (i % 100 == 99)
            an_perf_writer_round(writer);
    }
}

static void check_branches(const struct an_branch_sample *sample,
                           const struct an_perf_branch *branches, size_t count)
{
    assert_int_equal(sample->branch_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(an_branch_from(sample, i), branches[count - 1 - i].from);
        assert_int_equal(an_branch_to(sample, i), branches[count - 1 - i].to);
        assert_int_equal(an_branch_flags(sample, i), 0);
    }
}

static void test_samples(const struct collected *all)
{
    assert_int_equal(all->item_count, SAMPLES);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const struct an_branch_sample *sample = &all->items[i];
        struct made made;
        make_sample(&made, i);
        assert_int_equal(sample->time, 1000 + i);
        assert_int_equal(sample->pid, made.thread.pid);
        assert_int_equal(sample->tid, made.thread.tid);
        assert_int_equal(sample->ip, made.ip);
        assert_int_equal(sample->period, made.period);
        assert_int_equal(sample->misc_cpumode, AN_CPUMODE_USER);
        check_branches(sample, made.branches, made.count);
    }
}

static void samples(void **state)
{
    (void)state;
    in_both_forms(put_samples, test_samples);
}

/* ---- what is longer than a record may be ---- */

static struct an_perf_branch many[100000];
static char long_name[100000];

static void put_long_ones(struct an_perf_writer *writer)
{
    struct an_proc_map at_long_path = mapping;
    at_long_path.path = long_name;
    for (size_t i = 0; i < 100000; i++)
        many[i] = (struct an_perf_branch){i, 2 * i};
    memset(long_name, 'x', sizeof long_name - 1);
    for (int i = 0; i < 10; i++) {
        an_perf_writer_sample(writer, 1, leader, 7, 1, many, 100000);
        an_perf_writer_mmap(writer, 2, leader, &at_long_path);
        an_perf_writer_comm(writer, 3, leader, long_name, false);
    }
    an_perf_writer_build_id(writer, long_name, (struct an_bytes){id, 20});
}

static void test_long_ones(const struct collected *all)
{
    assert_int_equal(all->item_count, 10);
    assert_int_equal(all->task_count, 20);
    for (size_t i = 0; i < 10; i++) { /* the newest are kept */
        size_t count = all->items[i].branch_count;
        assert_in_range(count, 512, 2700);
        check_branches(&all->items[i], many + 100000 - count, count);
    }
    assert_int_equal(strlen(all->tasks[0].name), 4095);
    assert_int_equal(all->tasks[0].time, 2);
    assert_int_equal(strspn(all->tasks[0].name, "x"), 4095);
    assert_int_equal(strlen(an_samples_info(all->samples)->build_ids[0].filename), 4095);
}

static void what_is_too_long_is_cut(void **state)
{
    (void)state;
    in_both_forms(put_long_ones, test_long_ones);
}

/* ---- records of the kernel ---- */

/* The longest record there can be, one that readers do not know; samples between them. */
static void put_records(struct an_perf_writer *writer)
{
    static uint8_t record[65528];
    const uint32_t head[2] = {99, (uint32_t)sizeof record << 16};
    memset(record, 0xee, sizeof record);
    memcpy(record, head, sizeof head);
    struct {
        uint32_t type;
        uint16_t misc, size;
        uint32_t pid, tid;
        char name[8];
        uint32_t end_pid, end_tid;
        uint64_t time;
    } comm = {
        PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof comm, 70, 71, "kernel", 70, 71, 9};
    for (int i = 0; i < 20; i++) {
        an_perf_writer_record(writer, record, sizeof record);
        an_perf_writer_sample(writer, 5, worker, 6, 1, many, 3);
        an_perf_writer_record(writer, &comm, sizeof comm);
    }
}

static void test_records(const struct collected *all)
{
    assert_int_equal(all->item_count, 20);
    assert_int_equal(all->task_count, 20);
    for (size_t i = 0; i < 20; i++) {
        check_task(&all->tasks[i], AN_TASK_COMM, 9, worker);
        assert_true(all->tasks[i].exec);
        assert_string_equal(all->tasks[i].name, "kernel");
    }
}

static void records_of_the_kernel(void **state)
{
    (void)state;
    in_both_forms(put_records, test_records);
}

/* Who waits at the other end of a pipe gets what is complete. */
static void a_pipe_is_written_round_by_round(void **state)
{
    (void)state;
    char bytes[8192];
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    int fd = open(in_folder("fifo"), O_RDWR | O_NONBLOCK);
    struct an_perf_writer *writer = opened(in_folder("fifo"));
    put_tasks(writer);
    an_perf_writer_round(writer);
    ssize_t size = read(fd, bytes, sizeof bytes);
    assert_true(size > 300);
    assert_memory_equal(bytes, "PERFILE2", 8);
    assert_int_equal(an_load64(bytes + size - 8), (uint64_t)8 << 48 | 68);
    an_perf_writer_drop(writer);
    close(fd);
}

/* ---- the file ---- */

static void the_old_file_stays_until_the_end(void **state)
{
    (void)state;
    put_old_file();
    struct an_perf_writer *writer = opened(in_folder("data"));
    put_samples(writer);
    assert_old_file();
    close_well(writer);
    assert_int_equal(entries(), 1);
    struct collected all;
    read_back(&all, in_folder("data"));
    assert_int_equal(all.item_count, SAMPLES);
    collected_free(&all);
}

static void nothing_is_left_of_what_was_dropped(void **state)
{
    (void)state;
    an_perf_writer_drop(NULL);
    struct an_perf_writer *writer = opened(in_folder("data"));
    put_samples(writer);
    an_perf_writer_drop(writer);
    assert_int_equal(entries(), 0);
    put_old_file();
    writer = opened(in_folder("data"));
    put_samples(writer);
    an_perf_writer_drop(writer);
    assert_old_file();
}

static void a_full_device(void **state)
{
    (void)state;
    struct an_error error;
    struct an_perf_writer *writer = opened("/dev/full");
    put_samples(writer);
    put_build_ids(writer);
    assert_int_equal(an_perf_writer_close(writer, &error), AN_SYSTEM);
    assert_string_equal(error.file, "/dev/full");
    assert_non_null(strstr(error.what, strerror(ENOSPC)));
    writer = opened("/dev/full"); /* what fits the buffer is found out at the end */
    assert_int_equal(an_perf_writer_close(writer, &error), AN_SYSTEM);
}

/* A limit on file sizes stands for a disk that fills up, in the midst of it or with the features. */
static void a_full_disk(void **state)
{
    (void)state;
    struct an_error error;
    struct rlimit before, small;
    struct stat whole;
    close_well(opened(in_folder("data")));
    assert_int_equal(stat(in_folder("data"), &whole), 0);
    put_old_file();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (int features = 0; features < 2; features++) {
        small = before;
        small.rlim_cur = features ? (rlim_t)whole.st_size - 40 : 600000;
        struct an_perf_writer *writer = opened(in_folder("data"));
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        if (!features)
            put_samples(writer);
        enum an_code code = an_perf_writer_close(writer, &error);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(code, AN_SYSTEM);
        assert_string_equal(error.file, in_folder("data"));
        assert_non_null(strstr(error.what, strerror(EFBIG)));
        assert_old_file();
    }
    signal(SIGXFSZ, SIG_DFL);
}

static void what_cannot_be_opened(void **state)
{
    (void)state;
    struct an_error error;
    struct an_perf_writer *writer = (struct an_perf_writer *)folder;
    enum an_code code =
        an_perf_writer_open(in_folder("no/such/folder"), &attr, "x", &writer, &error);
    assert_int_equal(code, AN_SYSTEM);
    assert_null(writer);
    assert_non_null(strstr(error.what, strerror(ENOENT)));
    assert_int_equal(an_perf_writer_open(folder, &attr, "x", &writer, &error), AN_USAGE);
    assert_null(writer);
}

#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_folder(an_empty_recording),
        in_a_folder(what_happens_to_processes),
        in_a_folder(build_ids),
        in_a_folder(samples),
        in_a_folder(what_is_too_long_is_cut),
        in_a_folder(records_of_the_kernel),
        in_a_folder(a_pipe_is_written_round_by_round),
        in_a_folder(the_old_file_stays_until_the_end),
        in_a_folder(nothing_is_left_of_what_was_dropped),
        in_a_folder(a_full_device),
        in_a_folder(a_full_disk),
        in_a_folder(what_cannot_be_opened),
    };
    return RUN_TESTS(tests);
}
