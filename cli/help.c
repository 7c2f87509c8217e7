/* The list of commands, man pages and shell completion, all made from the command tables. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <anneal/version.h>

#include "cli/core/command.h"
#include "cli/core/usage.h"

static const struct option_spec no_options[] = {{0}};

/* Text for roff: no line may begin with a dot or an apostrophe, and backslashes are doubled. */
static void roff(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool first = i == 0 || text[i - 1] == '\n';
        if (first && (text[i] == '.' || text[i] == '\''))
            printf("\\&");
        if (text[i] == '\\')
            printf("\\e");
        else if (text[i] == '-')
            printf("\\-");
        else
            putchar(text[i]);
    }
}

static void roff_text(const char *text)
{
    roff(text, strlen(text));
}

static void man_options(const struct command *command)
{
    printf(".SH OPTIONS\n");
    for (const struct option_spec *spec = command->options; spec->name; spec++) {
        if (!spec->help)
            continue;
        printf(".TP\n");
        if (spec->letter)
            printf("\\fB\\-%c\\fR, ", spec->letter);
        printf("\\fB\\-\\-");
        roff_text(spec->name);
        printf("\\fR");
        if (spec->argument) {
            printf("=\\fI");
            roff_text(spec->argument);
            printf("\\fR");
        }
        putchar('\n');
        roff_text(spec->help);
        putchar('\n');
    }
    printf(".TP\n%s\\fB\\-\\-help\\fR\nprint a summary of the options and exit\n",
           help_has_letter(command) ? "\\fB\\-h\\fR, " : "");
    if (help_of_response(command))
        printf(".TP\n@\\fIFILE\\fR\n%s\n", help_of_response(command));
}

static void man_examples(const char *examples)
{
    if (!examples[0])
        return;
    printf(".SH EXAMPLES\n.nf\n");
    roff_text(examples);
    printf(".fi\n");
}

static void man_group(const struct command_group *group)
{
    printf(".SS ");
    roff_text(group->title);
    putchar('\n');
    for (size_t i = 0; group->commands[i]; i++) {
        const struct command *command = group->commands[i];
        printf(group->in_one_line ? "%s\\fB\\%%anneal\\-" : "%s.TP\n\\fBanneal\\-",
               group->in_one_line && i ? ", " : "");
        roff_text(command->name);
        printf("\\fR(1)");
        if (!group->in_one_line) {
            putchar('\n');
            roff_text(command->summary);
            putchar('\n');
        }
    }
    if (group->in_one_line)
        putchar('\n');
}

static void man_commands(void)
{
    printf(".SH COMMANDS\n");
    for (const struct command_group *group = command_groups; group->title; group++)
        man_group(group);
}

/* What several commands share; each page has what is its own. */
struct entry {
    const char *name, *text;
};

static const struct entry environment[] = {
    {"ANNEAL_CC, ANNEAL_CXX", "the compilers that anneal cc and anneal c++ run when none is named"},
    {"ANNEAL_PROFILE_DIR", "where anneal cc, anneal c++ and anneal fdo keep profiles"},
    {"FDO_PASS",
     "the pass of anneal cc and anneal c++: 1 compiles for training, 2 uses the profile"},
    {"ANNEAL_WORKLOAD, ANNEAL_WORKLOAD_NUMBER, ANNEAL_RUN_NUMBER",
     "set by anneal train for each run of its command"},
    {"SLURM_ARRAY_TASK_ID, SLURM_PROCID, OMPI_COMM_WORLD_RANK, PMI_RANK and those that go with "
     "them",
     "how Slurm and MPI number a process: which runs anneal train --share=job makes"},
    {"ANNEAL_PROFILE_FILE, LLVM_PROFILE_FILE",
     "where programs with anneal's runtime write their profile; the first one counts. What a run "
     "finds there it adds to if ANNEAL_PROFILE_FILE or %m names it, and else replaces"},
    {"LLVM_VP_MAX_NUM_VALS_PER_SITE",
     "how many values of a site such programs keep while they run, up to 255"},
    {"GCOV_PREFIX, GCOV_PREFIX_STRIP", "the same for programs built by gcc, as for libgcov"},
    {"ANNEAL_DUMP_SIGNAL, ANNEAL_EXIT_SIGNAL",
     "signals at which such programs write their profile and go on, or end"},
    {"ANNEAL_PROFILE_PLAIN",
     "1: such programs, in a sandbox, write a profile each with few system calls"},
    {"NO_COLOR", "messages and reports on a terminal have no colours"},
    {"SOURCE_DATE_EPOCH", "the time that reports say they were made at, for reproducible builds"},
    {"TMPDIR", "where anneal train and anneal faults put temporary files"},
    {0},
};

