/*
 * lib/record/lbr, perf_ring, perf_intake: what the kernel has put into ring buffers is in the
 * recording, and counted.
 *
 * Few machines have branch records, so buffers with them are made up. The events of real processes
 * are recorded with the clock of the processor instead: all but the branch stacks is the same.
 */
#include "record/lbr.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/perf_events.h"
#include "record/perf_intake.h"
#include "support/collect.h"
#include "support/test.h"

/* ---- a folder for each case ---- */

static char folder[64], path[96];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/anneal-test.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/data", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* that nothing else is in it is a part of each case */
}

static void read_back(struct collected *all)
{
    collect_path(all, path, NULL, 1);
    check(all->code == AN_OK, "%s: %s", all->failed, all->error.what);
}

/* ---- a ring buffer that is made up ---- */

enum { RING_SIZE = 4096 };

struct made_ring {
    struct perf_event_mmap_page page;
    uint8_t data[RING_SIZE];
    uint8_t joined[UINT16_MAX];
    struct an_perf_ring ring;
};

static struct made_ring *new_ring(uint64_t position)
{
    struct made_ring *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->page.data_head = made->page.data_tail = position;
    made->ring = (struct an_perf_ring){&made->page, made->data, RING_SIZE, made->joined};
    return made;
}

static size_t room(const struct made_ring *made)
{
    return RING_SIZE - (size_t)(made->page.data_head - made->page.data_tail);
}

/* Writes as the kernel does. */
static void put_record(struct made_ring *made, const void *record, size_t size)
{
    assert_true(size <= room(made));
    for (size_t i = 0; i < size; i++)
        made->data[(made->page.data_head + i) % RING_SIZE] = ((const uint8_t *)record)[i];
    made->page.data_head += size;
}

/* A record of any content, which follows from a number. */
static size_t make_record(uint8_t *record, uint64_t number)
{
    uint64_t state = number + 99;
    next_number(&state);
    size_t size = 8 + 8 * number_below(&state, 100);
    for (size_t i = 0; i < size; i++)
        record[i] = (uint8_t)next_number(&state);
    const uint16_t field = (uint16_t)size;
    memcpy(record + 6, &field, sizeof field);
    return size;
}

static void compare_record(void *context, const uint8_t *record, size_t size)
{
    uint8_t expected[1024];
    uint64_t *number = context;
    assert_int_equal(size, make_record(expected, (*number)++));
    assert_memory_equal(record, expected, size);
}

static void records_go_round(void **state)
{
    (void)state;
    struct made_ring *made = new_ring(UINT64_MAX - 7 * RING_SIZE - 8 * 100 + 1);
    struct an_error error;
    uint64_t put = 0, got = 0, random = 3, all = 0, wrapped = 0;
    while (got < 5000) {
        uint8_t record[1024];
        size_t size = make_record(record, put);
        if (size <= room(made)) {
            wrapped += made->page.data_head % RING_SIZE + size > RING_SIZE;
            put_record(made, record, size);
            put++;
        }
        if (number_below(&random, 6) && size <= room(made))
            continue;
        uint64_t before = made->page.data_head - made->page.data_tail, bytes = 10;
        assert_int_equal(an_perf_ring_read(&made->ring, compare_record, &got, &bytes, &error),
                         AN_OK);
        assert_int_equal(bytes, 10 + before);
        assert_int_equal(got, put);
        assert_int_equal(made->page.data_tail, made->page.data_head);
        all += before;
    }
    assert_true(wrapped > 100);
    assert_true(all > 100 * RING_SIZE);
    free(made);
}

static void a_damaged_ring(void **state)
{
    (void)state;
    static const uint16_t sizes[] = {0, 4, 12, 24, 65528};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct made_ring *made = new_ring(RING_SIZE - 8);
        struct an_error error;
        uint64_t bytes = 0, unused = 0;
        const uint16_t record[8] = {1, 0, 0, sizes[i]};
        put_record(made, record, sizeof record);
        assert_int_equal(an_perf_ring_read(&made->ring, compare_record, &unused, &bytes, &error),
                         AN_MALFORMED);
        assert_non_null(strstr(error.what, "buffer"));
        free(made);
    }
}

/* ---- branch records ---- */

