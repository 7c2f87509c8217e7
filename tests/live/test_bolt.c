/*
 * lib/live/bolt, with shell scripts in llvm-bolt's place: what it may do, how long it may take, and what is
 * left of it. What it makes of binaries is the other tests' matter.
 */
#include "live/bolt.h"

#include <anneal/live.h>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/skip.h"
#include "support/test.h"

struct place {
    char folder[64], program[96], profile[96], output[96];
    struct an_elf *elf;
    struct an_owner owner;
    struct an_bolt_options options;
};

static void write_text(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void make_place(struct place *place, const char *script)
{
    struct an_error error;
    char text[1000];
    *place = (struct place){.folder = "/tmp/anneal-bolt-XXXXXX",
                            .owner = {.user = geteuid(), .group = getegid()}};
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->program, sizeof place->program, "%s/bolt", place->folder);
    snprintf(place->profile, sizeof place->profile, "%s/profile", place->folder);
    snprintf(place->output, sizeof place->output, "%s/c1", place->folder);
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    write_text(place->program, text, 0755);
    write_text(place->profile, "1 main 0 1 main 1 0 5\n", 0600);
    assert_int_equal(an_elf_open("/proc/self/exe", &place->elf, &error), AN_OK);
    place->options = (struct an_bolt_options){.program = place->program, .owner = &place->owner};
}

static enum an_code run(struct place *place, struct an_error *error)
{
    struct an_buffer skipped = {0};
    enum an_code code = an_bolt_run(&place->options, place->elf, place->profile, 1 << 30,
                                    place->output, &skipped, error);
    an_buffer_free(&skipped);
    return code;
}

/* Nothing is left but the script, the profile and perhaps the output. */
static void remove_place(struct place *place, bool has_output)
{
    assert_int_equal(unlink(place->program), 0);
    assert_int_equal(unlink(place->profile), 0);
    assert_int_equal(unlink(place->output), has_output ? 0 : -1);
    assert_int_equal(rmdir(place->folder), 0);
    an_elf_close(place->elf);
}

static void is_confined(void **unused)
{
    (void)unused;
    struct place place;
    struct an_error error;
    struct stat about;
    char found[400] = "";
    make_place(&place,
               "umask 0\n"
               "exec >$3\n" /* the output */
               "grep NoNewPrivs: /proc/self/status | cut -f2\n"
               "ulimit -Hc\n"
               "for what in v t f; do [ $(ulimit -H$what) = unlimited ] || echo limited; done\n"
               "ls -l /proc/self/fd | grep -vE ' [0-3] ->' | grep -c -- '->'\n"
               "[ $(ps -o tty= -p $$) = '?' ] && echo no terminal\n"
               "stat -c %a $1 ${4#-data=}");
    int kept = dup2(STDOUT_FILENO, 20); /* which it does not get */
    assert_int_equal(kept, 20);
    assert_int_equal(run(&place, &error), AN_OK);
    close(kept);
    FILE *file = fopen(place.output, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, "1\n0\nlimited\nlimited\nlimited\n0\nno terminal\n600\n600\n");
    assert_int_equal(stat(place.output, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    remove_place(&place, true);
}

static void takes_no_longer(void **unused)
{
    (void)unused;
    struct place place;
    struct an_error error;
    make_place(&place, "while :; do sleep 1000; done");
    place.options.seconds = 1;
    assert_int_equal(run(&place, &error), AN_SYSTEM);
    assert_non_null(strstr(error.what, "did not end in time"));
    remove_place(&place, false);
}

static void stops_when_told(void **unused)
{
    (void)unused;
    struct place place;
    struct an_error error;
    const volatile int stop = 1;
    make_place(&place, "while :; do sleep 1000; done");
    place.options.stop = &stop;
    assert_int_equal(run(&place, &error), AN_USAGE);
    assert_string_equal(error.what, "interrupted");
    remove_place(&place, false);
}

/* What it is told to leave, and what it says that it cannot move, one at a time. */
static void leaves_functions(void **unused)
{
    (void)unused;
    struct place place;
    struct an_error error;
    struct an_buffer skip = {0};
    struct an_buffer skipped = {0};
    make_place(&place,
               "for last; do :; done\n"
               "[ \"$last\" = \"@$3.skip\" ] || exit 9\n"
               "for f in 'f.part.0/1' _ZN1gEv; do\n"
               "  grep -qx -- -skip-funcs=$f $3.skip && continue\n"
               "  echo \"BOLT-ERROR: no new address in function $f(*2). Consider adding this "
               "function to --skip-funcs=...\"\n"
               "  exit 1\n"
               "done\n"
               "cp $3.skip $3");
    an_skip_add(&skip, "a b,$\\", 5, "(/.*)?");
    place.options.skip = (struct an_bytes){skip.data, skip.size};
    assert_int_equal(an_bolt_run(&place.options, place.elf, place.profile, 1 << 30, place.output,
                                 &skipped, &error),
                     AN_OK);
    assert_int_equal(skipped.size, sizeof "f.part.0/1\0_ZN1gEv");
    assert_memory_equal(skipped.data, "f.part.0/1\0_ZN1gEv", skipped.size);
    an_buffer_free(&skipped);
    FILE *file = fopen(place.output, "r");
    char found[200] = "";
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, "-skip-funcs=a.b..(/.*)?\n-skip-funcs=f.part.0/1\n"
                               "-skip-funcs=_ZN1gEv\n");
    an_buffer_free(&skip);
    remove_place(&place, true);
}

/* However it ends. */
static void failures(void **unused)
{
    (void)unused;
    static const struct {
        const char *script, *what;
    } cases[] = {
        {"echo BOLT-ERROR: broken; exit 3", "status 3: BOLT-ERROR: broken"},
        {"kill -SEGV $$", "killed by signal 11"},
        {":", "wrote no binary"},
        {"yes | head -c 20000000; exit 1", "status 1"}, /* more words than anybody reads */
        {"rm -f $3; exit 1", "status 1"},
        {"rm -f $3; mkfifo $3; :", "wrote no binary"},
        {"head -c 1 /dev/zero >$3; ulimit -f 1; head -c 100000 /dev/zero >>$3 || exit 4",
         "status 4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct place place;
        struct an_error error;
        make_place(&place, cases[i].script);
        check(run(&place, &error) == AN_SYSTEM, "%s", cases[i].script);
        check(strstr(error.what, cases[i].what) != NULL, "%s: %s", cases[i].script, error.what);
        remove_place(&place, false);
    }
}

/* Options with which a thread could not go on in new code in the middle of a function. */
static void refuses_options(void **state)
{
    (void)state;
    static const struct {
        const char *option;
        bool is_refused;
    } cases[] = {{"--icf", true},
                 {"-icf=1", true},
                 {"-reg-reassign", true},
                 {"--tail-duplication=cache", true},
                 {"--three-way-branch", true},
                 {"--frame-opt=all", true},
                 {"-o", true},
                 {"--reorder-blocks=reverse", false},
                 {"--icf-more", false},
                 {"--skip-funcs=icf", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const options[] = {"--no-threads", cases[i].option, NULL};
        const char *found = an_live_refused_option(options);
        check(cases[i].is_refused ? found == options[1] : !found, "%s", cases[i].option);
    }
    assert_null(an_live_refused_option(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_confined),     cmocka_unit_test(takes_no_longer),
        cmocka_unit_test(stops_when_told), cmocka_unit_test(leaves_functions),
        cmocka_unit_test(failures),        cmocka_unit_test(refuses_options),
    };
    return RUN_TESTS(tests);
}
