/* Finds the command by the first argument, or the personality by the program's name. */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <anneal/version.h>

#include "base/file.h"
#include "cli/cc/cc.h"
#include "cli/core/command.h"
#include "cli/core/memory.h"
#include "cli/core/response.h"
#include "cli/core/suggest.h"

/* In the order in which they are used, from the training run to the running process. */
static const struct command_group groups[] = {
    {.title = "Collect profiles",
     .commands = {&command_record, &command_train, &command_rt, &command_cc, &command_cxx,
                  &command_dump, &command_peek, &command_extract, &command_collect}},
    {.title = "Merge and look",
     .commands = {&command_merge, &command_show, &command_diff, &command_convert, &command_cov,
                  &command_fdo, &command_fleet}},
    {.title = "Branch profiles and BOLT",
     .commands = {&command_aggregate, &command_translate, &command_bat, &command_doctor}},
    {.title = "Lay out and apply",
     .commands = {&command_order, &command_faults, &command_live, &command_worth}},
    {.title = "Drop-in replacements",
     .in_one_line = true,
     .commands = {&command_llvm_profdata, &command_gcov, &command_gcov_tool, &command_merge_gcda,
                  &command_merge_fdata, &command_perf2bolt}},
    {.commands = {&command_help}},
    {.title = NULL},
};

/* Programs whose place anneal takes when it is called by their name. */
static const struct {
    const char *name;
    const struct command *command;
} personalities[] = {
    {"llvm-profdata", &command_llvm_profdata},
    {"perf2bolt", &command_perf2bolt},
    {"merge-fdata", &command_merge_fdata},
    {"merge-gcda", &command_merge_gcda},
    {"gcov-tool", &command_gcov_tool},
    {"gcov", &command_gcov},
    {"anneal-cc", &command_cc},
    {"anneal-c++", &command_cxx},
};

/* Without the version of a name such as gcov-12 or gcov-4.9.2. */
static size_t length_without_version(const char *name)
{
    size_t length = strlen(name);
    const char *dash = strrchr(name, '-');
    if (dash && isdigit((unsigned char)dash[1]) &&
        dash[1 + strspn(dash + 1, "0123456789.")] == '\0')
        length = (size_t)(dash - name);
    return length;
}

/*
 * llvm-profdata, also llvm-profdata-19, and mips64-linux-gnuabi64-gcov-12: cross tools have the target in front.
 * gcov-dump is not gcov.
 */
static const struct command *personality(const char *name)
{
    size_t length = length_without_version(name);
    for (size_t i = 0; i < sizeof personalities / sizeof *personalities; i++) {
        size_t own = strlen(personalities[i].name);
        if (own > length || strncmp(name + length - own, personalities[i].name, own) != 0)
            continue;
        if (own == length || name[length - own - 1] == '-')
            return personalities[i].command;
    }
    return NULL;
}

/* A full disk shows when the last of stdout is written. */
static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    say_error("cannot write to standard output");
    return EXIT_FAILED;
}

static int print_version(int operands)
{
    if (operands) {
        say_error("version takes no operands");
        return EXIT_USAGE;
    }
    printf("anneal %s\n", an_version());
    return EXIT_DONE;
}

/*
 * anneal alone prints the help where it can be paged, on stdout, as git does; but its status is that of wrong
 * usage, so that no script takes a line for done in which the command was lost.
 */
static int run_nothing(char **argv)
{
    int status = command_help.run(&command_help, 1, argv);
    return status == EXIT_DONE ? EXIT_USAGE : status;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct response line;
    int status = EXIT_FAILED;
    command_run = command;
    if (response_expand(&line, command, argc, argv))
        status = command->run(command, (int)line.count, line.items);
    response_free(&line);
    return status;
}

static int run(int argc, char **argv)
{
    static const char *const help[] = {"--help", "-h", NULL};
    static const char *const version[] = {"--version", "-V", "version", NULL};
    if (argc < 2)
        return run_nothing(argv);
    if (suggest_has(argv[1], help))
        return command_help.run(&command_help, argc - 1, argv + 1);
    if (suggest_has(argv[1], version))
        return print_version(argc - 2);
    const struct command *command = command_find(argv[1]);
    if (command)
        return run_command(command, argc - 1, argv + 1);
    if (cc_is_compiler(argc - 1, argv + 1)) /* its name says which language it is for */
        return run_command(&command_cc, argc, argv);
    command_unknown(argv[1]);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    command_groups = groups;
    memory_keep();
    signal(SIGPIPE, SIG_DFL);
    const struct command *command = argc ? personality(an_file_name(argv[0])) : NULL;
    if (!command)
        return finish(run(argc, argv));
    program_name = an_file_name(argv[0]);
    command_is_program = true;
    return finish(run_command(command, argc, argv));
}