enum { SAMPLES = 2000, MOST_BRANCHES = 32 };

static size_t put_words(uint64_t *record, uint32_t type, uint16_t misc, size_t words)
{
    const uint16_t size = (uint16_t)(8 * words);
    memcpy(record, &type, sizeof type);
    memcpy((uint8_t *)record + 4, &misc, sizeof misc);
    memcpy((uint8_t *)record + 6, &size, sizeof size);
    return size;
}

/* As the kernel has it, newest branch first. */
static size_t make_sample(uint64_t *record, uint64_t number)
{
    uint64_t state = number + 5;
    next_number(&state);
    size_t count = number_below(&state, MOST_BRANCHES + 1);
    record[1] = 0x400000 + number;
    record[2] = (uint64_t)71 << 32 | 70;
    record[3] = 1000 + number;
    record[4] = number_below(&state, 100000);
    record[5] = count;
    for (size_t i = 0; i < 3 * count; i++)
        record[6 + i] = i % 3 == 2 ? number_below(&state, 4) : number_below(&state, 1ull << 47);
    return put_words(record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 6 + 3 * count);
}

static size_t make_lost(uint64_t *record, uint64_t number)
{
    bool samples = number % 2;
    record[1] = samples ? number : 1;
    record[2] = samples ? (uint64_t)71 << 32 | 70 : number;
    record[3] = samples ? 1000 + number : (uint64_t)71 << 32 | 70;
    record[4] = 1000 + number;
    return put_words(record, samples ? PERF_RECORD_LOST_SAMPLES : PERF_RECORD_LOST, 0,
                     samples ? 4 : 5);
}

/* Of a file, executable or not, with a build-id or without. */
static size_t make_mapping(uint64_t *record, const char *file, uint32_t protection, bool build_id)
{
    size_t words = strlen(file) / 8 + 1;
    record[1] = (uint64_t)getpid() << 32 | (uint32_t)getpid();
    record[2] = 0x10000;
    record[3] = 0x2000;
    record[4] = 0x1000;
    record[5] = 20 | (uint64_t)0xaabbccdd << 32; /* device, or size and first bytes of the id */
    record[6] = 0x1122334455667788;              /* inode */
    record[7] = 0x99;
    record[8] = protection | (uint64_t)MAP_PRIVATE << 32;
    memset(record + 9, 0, 8 * words);
    memcpy(record + 9, file, strlen(file));
    record[9 + words] = record[1];
    record[10 + words] = 1;
    return put_words(record, PERF_RECORD_MMAP2,
                     PERF_RECORD_MISC_USER | (build_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0),
                     11 + words);
}

static const struct an_samples_build_id *find_build_id(const struct collected *all,
                                                       const char *file)
{
    const struct an_samples_info *info = an_samples_info(all->samples);
    for (size_t i = 0; i < info->build_id_count; i++)
        if (strcmp(info->build_ids[i].filename, file) == 0)
            return &info->build_ids[i];
    return NULL;
}

static void take(void *context, const uint8_t *record, size_t size)
{
    an_perf_intake_take(context, record, size);
}

static void open_intake(struct an_perf_intake *intake, struct an_record_counts *counts)
{
    const struct perf_event_attr attr = an_lbr_attr(0);
    struct an_error error;
    static struct an_density density;
    *counts = (struct an_record_counts){0};
    an_density_free(&density);
    density = (struct an_density){0};
    *intake = (struct an_perf_intake){
        .sample_type = attr.sample_type, .counts = counts, .density = &density};
    assert_int_equal(an_perf_writer_open(path, &attr, "cycles:u", &intake->writer, &error), AN_OK);
}

static void check_samples(const struct collected *all)
{
    assert_int_equal(all->item_count, SAMPLES);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t record[6 + 3 * MOST_BRANCHES];
        const struct an_branch_sample *sample = &all->items[i];
        make_sample(record, i);
        assert_int_equal(sample->ip, record[1]);
        assert_int_equal(sample->tid, 71);
        assert_int_equal(sample->time, record[3]);
        assert_int_equal(sample->period, record[4]);
        assert_int_equal(sample->branch_count, record[5]);
        assert_memory_equal(sample->branches, record + 6, 24 * record[5]);
    }
}

