/* Words in the memory of a child that are addresses inside of an entry. */
#include "live/inside.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "process.h"
#include "support/test.h"

enum { PAGE = 4096, ENTRY_SIZE = 9, MIDDLE = 4, FEW = 1000, SOME = 16 };

static const uint64_t entry = 0x5b1234567000;

/* What the child has; the parent has the same addresses, since it was forked. */
static uint64_t *words;

static struct an_patch_site place;
static struct an_plan plan = {.places = {.items = &place, .count = 1}};

/* So many words, behind a guard, as a stack has it. */
static pid_t start_child(size_t count)
{
    int ends[2];
    char byte;
    size_t size = (count * 8 / PAGE + 2) * PAGE;
    place = (struct an_patch_site){
        .address = entry, .size = ENTRY_SIZE, .is_entry = true, .is_code = true, .changes = true};
    assert_int_equal(pipe(ends), 0);
    uint8_t *bytes = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(bytes != MAP_FAILED);
    words = (uint64_t *)(bytes + PAGE);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (mprotect(words, size - PAGE, PROT_READ | PROT_WRITE))
            _exit(1);
        for (size_t i = 0; i < count; i++)
            words[i] = entry + MIDDLE;
        if (write(ends[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* Whether an entry is withheld while the child's only thread has its stack pointer there. */
static bool withholds(const struct an_target *target, const struct an_inside *inside,
                      uint64_t pointer)
{
    struct an_thread thread = {.registers = {.rsp = pointer}};
    struct an_threads threads = {.target = target, .list = {.items = &thread, .count = 1}};
    place.is_withheld = false;
    size_t count;
    bool any = an_inside_withhold(inside, &threads, &plan, &count);
    assert_int_equal(any, place.is_withheld);
    assert_int_equal(count, place.is_withheld);
    return place.is_withheld;
}

static void finds_words(void **state)
{
    pid_t child = start_child(FEW);
    struct an_target target = open_process(child);
    struct an_inside inside = {0};
    struct an_error error;
    uint64_t here = (uint64_t)(uintptr_t)words, zero = 0;
    (void)state;
    assert_int_equal(an_inside_find(&target, &plan, &inside, &error), AN_OK);
    check(inside.count >= FEW && inside.count < FEW + SOME, "%zu", inside.count);
    assert_true(withholds(&target, &inside, 0));
    /* but not what is on the stack of a thread, if that is all */
    inside.count = 0;
    for (size_t i = 0; i < FEW; i++)
        *an_vector_push(&inside) = (struct an_inside_word){here + 8 * i, entry + MIDDLE};
    assert_true(withholds(&target, &inside, 0));
    assert_false(withholds(&target, &inside, here + 100));
    /* nor what is no longer there, but for the last of them */
    for (size_t i = 0; i + 1 < FEW; i++)
        assert_true(an_target_write(&target, here + 8 * i, &zero, sizeof zero));
    assert_true(withholds(&target, &inside, 0));
    assert_true(an_target_write(&target, here + 8 * (FEW - 1), &zero, sizeof zero));
    assert_false(withholds(&target, &inside, 0));
    an_inside_free(&inside);
    close_process(&target);
    end(child);
}

static void passes_over_what_is_gone(void **state)
{
    pid_t child = start_child(FEW);
    struct an_target target = open_process(child);
    struct an_inside inside = {0};
    (void)state;
    for (size_t i = 0; i < FEW; i++) /* the last one is there */
        *an_vector_push(&inside) = (struct an_inside_word){
            i + 1 < FEW ? 8 * i : (uint64_t)(uintptr_t)words, entry + MIDDLE};
    assert_true(withholds(&target, &inside, 0));
    an_inside_free(&inside);
    close_process(&target);
    end(child);
}

static void has_a_limit(void **state)
{
    pid_t child = start_child(AN_INSIDE_MOST + SOME);
    struct an_target target = open_process(child);
    struct an_inside inside = {0};
    struct an_error error;
    char message[800];
    (void)state;
    assert_int_equal(an_inside_find(&target, &plan, &inside, &error), AN_UNSUPPORTED);
    assert_non_null(strstr(an_error_format(&error, message, sizeof message), "16384"));
    assert_non_null(strstr(message, "0x5b1234567004"));
    assert_true(inside.count <= AN_INSIDE_MOST);
    an_inside_free(&inside);
    close_process(&target);
    end(child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_words),
        cmocka_unit_test(passes_over_what_is_gone),
        cmocka_unit_test(has_a_limit),
    };
    return RUN_TESTS(tests);
}
