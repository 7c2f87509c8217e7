/* Ctrl-C ends a core, unless somebody has the console; what is printed then. */
#include "bare/bare.h"

#include <string.h>

#include "bare/memfile.h"
#include "boards/host_board.h"
#include "support/test.h"

static _Alignas(16) uint8_t memory[1024];
static jmp_buf end;

/* Whether the call ends the core. */
static bool ends(void (*call)(void))
{
    host_board.end = &end;
    if (setjmp(end))
        return true;
    call();
    return false;
}

static void exit_with_7(void)
{
    an_bare_exit(7);
}

static void begin(const char *typed)
{
    host_board_reset();
    an_memfile_forget();
    an_bare_heap(memory, sizeof memory);
    host_board.typed = typed;
}

static void test_exit(void **context)
{
    (void)context;
    begin(NULL);
    host_board.core = 2;
    struct an_memfile *file = an_memfile_create("/part.gcda");
    assert_true(an_memfile_write(file, "Cat", 3));
    an_memfile_close(file);
    assert_non_null(an_memfile_create("never closed"));
    assert_true(ends(exit_with_7));
    assert_int_equal(host_board.status, 7);
    assert_false(host_board.is_locked);
    char *heap = strstr(host_board.printed, "heap: ");
    assert_non_null(heap);
    char *behind = strchr(heap, '\n') + 1;
    assert_string_equal(behind, "begin 644 part.gcda2\n#0V%T\n`\nend\ncrc32 a6130548 3 part.gcda2\n"
                                "Done dumping files on core 2\n");
    *heap = 0;
    assert_string_equal(host_board.printed, "\nDumping files on core 2\n");
}

static void test_other_characters(void **context)
{
    (void)context;
    begin("a\xff");
    assert_int_equal(an_bare_get(), 'a');
    assert_int_equal(an_bare_get(), 0xff);
    assert_int_equal(an_bare_get(), -1);
    assert_false(ends(an_bare_poll));
}

/* It is read and gone; the next one counts. The other cores learn of it, also while the console is taken. */
static void test_break(void **context)
{
    (void)context;
    begin("\x03\x03");
    host_board.is_locked = true;
    assert_false(ends(an_bare_poll));
    host_board.is_locked = false;
    assert_string_equal(host_board.typed, "\x03");
    assert_true(ends(an_bare_poll));
    assert_int_equal(host_board.status, 0);
    host_board_reset();
    host_board.core = 1;
    host_board.is_locked = true;
    assert_false(ends(an_bare_poll));
    host_board.is_locked = false;
    assert_true(ends(an_bare_poll));
    assert_non_null(strstr(host_board.printed, "Done dumping files on core 1\n"));
}

/* An interrupt that looks for Ctrl-C between the last line and the end of the core finds nothing to do. */
static void test_break_at_the_end(void **context)
{
    (void)context;
    begin("\x03\x03");
    host_board.at_end = an_bare_poll;
    assert_true(ends(exit_with_7));
    assert_int_equal(host_board.status, 7);
    char *done = strstr(host_board.printed, "Done dumping files on core 0\n");
    assert_non_null(done);
    assert_string_equal(done, "Done dumping files on core 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit), cmocka_unit_test(test_break_at_the_end),
        cmocka_unit_test(test_other_characters), cmocka_unit_test(test_break)};
    return RUN_TESTS(tests);
}