static void branch_records_out_of_a_ring(void **state)
{
    (void)state;
    struct made_ring *made = new_ring(RING_SIZE - 128);
    struct an_perf_intake intake;
    struct an_record_counts counts;
    struct an_error error;
    struct collected all;
    uint64_t record[6 + 3 * MOST_BRANCHES], branches = 0, lost = 0, bytes = 0;
    open_intake(&intake, &counts);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        put_record(made, record, make_sample(record, i));
        branches += record[5];
        if (i % 7 == 0) {
            put_record(made, record, make_lost(record, i));
            lost += i;
        }
        assert_int_equal(an_perf_ring_read(&made->ring, take, &intake, &bytes, &error), AN_OK);
        if (i % 100 == 0)
            an_perf_writer_round(intake.writer);
    }
    assert_int_equal(an_perf_writer_close(intake.writer, &error), AN_OK);
    assert_int_equal(counts.samples, SAMPLES);
    assert_int_equal(counts.branches, branches);
    assert_int_equal(intake.density->branches, branches);
    assert_int_equal(counts.lost, lost);
    read_back(&all);
    check_samples(&all);
    assert_int_equal(an_samples_counts(all.samples)->lost, lost);
    collected_free(&all);
    free(made);
}

static void build_ids_of_mappings(void **state)
{
    (void)state;
    static const uint8_t expected[20] = {0xdd, 0xcc, 0xbb, 0xaa, 0x88, 0x77, 0x66,
                                         0x55, 0x44, 0x33, 0x22, 0x11, 0x99};
    static const struct {
        const char *file;
        uint32_t protection;
        bool build_id, noted;
    } mappings[] = {
        {"/usr/lib/one.so", PROT_READ | PROT_EXEC, true, true},
        {"/usr/lib/data", PROT_READ, true, false},
        {"//anon", PROT_READ | PROT_EXEC, true, false},
        {"[vdso]", PROT_READ | PROT_EXEC, true, false},
        {"/proc/self/exe", PROT_READ | PROT_EXEC, false, false}, /* not the inode */
        {"/no/such/file", PROT_READ | PROT_EXEC, false, false},
        {"/dev/null", PROT_READ | PROT_EXEC, false, false},
    };
    struct an_perf_intake intake;
    struct an_record_counts counts;
    struct an_error error;
    struct collected all;
    uint64_t record[64];
    open_intake(&intake, &counts);
    for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++)
        an_perf_intake_take(
            &intake, (uint8_t *)record,
            make_mapping(record, mappings[i].file, mappings[i].protection, mappings[i].build_id));
    assert_int_equal(an_perf_writer_close(intake.writer, &error), AN_OK);
    read_back(&all);
    for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++) {
        const struct an_samples_build_id *found = find_build_id(&all, mappings[i].file);
        check((found != NULL) == mappings[i].noted, "%s", mappings[i].file);
        if (found) {
            assert_int_equal(found->size, 20);
            assert_memory_equal(found->bytes, expected, 20);
        }
    }
    collected_free(&all);
}

/* No kernel writes such records; nothing beyond their ends is looked at. */
static void records_that_are_too_short(void **state)
{
    (void)state;
    static const uint32_t types[] = {PERF_RECORD_SAMPLE, PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES,
                                     PERF_RECORD_MMAP2};
    struct an_perf_intake intake;
    struct an_record_counts counts;
    open_intake(&intake, &counts);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (size_t words = 1; words < 12; words++) {
            uint64_t *record = malloc(8 * words);
            assert_non_null(record);
            memset(record, 0xff, 8 * words);
            put_words(record, types[i], 0, words);
            an_perf_intake_take(&intake, (uint8_t *)record, 8 * words);
            free(record);
        }
    assert_int_equal(counts.samples, 11);
    an_perf_writer_drop(intake.writer);
}

