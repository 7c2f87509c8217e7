/* What is read of a process's memory, and what is left alone, with real mappings of a child. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/proc.h"
#include "live/pages.h"

enum { PAGE = 4096, GUARD_INSTALL = 102 /* madvise(2), Linux 6.13 */ };

static const size_t sparse_size = (size_t)1 << 30;

/* What the child has; the parent has the same addresses, since it was forked. */
static uint8_t *sparse;

static void fill(size_t page, uint8_t value)
{
    memset(sparse + page * PAGE, value, PAGE);
}

/* Pages 3 and 4 and the last one are touched, 10 to 14 have a hole that cannot be read. */
static pid_t start_child(bool *has_guard)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    sparse = mmap(NULL, sparse_size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(sparse != MAP_FAILED);
    madvise(sparse, sparse_size, MADV_NOHUGEPAGE);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        fill(3, 3);
        fill(4, 4);
        for (size_t page = 10; page <= 14; page++)
            fill(page, (uint8_t)page);
        byte = madvise(sparse + (size_t)12 * PAGE, PAGE, GUARD_INSTALL) == 0;
        fill(sparse_size / PAGE - 1, 99);
        if (write(ends[1], &byte, 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    *has_guard = byte;
    close(ends[0]);
    close(ends[1]);
    return child;
}

static struct an_target open_target(pid_t pid)
{
    char path[64];
    struct an_target target = {.pid = pid, .living = pid};
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    target.memory = open(path, O_RDWR | O_CLOEXEC);
    assert_true(target.memory >= 0);
    return target;
}

static uint64_t resident(pid_t pid)
{
    struct an_buffer text;
    assert_true(an_proc_text(pid, "status", &text));
    uint64_t size = an_proc_status_number((const char *)text.data, "\nVmRSS:", 10);
    an_buffer_free(&text);
    return size;
}

struct seen {
    size_t bytes, pieces;
    uint64_t last;
    uint8_t values[256];
};

static void see(void *context, uint64_t address, const void *bytes, size_t size)
{
    struct seen *seen = context;
    assert_true(address >= seen->last);
    seen->last = address + size;
    seen->bytes += size;
    seen->pieces++;
    for (size_t i = 0; i < size; i += PAGE)
        seen->values[((const uint8_t *)bytes)[i]]++;
}

enum way { SCAN, ENTRIES, ALL };

static struct an_pages open_pages(const struct an_target *target, enum way way)
{
    struct an_pages pages;
    an_pages_open(&pages, target);
    if (way != SCAN)
        pages.can_scan = false;
    if (way == ALL)
        an_pages_close(&pages);
    return pages;
}

/* It finds what was touched, and touches nothing; a guard hides nothing but itself. */
static void reads_what_there_is(void **state)
{
    (void)state;
    bool has_guard;
    pid_t child = start_child(&has_guard);
    struct an_target target = open_target(child);
    void *piece = malloc(AN_PIECE);
    for (enum way way = SCAN; way <= ENTRIES; way++) {
        struct an_pages pages = open_pages(&target, way);
        struct seen seen = {0};
        uint64_t before = resident(child), start = (uint64_t)(uintptr_t)sparse;
        assert_true(an_pages_each(&pages, start, start + sparse_size, piece, see, &seen));
        assert_int_equal(seen.bytes, (size_t)(has_guard ? 7 : 8) * PAGE);
        assert_true(seen.values[3] && seen.values[4] && seen.values[10] && seen.values[11] &&
                    seen.values[13] && seen.values[14] && seen.values[99]);
        assert_int_equal(seen.values[12], !has_guard);
        check(resident(child) < before + 1024, "%llu KB, then %llu KB", (unsigned long long)before,
              (unsigned long long)resident(child));
        an_pages_close(&pages);
    }
    free(piece);
    close(target.memory);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    munmap(sparse, sparse_size);
}

static void copies_what_there_is(void **state)
{
    (void)state;
    bool has_guard;
    pid_t child = start_child(&has_guard);
    struct an_target target = open_target(child);
    static uint8_t bytes[16 * PAGE];
    for (enum way way = SCAN; way <= ALL; way++) {
        struct an_pages pages = open_pages(&target, way);
        memset(bytes, 1, sizeof bytes);
        uint64_t start = (uint64_t)(uintptr_t)sparse + 8; /* not where a page begins */
        assert_true(an_pages_read(&pages, start, bytes, sizeof bytes - 16));
        for (size_t page = 0; page < 16; page++) {
            uint8_t expected =
                page == 3 || page == 4 || (page >= 10 && page <= 14) ? (uint8_t)page : 0;
            expected = page == 12 && has_guard ? 0 : expected;
            check(bytes[page * PAGE] == expected && bytes[page * PAGE + PAGE - 25] == expected,
                  "page %zu: %d", page, bytes[page * PAGE]);
        }
        an_pages_close(&pages);
    }
    close(target.memory);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    munmap(sparse, sparse_size);
}

/* A process that is gone has memory that is not known, which is something else than none. */
static void says_when_it_is_not_known(void **state)
{
    (void)state;
    bool has_guard;
    pid_t child = start_child(&has_guard);
    struct an_target target = open_target(child);
    struct an_pages scanned = open_pages(&target, SCAN), read = open_pages(&target, ENTRIES),
                    all = open_pages(&target, ALL);
    uint64_t word, start = (uint64_t)(uintptr_t)sparse + (uint64_t)3 * PAGE;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_false(an_pages_read(&scanned, start, &word, sizeof word));
    assert_false(an_pages_read(&read, start, &word, sizeof word));
    assert_false(an_pages_read(&all, start, &word, sizeof word));
    an_pages_close(&scanned);
    an_pages_close(&read);
    close(target.memory);
    munmap(sparse, sparse_size);
}

static void knows_memory(void **state)
{
    static const char *const memory[] = {
        "",          "[heap]",          "[stack]", "/memfd:x (deleted)",
        "/dev/zero", "/dev/shm/a",      "/SYSV0",  "/usr/lib/libc.so.6",
        "/srv/dev",  "/dev/hugepages/x"};
    static const char *const others[] = {"/dev/dri/card0", "/dev/mem", "anon_inode:[vfio-device]",
                                         "socket:[12]", "/sys/bus/pci/devices/0/resource0"};
    (void)state;
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        check(an_pages_are_memory(&(struct an_target_mapping){.path = memory[i]}), "%s", memory[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check(!an_pages_are_memory(&(struct an_target_mapping){.path = others[i]}), "%s",
              others[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_there_is),
        cmocka_unit_test(copies_what_there_is),
        cmocka_unit_test(says_when_it_is_not_known),
        cmocka_unit_test(knows_memory),
    };
    return RUN_TESTS(tests);
}
