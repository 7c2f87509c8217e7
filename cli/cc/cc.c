/* anneal cc and anneal c++: chooses what the compiler's command line is in this pass of the build. */
#include "cc.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/output.h"

static const struct option_spec options[] = {{0}};

/*
 * configure and its kind try the compiler with little programs, of which nothing is to be kept. The cc crate takes an
 * option for a wrong one if there is a word on stderr.
 */
static bool is_trial(const struct cc *cc)
{
    static const char *const names[] = {"conftest.",           "CMakeFiles/CMakeScratch",
                                        "CMakeFiles/CMakeTmp", "/CompilerIdC",
                                        "meson-private",       "flag_check."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strstr(cc->folder, names[i]))
            return true;
        for (size_t k = 0; k < cc->count; k++)
            if (strstr(cc->words[k], names[i]))
                return true;
    }
    return false;
}

static int pass_of(const char *text)
{
    if (!text || !*text || strcmp(text, "0") == 0)
        return 0;
    if (strcmp(text, "1") == 0 || strcmp(text, "2") == 0)
        return text[0] - '0';
    say_error("FDO_PASS=%s: expected 1 (compile for training) or 2 (use its profile)", text);
    return -1;
}

/*
 * What stands alone on this machine, a kernel or a loader, has no files for profiles; what does on a board has a
 * runtime of its own for them (docs/guides/boards.md).
 */
static bool is_left_alone(const struct cc *cc)
{
    return cc->arguments.job == AN_FDO_NOTHING || cc->family == CC_UNKNOWN ||
           (cc->is_native && cc->arguments.is_alone) || is_trial(cc);
}

/* In a pass; else the compiler takes our place. */
static int compile(struct cc *cc, int pass)
{
    struct an_error error = {0};
    if (!an_fdo_arguments_read(&cc->arguments, cc->count, cc->words) ||
        !an_fdo_folder(cc->folder)) {
        say_error("out of memory, or folders nested too deeply");
        return EXIT_FAILED;
    }
    cc_compiler_recognise(cc);
    if (is_left_alone(cc))
        return cc_become(cc, NULL, NULL);
    if (an_fdo_store_find(&cc->store, cc->folder, &error) != AN_OK) {
        report_error(&error);
        return EXIT_FAILED;
    }
    return pass == 1 ? cc_train(cc) : cc_use(cc);
}

static int run_compiler(struct cc *cc, const char *variable, const char *usual)
{
    if (!cc_compiler_choose(cc, variable, usual))
        return EXIT_USAGE;
    int pass = pass_of(getenv("FDO_PASS"));
    if (pass < 0)
        return EXIT_USAGE;
    return pass ? compile(cc, pass) : cc_become(cc, NULL, NULL);
}

static int run_as(const struct command *command, int argc, char **argv, const char *variable,
                  const char *usual)
{
    struct cc cc = {.count = argc > 0 ? (size_t)argc - 1 : 0, .words = argv + 1};
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help(command);
        return EXIT_DONE;
    }
    int status = run_compiler(&cc, variable, usual);
    an_fdo_arguments_free(&cc.arguments);
    an_vector_free(&cc.compiler);
    free(cc.text);
    return status;
}

static int run_cc(const struct command *command, int argc, char **argv)
{
    return run_as(command, argc, argv, "ANNEAL_CC", "cc");
}

static int run_cxx(const struct command *command, int argc, char **argv)
{
    return run_as(command, argc, argv, "ANNEAL_CXX", "c++");
}

#define DESCRIPTION(language, variable)                                                            \
    "Takes the place of the " language " compiler in a build, with any build system, to compile "  \
    "the program twice: first for training, then with the profile. Without FDO_PASS in the "       \
    "environment it only calls the compiler.\n\n"                                                  \
    "FDO_PASS=1 compiles with instrumentation and links anneal's runtime, so that all processes "  \
    "add to one profile. Then run the program as its users do (anneal train does so with many "    \
    "inputs). FDO_PASS=2 merges what training left and compiles each file with it. After each "    \
    "link, a line says how many files had a profile; anneal fdo has the details: which files "     \
    "were never linked or never ran, and which functions have changed since training.\n\n"         \
    "The compiler is " variable ", which may include options and a launcher (\"ccache gcc-12\"); " \
    "or the first word, if that is a program. It must be GCC 11 or later, or clang 13 or later. "  \
    "Commands that neither compile nor link (-E, -M, --version...), assembly, freestanding "       \
    "programs (-ffreestanding, -nostdlib) and the checks of configure, CMake and Meson are "       \
    "passed on unchanged.\n\n"                                                                     \
    "Profiles are kept in .anneal in the outermost folder of the build, or in "                    \
    "ANNEAL_PROFILE_DIR; make clean does not remove them."

#define COMPILERS_STATUS                                                                           \
    "That of the compiler; 127 if it cannot be run, 1 if a profile cannot be made of what the "    \
    "training left, 2 for a wrong FDO_PASS."

const struct command command_cc = {
    .name = "cc",
    .operands = "[COMPILER] ARGUMENT...",
    .summary = "wrap a C compiler for two-pass PGO",
    .description = DESCRIPTION("C", "ANNEAL_CC"),
    .options = options,
    .examples = "make CC=\"anneal cc\" FDO_PASS=1\n"
                "    build the project for training\n"
                "./app training-input\n"
                "    train\n"
                "make clean; make CC=\"anneal cc\" FDO_PASS=2\n"
                "    build it with the profile\n"
                "CC=\"anneal cc clang-19\" cmake -B build; FDO_PASS=1 cmake --build build\n"
                "    train with CMake and clang\n",
    .see_also = "anneal-fdo(1), anneal-train(1), anneal-rt(1), gcc(1), clang(1)",
    .exit_status = COMPILERS_STATUS,
    .run = run_cc,
    .runs_command = true,
};

const struct command command_cxx = {
    .name = "c++",
    .operands = "[COMPILER] ARGUMENT...",
    .summary = "wrap a C++ compiler for two-pass PGO",
    .description = DESCRIPTION("C++", "ANNEAL_CXX"),
    .options = options,
    .examples = "make CC=\"anneal cc\" CXX=\"anneal c++\" FDO_PASS=1\n"
                "    build a project in both languages for training\n",
    .see_also = "anneal-cc(1)",
    .exit_status = COMPILERS_STATUS,
    .run = run_cxx,
    .runs_command = true,
};