/* Without a build-id in the record it is that of the file, as the process sees it. */
static void build_ids_of_files(void **state)
{
    (void)state;
    struct an_perf_intake intake;
    struct an_record_counts counts;
    struct an_error error;
    struct collected all;
    struct stat status;
    char self[4096];
    uint64_t record[600];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    assert_int_equal(stat(self, &status), 0);
    open_intake(&intake, &counts);
    size_t size = make_mapping(record, self, PROT_READ | PROT_EXEC, false);
    record[5] = major(status.st_dev) | (uint64_t)minor(status.st_dev) << 32;
    record[6] = status.st_ino;
    an_perf_intake_take(&intake, (uint8_t *)record, size);
    assert_int_equal(an_perf_writer_close(intake.writer, &error), AN_OK);
    read_back(&all);
    const struct an_samples_build_id *found = find_build_id(&all, self);
    assert_non_null(found);
    assert_true(found->size >= 8);
    collected_free(&all);
}

/* ---- real processes ---- */

enum { FREQUENCY = 200, MOST_THREADS = 64 };

static struct perf_event_attr clock_attr(void)
{
    struct perf_event_attr attr = an_lbr_attr(FREQUENCY);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
    attr.branch_sample_type = 0;
    return attr;
}

static void skip_unless_permitted(void)
{
    const struct perf_event_attr attr = clock_attr();
    int number = an_lbr_probe(&attr, 0);
    if (number == 0)
        return;
    print_message("# no event may be opened here (perf_event_open: %s)\n", strerror(number));
    skip();
}

static double cpu_time(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* In the tier "check" a fifth of it, since nothing is said there of numbers of samples. */
static void spin(double seconds)
{
    seconds *= in_long_tier() ? 1 : 0.2;
    double end = cpu_time(CLOCK_THREAD_CPUTIME_ID) + seconds;
    while (cpu_time(CLOCK_THREAD_CPUTIME_ID) < end)
        for (volatile unsigned i = 0; i < 10000; i++)
            continue;
}

static void *spin_thread(void *seconds)
{
    spin(*(double *)seconds);
    return NULL;
}

static void spin_in_threads(size_t count, double seconds)
{
    pthread_t threads[MOST_THREADS];
    for (size_t i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, spin_thread, &seconds) != 0)
            _exit(9);
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* A process that tells when it is ready, and may wait for a byte before it goes on. */
struct worker {
    pid_t pid;
    int go;
    double user_seconds; /* that it took, with its children */
};

/* Its ends of two pipes. */
struct line {
    int go, ready;
};

static void await_go(const struct line *line)
{
    char byte;
    if (read(line->go, &byte, 1) != 1)
        _exit(8);
}

static void tell_ready(const struct line *line)
{
    if (write(line->ready, "x", 1) != 1)
        _exit(8);
}

static struct worker begin(void (*work)(struct line *line))
{
    int go_ends[2], ready_ends[2];
    char byte;
    assert_int_equal(pipe(go_ends), 0);
    assert_int_equal(pipe(ready_ends), 0);
    struct worker worker = {fork(), go_ends[1], 0};
    assert_true(worker.pid >= 0);
    if (worker.pid == 0) {
        struct line line = {go_ends[0], ready_ends[1]};
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when a case fails */
        close(go_ends[1]);
        work(&line);
        _exit(0);
    }
    close(go_ends[0]);
    close(ready_ends[1]);
    assert_int_equal(read(ready_ends[0], &byte, 1), 1);
    close(ready_ends[0]);
    return worker;
}

static void go(struct worker *worker)
{
    assert_int_equal(write(worker->go, "x", 1), 1);
}

static void reap(struct worker *worker)
{
    struct rusage usage;
    int status;
    close(worker->go);
    assert_int_equal(wait4(worker->pid, &status, 0, &usage), worker->pid);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", status);
    worker->user_seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
}

/* Lets a worker go when it is being recorded. */
struct starter {
    struct worker *worker;
    bool gone;
    unsigned calls;
};

static void start_worker(void *context, const struct an_record_counts *counts)
{
    struct starter *starter = context;
    (void)counts;
    if (!starter->gone)
        go(starter->worker);
    starter->gone = true;
    starter->calls++;
}

/* How the number of samples goes with the time: some are never taken when the processor is taken
 * from a virtual machine. That, and run times, are judged in the tier "long". */
static void check_number(uint64_t samples, double user_seconds)
{
    double expected = user_seconds * FREQUENCY;
    if (!in_long_tier())
        return;
    check((double)samples > 0.4 * expected && (double)samples < 1.15 * expected + 5,
          "%llu samples, expected %.0f", (unsigned long long)samples, expected);
}

static void check_run_time(double run_seconds, double share, double user_seconds)
{
    check(!in_long_tier() || run_seconds > share * user_seconds, "%f s of %f s", run_seconds,
          user_seconds);
}

static bool is_mapped(const struct collected *all, const struct an_branch_sample *sample)
{
    for (size_t i = 0; i < all->task_count; i++)
        if (all->tasks[i].kind == AN_TASK_MMAP && all->tasks[i].time <= sample->time &&
            sample->ip - all->tasks[i].start < all->tasks[i].length)
            return true;
    return false;
}

static size_t processes_in(const struct collected *all)
{
    uint32_t pids[MOST_THREADS];
    size_t count = 0;
    for (size_t i = 0; i < all->item_count; i++) {
        size_t k = 0;
        while (k < count && pids[k] != all->items[i].pid)
            k++;
        if (k == count && count < MOST_THREADS)
            pids[count++] = all->items[i].pid;
    }
    return count;
}

static size_t tasks_of(const struct collected *all, enum an_task_kind kind, bool from_start)
{
    size_t count = 0;
    for (size_t i = 0; i < all->task_count; i++)
        count += all->tasks[i].kind == kind && (all->tasks[i].time == 0) == from_start;
    return count;
}

/* Two threads are there before the recording, eight come after; none is missed. */
static void *spin_when_told(void *line)
{
    await_go(line);
    spin(0.15);
    return NULL;
}

static void many_threads(struct line *line)
{
    pthread_t early[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&early[i], NULL, spin_when_told, line) != 0)
            _exit(9);
    tell_ready(line);
    await_go(line);
    for (int i = 0; i < 2; i++)
        spin_in_threads(4, 0.1);
    for (int i = 0; i < 2; i++)
        pthread_join(early[i], NULL);
}