static const struct entry files[] = {
    {"perf.data", "what anneal record writes unless --output names another file"},
    {".anneal", "the profiles of a project that anneal cc compiles, in its folder"},
    {0},
};

static void man_list(const char *heading, const struct entry *entries)
{
    printf(".SH %s\n", heading);
    for (; entries->name; entries++) {
        printf(".TP\n\\fB");
        roff_text(entries->name);
        printf("\\fR\n");
        roff_text(entries->text);
        putchar('\n');
    }
}

/* "anneal-merge" */
static void page_name(const struct command *command, char name[64])
{
    snprintf(name, 64, "%s%s%s", program_name, command->name[0] ? "-" : "", command->name);
}

static void man_title(const char *name)
{
    char title[64];
    size_t length = strlen(name);
    for (size_t i = 0; i <= length; i++)
        title[i] = (char)toupper((unsigned char)name[i]);
    printf(".TH ");
    roff_text(title);
    printf(" 1 \"\" \"anneal %s\" \"anneal manual\"\n", an_version());
}

void print_man(const struct command *command)
{
    bool whole = command->name[0] == '\0';
    char name[64];
    page_name(command, name);
    man_title(name);
    printf(".SH NAME\n%s \\- ", name);
    roff_text(command->summary);
    printf("\n.SH SYNOPSIS\n\\fB");
    roff_text(program_name);
    printf("%s%s\\fR [\\fIOPTION\\fR]... ", whole ? "" : " ", command->name);
    roff_text(command->operands);
    printf("\n.SH DESCRIPTION\n");
    for (const char *text = command->description; *text;) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        roff(text, length);
        text += length;
        while (*text == '\n')
            text++;
        printf(*text ? "\n.PP\n" : "\n");
    }
    if (whole)
        man_commands();
    if (command->options != no_options)
        man_options(command);
    man_examples(command->examples);
    if (whole) {
        man_list("ENVIRONMENT", environment);
        man_list("FILES", files);
    }
    printf(".SH EXIT STATUS\n");
    roff_text(command->exit_status ? command->exit_status
                                   : "0 for success, 1 for a failure, 2 for wrong usage.");
    putchar('\n');
    if (command->see_also[0]) {
        printf(".SH SEE ALSO\n");
        roff_text(command->see_also);
        putchar('\n');
    }
}

static void completion_options(const struct command *command)
{
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        if (spec->help)
            printf("--%s%s ", spec->name, spec->argument ? "=" : "");
    printf("--help");
}

/* Lines of a case of the shell: the words that an option takes. */
static void completion_words(const struct command *command)
{
    for (const struct option_spec *spec = command->options; spec->name; spec++) {
        const char *const *words = spec->help ? spec->value.words : NULL;
        if (!words)
            continue;
        printf("    '%s --%s') words='", command->name, spec->name);
        for (size_t i = 0; words[i]; i++)
            printf("%s%s", i ? " " : "", words[i]);
        printf("' ;;\n");
    }
}

