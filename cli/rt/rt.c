/* anneal rt: how to link the runtime into a program that is to be profiled. */
#include <limits.h>
#include <stdio.h>

#include "cli/core/command.h"
#include "cli/core/llvm_release.h"
#include "library.h"

enum { LDFLAGS = 1, LIBRARY, CONTINUOUS, FOR, BOARD };

struct rt_request {
    bool ldflags; /* what is printed anyway */
    bool library, continuous, board;
    const char *compiler; /* NULL: any */
};

static const struct option_spec options[] = {
    {LDFLAGS, 0, "ldflags", NULL, "print the options for the link command (default)",
     VALUE_OF(struct rt_request, ldflags)},
    {LIBRARY, 0, "library", NULL, "print the path of the library",
     VALUE_OF(struct rt_request, library)},
    {CONTINUOUS, 0, "continuous", NULL, "include options for counting in a file (%c), with clang",
     VALUE_OF(struct rt_request, continuous)},
    {FOR, 0, "for", "COMPILER",
     "have profiles that do not tell their LLVM release, for they have no records of functions "
     "(-profile-correlate), be of this compiler's: clang-17, clang-23, or the name or path of a "
     "program, which is asked with --version",
     VALUE_OF(struct rt_request, compiler)},
    {BOARD, 0, "board", NULL,
     "print the folder of the runtime for boards without an operating system: a Makefile, a CMake "
     "toolchain, sources",
     VALUE_OF(struct rt_request, board)},
    {0},
};

static const struct option_rule rules[] = {
    {ALONE, LIBRARY, {0}, {0}},
    {ALONE, BOARD, {0}, {0}},
    {0},
};

/* The raw version of a release (runtime/core/llvm_module.h); the first that had -profile-correlate wrote 8. */
static unsigned raw_version_of(unsigned release)
{
    return release >= 23 ? 11 : release >= 19 ? 10 : release == 18 ? 9 : 8;
}

/* release: 0: any */
static void print_flags(const char *library, bool continuous, unsigned release)
{
    char script[PATH_MAX];
    printf("-Wl");
    for (size_t i = 0; rt_wrapped[i]; i++)
        printf(",--wrap=%s", rt_wrapped[i]);
    if (continuous && rt_script(library, script))
        printf(" -Wl,-T,%s", script);
    if (release)
        printf(" -Wl,--defsym=__anneal_rt_raw_version=__anneal_rt_raw_%u", raw_version_of(release));
    printf(" -Wl,--whole-archive %s -Wl,--no-whole-archive\n", library);
}

static int act(void *values, const struct option_parser *parser)
{
    const struct rt_request *request = values;
    char path[PATH_MAX];
    unsigned release = 0;
    if (parser->operand_count) {
        say_error("rt takes no operands (see 'anneal rt --help')");
        return EXIT_USAGE;
    }
    if (request->compiler && !llvm_release_of("for", request->compiler, &release))
        return EXIT_USAGE;
    if (request->board ? !rt_board(path) : !rt_library(path)) {
        say_error("%s: the runtime is missing (install all of anneal: make install)", path);
        return EXIT_FAILED;
    }
    if (request->library || request->board)
        printf("%s\n", path);
    else
        print_flags(path, request->continuous, release);
    return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct rt_request request = {0};
    return option_run(command, argc, argv, &request, NULL, act);
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
        "full. ANNEAL_PROFILE_FILE names clang's file. LLVM_PROFILE_FILE does, too, as LLVM "
        "documents it: without %m, a run replaces the file. %p %h %t %b %m and "
        "%4m in both mean what they mean to LLVM. GCC's files have the names that the compiler "
        "gave them, with GCOV_PREFIX and GCOV_PREFIX_STRIP.\n\n"
        "A program that never ends, or that a signal ends, writes its profile if the environment "
        "says so: ANNEAL_DUMP_SIGNAL=USR2 names a signal that makes it write the profile and go "
        "on; ANNEAL_EXIT_SIGNAL=TERM names one that makes it write the profile and end.",
    .options = options,
    .rules = rules,
    .examples = "clang -O2 -fprofile-generate app.c -o app $(anneal rt --ldflags)\n"
                "    build a program that merges its profiles itself; gcc likewise\n"
                "ANNEAL_PROFILE_FILE=app.profraw ./app\n"
                "    add a run to app.profraw\n"
                "ANNEAL_EXIT_SIGNAL=TERM,INT ./server\n"
                "    keep the profile of a server when it is stopped\n"
                "make -f \"$(anneal rt --board)/Makefile\" BOARD=cortex-m3-mps2 SRCS=main.c run\n"
                "    build a program for a board, and start it in QEMU\n"
                "anneal merge -o app.profdata app*.profraw\n"
                "    make a profile for the compiler\n",
    .see_also = "anneal-merge(1), clang(1)",
    .run = run,
};