static void start_three(void *context, const struct an_record_counts *counts)
{
    struct starter *starter = context;
    if (!starter->gone) {
        go(starter->worker);
        go(starter->worker);
    }
    start_worker(context, counts);
}

static void threads_of_a_process(void **state)
{
    (void)state;
    skip_unless_permitted();
    const struct perf_event_attr attr = clock_attr();
    struct worker worker = begin(many_threads);
    struct starter starter = {.worker = &worker};
    const struct an_record_options options = {.size = sizeof options,
                                              .pid = worker.pid,
                                              .output = path,
                                              .progress = start_three,
                                              .context = &starter};
    struct an_record_counts counts;
    struct an_error error;
    struct collected all;
    enum an_code code = an_lbr_record(&options, &attr, "cpu-clock:u", &counts, &error);
    check(code == AN_OK, "%s", error.what);
    reap(&worker);
    assert_int_equal(counts.method, AN_RECORD_LBR);
    assert_int_equal(counts.threads, 11);
    assert_int_equal(counts.processes, 1);
    check_number(counts.samples, worker.user_seconds);
    check_run_time(counts.run_seconds, 0.9, worker.user_seconds);
    assert_true(counts.seconds > 0 && counts.own_seconds > 0);
    read_back(&all);
    assert_int_equal(all.item_count, counts.samples);
    assert_int_equal(tasks_of(&all, AN_TASK_FORK, true), 2);
    assert_int_equal(tasks_of(&all, AN_TASK_FORK, false), 8);
    assert_int_equal(tasks_of(&all, AN_TASK_EXIT, false), 11);
    for (size_t i = 0; i < all.item_count; i++) {
        assert_int_equal(all.items[i].pid, worker.pid);
        check(is_mapped(&all, &all.items[i]), "%llx", (unsigned long long)all.items[i].ip);
    }
    collected_free(&all);
}

/* ---- children ---- */

static void spin_in_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        spin(0.15);
        _exit(0);
    }
    if (child < 0 || waitpid(child, NULL, 0) != child)
        _exit(9);
}

