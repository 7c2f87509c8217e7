/* anneal rt: how to link the runtime into a program that is to be profiled. */
#include <limits.h>
#include <stdio.h>

#include "command.h"
#include "rt_library.h"

enum { LDFLAGS = 1, LIBRARY, CONTINUOUS };

static const struct option_spec options[] = {
    {LDFLAGS, 0, "ldflags", NULL, "print what the link command needs (the default)"},
    {LIBRARY, 0, "library", NULL, "print the path of the library"},
    {CONTINUOUS, 0, "continuous", NULL, "with what counting in a file (%c) needs; for clang"},
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
        say_error("rt takes no operands (see anneal rt --help)");
        return EXIT_USAGE;
    }
    if (!rt_library(path)) {
        say_error("%s: the runtime is not there (install anneal whole: make install)", path);
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
    .summary = "tell how to link the runtime that merges profiles as programs end",
    .description =
        "Prints what the command that links an instrumented program has to have in addition, so "
        "that the "
        "program has anneal's runtime in place of the compiler's. Objects stay as they are.\n\n"
        "With it, all processes of a program add to one file, however many there are at once, and "
        "whatever happens to them: what is in the file stays whole when a process is killed or the "
        "disk is "
        "full. clang's file is called as ANNEAL_PROFILE_FILE or LLVM_PROFILE_FILE say; %p %h %t %b "
        "%m "
        "and %4m in it mean what they mean to LLVM. GCC's files are called as the compiler said, "
        "with GCOV_PREFIX and GCOV_PREFIX_STRIP.\n\n"
        "A program that never ends, or by a signal, leaves its profile when the environment says "
        "so: "
        "ANNEAL_DUMP_SIGNAL=USR2 names a signal that has the profile written, and the program goes "
        "on; ANNEAL_EXIT_SIGNAL=TERM one that has it written before it ends the program.",
    .options = options,
    .examples = "clang -O2 -fprofile-generate app.c -o app $(anneal rt --ldflags)\n"
                "    a program that merges its profiles itself; gcc likewise\n"
                "LLVM_PROFILE_FILE=app.profraw ./app\n"
                "    adds a run to app.profraw\n"
                "ANNEAL_EXIT_SIGNAL=TERM,INT ./server\n"
                "    keeps the profile of a server that is stopped\n"
                "anneal merge -o app.profdata app*.profraw\n"
                "    makes a profile for the compiler of it\n",
    .see_also = "anneal-merge(1), clang(1)",
    .run = run,
};
