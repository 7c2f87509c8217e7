/* anneal rt: how to link the runtime into a program that is to be profiled. */
#include <limits.h>
#include <stdio.h>

#include "command.h"
#include "rt_library.h"

enum { LDFLAGS = 1, LIBRARY, CONTINUOUS };

static const struct option_spec options[] = {
    {LDFLAGS, 0, "ldflags", NULL, "print the options for the link command (default)"},
    {LIBRARY, 0, "library", NULL, "print the path of the library"},
    {CONTINUOUS, 0, "continuous", NULL, "include options for counting in a file (%c), with clang"},
    {0},
};

static const struct option_rule rules[] = {
    {ALONE, LIBRARY, {0}, {0}},
    {0},
};

static void print_flags(const char *library, bool continuous)
{
    char script[PATH_MAX];
    printf("-Wl");
    for (size_t i = 0; rt_wrapped[i]; i++)
        printf(",--wrap=%s", rt_wrapped[i]);
    if (continuous && rt_script(library, script))
        printf(" -Wl,-T,%s", script);
    printf(" -Wl,--whole-archive %s -Wl,--no-whole-archive\n", library);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct option_parser parser;
    const char *value;
    char path[PATH_MAX];
    int id, wanted = LDFLAGS;
    bool continuous = false;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0)
        if (id == CONTINUOUS)
            continuous = true;
        else
            wanted = id;
    size_t operands = parser.operand_count;
    option_finish(&parser);
    if (id == OPTION_HELP)
        return EXIT_DONE;
    if (id == OPTION_WRONG)
        return EXIT_USAGE;
    if (operands) {
        say_error("rt takes no operands (see 'anneal rt --help')");
        return EXIT_USAGE;
    }
    if (!rt_library(path)) {
        say_error("%s: the runtime is missing (install all of anneal: make install)", path);
        return EXIT_FAILED;
    }
    if (wanted == LIBRARY)
        printf("%s\n", path);
    else
        print_flags(path, continuous);
    return EXIT_DONE;
}

const struct command command_rt = {
    .name = "rt",
    .operands = "",
    .summary = "print how to link the runtime that merges profiles at exit",
    .description =
        "Prints the options that link an instrumented program with anneal's runtime in place of "
        "the compiler's. Objects stay as they are.\n\n"
        "With it, all processes of a program add to one file, however many run at once, and "
        "whatever happens to them: the file stays intact when a process is killed or the disk is "
        "full. ANNEAL_PROFILE_FILE or LLVM_PROFILE_FILE names clang's file; %p %h %t %b %m and "
        "%4m in it mean what they mean to LLVM. GCC's files have the names that the compiler "
        "gave them, with GCOV_PREFIX and GCOV_PREFIX_STRIP.\n\n"
        "A program that never ends, or that a signal ends, writes its profile if the environment "
        "says so: ANNEAL_DUMP_SIGNAL=USR2 names a signal that makes it write the profile and go "
        "on; ANNEAL_EXIT_SIGNAL=TERM names one that makes it write the profile and end.",
    .options = options,
    .rules = rules,
    .examples = "clang -O2 -fprofile-generate app.c -o app $(anneal rt --ldflags)\n"
                "    build a program that merges its profiles itself; gcc likewise\n"
                "LLVM_PROFILE_FILE=app.profraw ./app\n"
                "    add a run to app.profraw\n"
                "ANNEAL_EXIT_SIGNAL=TERM,INT ./server\n"
                "    keep the profile of a server when it is stopped\n"
                "anneal merge -o app.profdata app*.profraw\n"
                "    make a profile for the compiler\n",
    .see_also = "anneal-merge(1), clang(1)",
    .run = run,
};