/* One process that is there before, one that comes later, one that runs another program. */
static void family(struct line *line)
{
    pid_t early = fork();
    if (early == 0) {
        tell_ready(line);
        await_go(line);
        spin(0.15);
        _exit(0);
    }
    await_go(line);
    spin_in_child();
    pid_t other = fork();
    if (other == 0) {
        execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done", NULL);
        _exit(9);
    }
    waitpid(other, NULL, 0);
    waitpid(early, NULL, 0);
    spin(0.1);
}

static void record_family(bool children, struct an_record_counts *counts, double *user_seconds)
{
    const struct perf_event_attr attr = clock_attr();
    struct worker worker = begin(family);
    struct starter starter = {.worker = &worker};
    const struct an_record_options options = {.size = sizeof options,
                                              .pid = worker.pid,
                                              .children = children,
                                              .output = path,
                                              .progress = start_three,
                                              .context = &starter};
    struct an_error error;
    enum an_code code = an_lbr_record(&options, &attr, "cpu-clock:u", counts, &error);
    check(code == AN_OK, "%s", error.what);
    reap(&worker);
    *user_seconds = worker.user_seconds;
}

static void with_its_children(void **state)
{
    (void)state;
    skip_unless_permitted();
    struct an_record_counts counts;
    struct collected all;
    double user_seconds;
    record_family(true, &counts, &user_seconds);
    assert_int_equal(counts.processes, 4);
    check_number(counts.samples, user_seconds);
    check_run_time(counts.run_seconds, 0.9, user_seconds);
    read_back(&all);
    assert_int_equal(all.item_count, counts.samples);
    check(!in_long_tier() || processes_in(&all) == 4, "%zu", processes_in(&all));
    bool shell = false; /* a program that came later has its build-id, too */
    const struct an_samples_info *info = an_samples_info(all.samples);
    for (size_t i = 0; i < info->build_id_count; i++)
        shell |= strstr(info->build_ids[i].filename, "sh") != NULL;
    assert_true(shell);
    collected_free(&all);
}

static void without_its_children(void **state)
{
    (void)state;
    skip_unless_permitted();
    struct an_record_counts counts;
    struct collected all;
    double user_seconds;
    record_family(false, &counts, &user_seconds);
    assert_int_equal(counts.processes, 1);
    assert_int_equal(counts.threads, 1);
    read_back(&all);
    assert_in_range(processes_in(&all), in_long_tier() ? 1 : 0, 1);
    check(!in_long_tier() || (double)all.item_count < 0.4 * user_seconds * FREQUENCY + 10,
          "%zu samples", all.item_count);
    collected_free(&all);
}

/* ---- an old kernel: threads do not inherit ---- */

static void count_sample(void *context, const uint8_t *record, size_t size)
{
    (void)size;
    *(uint64_t *)context += an_load32(record) == PERF_RECORD_SAMPLE;
}

static void late_threads(struct line *line)
{
    tell_ready(line);
    await_go(line);
    spin_in_threads(3, 0.3);
}

static void new_threads_are_looked_for(void **state)
{
    (void)state;
    skip_unless_permitted();
    struct perf_event_attr attr = clock_attr();
    struct worker worker = begin(late_threads);
    struct an_perf_events *events;
    struct an_error error;
    uint64_t samples = 0, bytes;
    bool left = true;
    assert_int_equal(an_perf_attr_settle(&attr, worker.pid), 0);
    assert_int_equal(an_perf_events_open(&attr, worker.pid, &events, &error), AN_OK);
    go(&worker);
    while (left) {
        an_perf_events_wait(events, 5);
        assert_int_equal(an_perf_events_read(events, count_sample, &samples, &bytes, &error),
                         AN_OK);
        assert_int_equal(an_perf_events_look(events, &left, &error), AN_OK);
    }
    an_perf_events_stop(events);
    reap(&worker);
    assert_int_equal(an_perf_events_threads(events), 4);
    check_number(samples, worker.user_seconds);
    check_run_time((double)an_perf_events_run_time(events) * 1e-9, 0.7, worker.user_seconds);
    an_perf_events_free(events);
}

/* ---- the end ---- */

static void endless(struct line *line)
{
    tell_ready(line);
    for (;;)
        spin(1);
}

