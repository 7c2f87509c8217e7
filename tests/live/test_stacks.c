/* Stacks of made-up threads of this process, in real mappings. */
#include "live/stacks.h"

#include <sys/mman.h>

#include "process.h"
#include "support/test.h"

enum { PAGE = 4096, THREADS = 300, WORDS = 40, LONG = 64 };

struct seen {
    unsigned count, read, left, unknown;
};

/* A mapping with another one, of other rights, on both sides. */
static uint64_t *map(size_t pages)
{
    uint8_t *bytes = mmap(NULL, (pages + 2) * PAGE, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(bytes != MAP_FAILED);
    assert_int_equal(mprotect(bytes + PAGE, pages * PAGE, PROT_READ | PROT_WRITE), 0);
    return (uint64_t *)(bytes + PAGE);
}

/* It can be read by its rights, but is behind the end of its file. */
static uint64_t *map_nothing(void)
{
    int file = memfd_create("empty", MFD_CLOEXEC);
    assert_true(file >= 0);
    void *bytes = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(bytes != MAP_FAILED);
    close(file);
    return bytes;
}

/* Each thread's number is in all its words. */
static void see(void *context, const struct an_stack *stack)
{
    struct seen *seen = context;
    seen->count++;
    seen->unknown += stack->mapping == NULL;
    seen->left += stack->mapping && !stack->words;
    if (!stack->words)
        return;
    seen->read++;
    assert_int_equal(stack->count, WORDS + 1);
    assert_int_equal(stack->start, stack->thread->registers.rsp - 8);
    assert_int_equal(stack->words[0], 0);
    for (size_t i = 1; i < stack->count; i++)
        assert_int_equal(stack->words[i], stack->thread->tid);
}

/* Every tenth thread's is long, cannot be read, is not mapped, or the thread is gone. */
static void point(struct an_thread *thread, unsigned number, const uint64_t *nothing,
                  const uint64_t *longer)
{
    uint64_t pointer = 0;
    if (number % 10 == 1)
        pointer = (uint64_t)(uintptr_t)nothing;
    else if (number % 10 == 2)
        pointer = (uint64_t)(uintptr_t)longer;
    else if (number % 10 != 3) {
        uint64_t *end = map(1) + PAGE / 8;
        for (size_t i = 1; i <= WORDS; i++)
            end[-(ptrdiff_t)i] = number;
        pointer = (uint64_t)(uintptr_t)(end - WORDS);
    }
    *thread = (struct an_thread){.tid = (int32_t)number, .is_gone = number % 10 == 4};
    thread->registers.rsp = pointer;
}

static void reads_many(void **state)
{
    struct an_threads threads = {0};
    struct seen seen = {0};
    uint64_t *nothing = map_nothing(), *longer = map(LONG);
    (void)state;
    for (unsigned i = 0; i < THREADS; i++)
        point(an_vector_push(&threads.list), i, nothing, longer);
    struct an_target target = open_process(getpid());
    threads.target = &target;
    threads.most = UINT64_MAX;
    assert_true(an_stacks_each(&threads, 8, see, &seen));
    assert_int_equal(seen.count, THREADS * 9 / 10);
    assert_int_equal(seen.unknown, THREADS / 10);
    assert_int_equal(seen.left, 2 * THREADS / 10);
    assert_int_equal(seen.read, 6 * THREADS / 10);
    threads.most = 0;
    assert_false(an_stacks_each(&threads, 8, see, &seen));
    an_vector_free(&threads.list);
    close_process(&target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_many)};
    return RUN_TESTS(tests);
}