/* bash takes "--method=lbr" for three words. */
void print_completion(void)
{
    const struct command *command;
    printf("# bash completion for anneal; made by 'anneal help --completion'\n"
           "_anneal()\n{\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=\n"
           "    local previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    if [ \"$current\" = = ]; then\n"
           "        current=\n"
           "    elif [ \"$previous\" = = ]; then\n"
           "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    fi\n"
           "    case \"$command $previous\" in\n");
    for (struct command_walk walk = {0}; (command = command_next(&walk));)
        completion_words(command);
    printf("    esac\n"
           "    if [ -n \"$words\" ]; then\n        :\n"
           "    elif [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"");
    for (struct command_walk walk = {0}; (command = command_next(&walk));)
        printf("%s ", command->name);
    printf("version --help --version\"\n    else\n        case $command in\n");
    for (struct command_walk walk = {0}; (command = command_next(&walk));) {
        printf("        %s) words=\"", command->name);
        completion_options(command);
        printf("\" ;;\n");
    }
    printf("        esac\n"
           "        case $current in\n"
           "        -*) ;;\n"
           "        *) words= ;;\n"
           "        esac\n    fi\n"
           "    # shellcheck disable=SC2207\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
           "}\n"
           "complete -o default -F _anneal anneal\n");
}

enum { MAN = 1, COMPLETION };

static const struct option_spec help_options[] = {
    {MAN, 0, "man", NULL, "print the man page in roff instead", TAKEN},
    {COMPLETION, 0, "completion", NULL, "print the bash completion script", TAKEN},
    {0},
};

static const struct option_rule help_rules[] = {
    {EXCLUDES, MAN, {COMPLETION}, {0}},
    {0},
};

/* The program as a whole, for its own man page. */
static const struct command whole = {
    .name = "",
    .operands = "COMMAND [ARGUMENT]...",
    .summary = "profile-guided optimization, from the training run to the running binary",
    .description =
        "anneal is a toolkit for execution profiles: it collects them, merges and shows them, "
        "and applies them. It reads and writes the instrumentation profiles of clang and gcc, "
        "coverage of gcc, recordings of branches (perf.data) and the profiles of BOLT. Each "
        "command has a manual page of its own.\n\n"
        "An option that takes a value takes one: a second value is refused, unless the option's "
        "description says that it may be repeated.\n\n"
        "Called by the name of llvm-profdata, gcov, gcov-tool, merge-fdata, merge-gcda or "
        "perf2bolt, "
        "as by a symbolic link, anneal takes the options of that tool and prints what it prints. "
        "Of an option "
        "that is given twice, the last value counts there, as in these tools.",
    .options = no_options,
    .examples = "anneal merge -o app.profdata profiles/\n"
                "    merge all raw profiles below profiles/ for clang -fprofile-use\n"
                "anneal show app.profdata\n"
                "    what is in it, and the hottest functions\n"
                "anneal record -p $(pidof server) -d 30s\n"
                "anneal aggregate -p perf.data -o server.fdata ./server\n"
                "    record the branches of a running process for llvm-bolt\n"
                "anneal live -p $(pidof server)\n"
                "    give a running process a new code layout\n"
                "anneal cov --html report build/\n"
                "    a report of which lines ran, to look at\n",
    .see_also = "llvm-profdata(1), gcov(1), gcov-tool(1), perf-record(1), clang(1), gcc(1)",
};

/* "Drop-in replacements: llvm-profdata, gcov, ..." */
static void print_names(const struct command_group *group)
{
    char line[512];
    size_t length = (size_t)snprintf(line, sizeof line, "%s:", group->title);
    for (size_t i = 0; group->commands[i]; i++)
        length += (size_t)snprintf(line + length, sizeof line - length, "%s %s", i ? "," : "",
                                   group->commands[i]->name);
    usage_wrap(line, 0, 0);
}

static void print_commands(void)
{
    printf("Usage: anneal COMMAND [ARGUMENT]...\n\n");
    usage_paragraphs("anneal is a toolkit for execution profiles.");
    for (const struct command_group *group = command_groups; group->title; group++) {
        putchar('\n');
        if (group->in_one_line) {
            print_names(group);
            continue;
        }
        printf("%s:\n", group->title);
        for (size_t i = 0; group->commands[i]; i++)
            printf("  %-10s %s\n", group->commands[i]->name, group->commands[i]->summary);
    }
    printf("\n'anneal help COMMAND' explains a command, 'anneal version' prints the version.\n");
}

static int answer(const struct option_parser *parser, bool man, bool completion)
{
    const char *topic = parser->operand_count ? parser->operands[0] : NULL;
    const struct command *about = topic ? command_find(topic) : NULL;
    if (parser->operand_count > 1 || (completion && topic)) {
        say_error("'%s': expected %s", parser->operands[completion ? 0 : 1],
                  completion ? "no command" : "one command");
        return EXIT_USAGE;
    }
    if (topic && !about) {
        command_unknown(topic);
        return EXIT_USAGE;
    }
    if (completion)
        print_completion();
    else if (man)
        print_man(about ? about : &whole);
    else if (about)
        print_help(about);
    else
        print_commands();
    return EXIT_DONE;
}

static int run_help(const struct command *command, int argc, char **argv)
{
    struct option_parser parser;
    const char *value;
    bool man = false, completion = false;
    int id, status = EXIT_USAGE;
    if (!option_start(&parser, command, argc, argv))
        return EXIT_FAILED;
    while ((id = option_next(&parser, &value)) > 0) {
        man = man || id == MAN;
        completion = completion || id == COMPLETION;
    }
    if (id == OPTION_HELP)
        status = EXIT_DONE;
    else if (id == OPTION_END)
        status = answer(&parser, man, completion);
    option_finish(&parser);
    return status;
}

const struct command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "explain a command",
    .description = "Prints the help of a command, or the list of commands.",
    .options = help_options,
    .rules = help_rules,
    .examples = "",
    .see_also = "anneal(1)",
    .run = run_help,
};