static void kill_worker(struct worker *worker)
{
    int status;
    close(worker->go);
    assert_int_equal(kill(worker->pid, SIGKILL), 0);
    assert_int_equal(waitpid(worker->pid, &status, 0), worker->pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* until now it ran */
}

static void when_the_time_is_over(void **state)
{
    (void)state;
    skip_unless_permitted();
    const struct perf_event_attr attr = clock_attr();
    struct worker worker = begin(endless);
    const struct an_record_options options = {
        .size = sizeof options, .pid = worker.pid, .output = path, .duration = 0.35};
    struct an_record_counts counts;
    struct an_error error;
    assert_int_equal(an_lbr_record(&options, &attr, "cpu-clock:u", &counts, &error), AN_OK);
    kill_worker(&worker);
    assert_true(counts.seconds >= 0.35);
    assert_true(!in_long_tier() || counts.samples > 0);
}

struct stopper {
    int flag;
    struct an_record_counts last;
};

static void stop(void *context, const struct an_record_counts *counts)
{
    struct stopper *stopper = context;
    stopper->last = *counts;
    stopper->flag = counts->samples >= 20;
}

static void when_it_is_told_to_stop(void **state)
{
    (void)state;
    skip_unless_permitted();
    const struct perf_event_attr attr = clock_attr();
    struct worker worker = begin(endless);
    struct stopper stopper = {0};
    const struct an_record_options options = {.size = sizeof options,
                                              .pid = worker.pid,
                                              .output = path,
                                              .stop = &stopper.flag,
                                              .progress = stop,
                                              .context = &stopper};
    struct an_record_counts counts;
    struct an_error error;
    struct collected all;
    assert_int_equal(an_lbr_record(&options, &attr, "cpu-clock:u", &counts, &error), AN_OK);
    kill_worker(&worker);
    assert_true(counts.samples >= 20);
    assert_true(stopper.last.run_seconds > 0 && stopper.last.threads == 1);
    read_back(&all);
    assert_int_equal(all.item_count, counts.samples);
    collected_free(&all);
}

/* ---- what is lost ---- */

struct dawdler {
    struct worker *worker;
    int calls;
    int enough;
};

/* Is so slow at first that no buffer can hold what comes. */
static void dawdle(void *context, const struct an_record_counts *counts)
{
    struct dawdler *dawdler = context;
    clockid_t clock;
    dawdler->enough = dawdler->calls++ && counts->lost; /* it is told with what comes next */
    if (dawdler->calls > 1)
        return;
    assert_int_equal(clock_getcpuclockid(dawdler->worker->pid, &clock), 0);
    double end = cpu_time(clock) + 0.3;
    while (cpu_time(clock) < end)
        usleep(10000);
}

/* Samples with copies of the stack fill the buffer while nobody reads it. */
static void samples_that_find_no_room(void **state)
{
    (void)state;
    skip_unless_permitted();
    struct perf_event_attr attr = clock_attr();
    struct worker worker = begin(endless);
    struct dawdler dawdler = {.worker = &worker};
    const struct an_record_options options = {.size = sizeof options,
                                              .pid = worker.pid,
                                              .output = path,
                                              .duration = 20,
                                              .stop = &dawdler.enough,
                                              .progress = dawdle,
                                              .context = &dawdler};
    struct an_record_counts counts;
    struct an_error error;
    struct collected all;
    attr.sample_freq = 4000;
    attr.sample_type |= PERF_SAMPLE_STACK_USER;
    attr.sample_stack_user = 16384;
    assert_int_equal(an_lbr_record(&options, &attr, "cpu-clock:u", &counts, &error), AN_OK);
    kill_worker(&worker);
    check(counts.lost > 0, "%llu samples", (unsigned long long)counts.samples);
    read_back(&all);
    assert_int_equal(all.item_count, counts.samples);
    assert_int_equal(an_samples_counts(all.samples)->lost, counts.lost);
    collected_free(&all);
}

/* ---- what cannot be recorded ---- */

static enum an_code try_to_record(int32_t pid, struct an_error *error)
{
    const struct perf_event_attr attr = clock_attr();
    const struct an_record_options options = {
        .size = sizeof options, .pid = pid, .output = path, .duration = 0.1};
    struct an_record_counts counts;
    return an_lbr_record(&options, &attr, "cpu-clock:u", &counts, error);
}

static void end_at_once(struct line *line)
{
    tell_ready(line);
}

static void no_such_process(void **state)
{
    (void)state;
    skip_unless_permitted();
    struct an_error error;
    struct worker worker = begin(end_at_once);
    siginfo_t ended;
    assert_int_equal(waitid(P_PID, (id_t)worker.pid, &ended, WEXITED | WNOWAIT), 0);
    assert_int_equal(try_to_record(worker.pid, &error), AN_USAGE); /* a zombie */
    reap(&worker);
    assert_int_equal(try_to_record(worker.pid, &error), AN_USAGE);
    assert_non_null(strstr(error.what, "no such process"));
    assert_int_equal(access(path, F_OK), -1);
}

/* As root this is tried as somebody else, in a process of its own. */
static void a_process_of_somebody_else(void **state)
{
    (void)state;
    if (getuid() != 0) {
        print_message("# only root has processes of two users\n");
        skip();
    }
    skip_unless_permitted();
    struct worker worker = begin(endless);
    pid_t other = fork();
    if (other == 0) {
        struct an_error error;
        chmod(folder, 0777);
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(9);
        enum an_code code = try_to_record(worker.pid, &error);
        bool good = code == AN_SYSTEM && strstr(error.hint, "perf_event_paranoid") &&
                    strstr(error.hint, "CAP_PERFMON") && access(path, F_OK) != 0;
        _exit(good ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(other, &status, 0), other);
    kill_worker(&worker);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", status);
}

/* Here are branch records, or it is said cleanly that there are none. */
static void this_machine(void **state)
{
    (void)state;
    skip_unless_permitted();
    const struct perf_event_attr attr = an_lbr_attr(0);
    struct worker worker = begin(endless);
    const struct an_record_options options = {
        .size = sizeof options, .pid = worker.pid, .output = path, .duration = 0.3};
    struct an_record_counts counts;
    struct an_error error;
    int number = an_lbr_probe(&attr, worker.pid);
    enum an_code code = an_lbr_record(&options, &attr, "cycles:u", &counts, &error);
    kill_worker(&worker);
    if (number == 0) {
        assert_int_equal(code, AN_OK);
        assert_true(counts.branches > 0);
        return;
    }
    check(number == ENOENT || number == EOPNOTSUPP, "%s", strerror(number));
    assert_int_equal(code, AN_UNSUPPORTED);
    assert_string_equal(error.what, "this processor has no branch records");
    assert_non_null(strstr(error.hint, "--method=emulate"));
    assert_int_equal(access(path, F_OK), -1);
}

static void the_frequency_is_one_that_is_allowed(void **state)
{
    (void)state;
    skip_unless_permitted();
    struct perf_event_attr attr = clock_attr();
    attr.sample_freq = 1000000000;
    assert_int_equal(an_perf_attr_settle(&attr, 0), 0);
    assert_in_range(attr.sample_freq, 1, 999999999);
    assert_int_equal(an_lbr_attr(0).sample_freq, 4000);
    assert_int_equal(an_lbr_attr(99).sample_freq, 99);
}

#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_go_round),
        cmocka_unit_test(a_damaged_ring),
        in_a_folder(branch_records_out_of_a_ring),
        in_a_folder(build_ids_of_mappings),
        in_a_folder(records_that_are_too_short),
        in_a_folder(build_ids_of_files),
        in_a_folder(threads_of_a_process),
        in_a_folder(with_its_children),
        in_a_folder(without_its_children),
        cmocka_unit_test(new_threads_are_looked_for),
        in_a_folder(when_the_time_is_over),
        in_a_folder(when_it_is_told_to_stop),
        in_a_folder(samples_that_find_no_room),
        in_a_folder(no_such_process),
        in_a_folder(a_process_of_somebody_else),
        in_a_folder(this_machine),
        cmocka_unit_test(the_frequency_is_one_that_is_allowed),
    };
    const struct CMUnitTest judged[] = {
        in_a_folder(threads_of_a_process),  in_a_folder(with_its_children),
        in_a_folder(without_its_children),  cmocka_unit_test(new_threads_are_looked_for),
        in_a_folder(when_the_time_is_over),
    };
    return takes_tier("check") ? RUN_TESTS(tests) : RUN_TESTS(judged);
}
