/* cli/core/counter: what a command that counts may do, and what it must not keep anneal from. */
#include "../../cli/core/counter.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

static const double patient = 300; /* seconds: what never comes, as tap.sh has it */

static enum an_code read_from(const char *command, double patience, double *work,
                              struct an_error *error)
{
    static const volatile int stop = 0;
    *work = -1;
    return counter_read(command, 4711, 022, patience, &stop, work, error);
}

static void write_text(const char *text)
{
    FILE *file = fopen("counter-text", "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void counts(void **state)
{
    static const struct {
        const char *command;
        double work;
    } cases[] = {
        {"echo 5", 5},
        {"echo '12.5 requests'; echo 7", 12.5},
        {"test $1 = 4711 && echo 8", 8},
        {"file:counter-text#Total:", 123},
        {"file:counter-text#IdleWorkers", 7},
        {"file:counter-text", 5},
        {"echo 6; head -c 300000 /dev/zero", 6}, /* more than is kept */
        {"echo 3; cat <&9 & echo 4", 3}, /* what stays in the background keeps nobody waiting */
    };
    struct an_error error;
    double work;
    int ends[2];
    (void)state;
    write_text("5\nTotal: 123\nIdleWorkers=7\nBusy\n");
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(dup2(ends[0], 9), 9); /* to read, when the other end is closed */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check(read_from(cases[i].command, patient, &work, &error) == AN_OK, "%s", error.what);
        check(work == cases[i].work, "%s: %g", cases[i].command, work);
    }
    close(ends[0]);
    close(ends[1]);
    close(9);
}

static void fails(void **state)
{
    static const char *const cases[][2] = {
        {"exit 3", "status 3"},
        {"kill -SEGV $$", "signal 11"},
        {"echo many", "not printed a number but 'many'"},
        {"echo nan", "not printed a number but 'nan'"},
        {"true", "printed no number"},
        {"file:counter-text#Busy", "printed no number"},
        {"file:counter-text#Absent", "has no 'Absent'"},
        {"file:no-such-file", "No such file"},
    };
    struct an_error error;
    double work;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_from(cases[i][0], patient, &work, &error), AN_SYSTEM);
        check(strstr(error.what, cases[i][1]) != NULL, "%s", error.what);
    }
    unlink("counter-text");
}

/* One that sleeps, and one that prints all the time. */
static void is_ended(void **state)
{
    static const char *const cases[] = {"sleep 1000 | cat", "yes"};
    struct an_error error;
    double work;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_from(cases[i], 0.3, &work, &error), AN_SYSTEM);
        check(strstr(error.what, "has not ended within") != NULL, "%s", error.what);
    }
}

/* The command has whoever asks it stand still for longer than their patience is. */
static void stands_still(void **state)
{
    const char *command = "kill -STOP $PPID; sleep 4; kill -CONT $PPID; echo 7";
    int status;
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct an_error error;
        double work;
        _exit(read_from(command, 3, &work, &error) != AN_OK || work != 7);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(fails),
        cmocka_unit_test(is_ended),
        cmocka_unit_test(stands_still),
    };
    return RUN_TESTS(tests);
}
