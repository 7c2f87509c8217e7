/* anneal doctor: what a machine offers, and whether binaries and a process are fit for what comes. */
#include "doctor.h"

#include <stdio.h>
#include <stdlib.h>

#include "branch/return_tables.h"
#include "cli/core/output.h"
#include "live/label_share.h"

enum { PROCESS = 1, PROFILE, STRICT, JSON, QUIET };

static const struct option_spec options[] = {
    {PROCESS, 'p', "pid", "PID", "also check this process and the binary that it runs",
     NUMBER_OF(struct doctor_report, pid, 0, INT32_MAX)},
    {PROFILE, 0, "profile", "FILE",
     "say how much of this profile (fdata) functions have that llvm-bolt may not move",
     VALUE_OF(struct doctor_report, profile)},
    {STRICT, 0, "strict", NULL, "also fail on warnings about a binary or the process",
     VALUE_OF(struct doctor_report, strict)},
    JSON_ROWS(JSON, "print JSON", VALUE_OF(struct doctor_report, json)),
    {QUIET, 'q', "quiet", NULL, "print problems only", VALUE_OF(struct doctor_report, quiet)},
    {0},
};

static const struct option_rule rules[] = {
    {EXCLUDES, JSON, {QUIET}, {0}},
    {0},
};

/* A file that cannot be judged is a diagnostic about it, like all others. Tables in data matter where code could be
 * moved, unless something was said already about a runtime that has them. */
static void judge_binary(struct doctor_binary *binary)
{
    struct an_error error;
    struct an_fitness *fitness = &binary->fitness;
    enum an_code code = an_fitness_judge(binary->path, fitness, &error);
    if (code == AN_OK && an_fitness_lets_move(fitness) &&
        fitness->traits.runtime == AN_RUNTIME_NONE)
        code = an_return_tables_judge(binary->path, &fitness->diagnostics, &error);
    if (code == AN_OK)
        return;
    binary->fitness = (struct an_fitness){0};
    struct an_diagnostic *diagnostic =
        an_diagnostics_add(&binary->fitness.diagnostics, "file", AN_PROBLEM, "%s", error.what);
    an_diagnostic_remedy(diagnostic, "%s", error.hint);
}

/* What functions with computed gotos have of the profile is what a new layout does without if they stay. */
static void judge_profile(struct doctor_binary *binary, const char *profile)
{
    const double little = 0.01;
    const struct an_elf_traits *traits = &binary->fitness.traits;
    struct an_diagnostics *diagnostics = &binary->fitness.diagnostics;
    struct an_error error;
    double share;
    if (an_label_share(traits->computed_goto_names, profile, &share, &error) != AN_OK) {
        an_diagnostics_add(diagnostics, "profile", AN_PROBLEM, "%s: %s", profile, error.what);
        return;
    }
    if (traits->computed_gotos == 0)
        an_diagnostics_add(diagnostics, "profile", AN_IN_ORDER,
                           "no function has computed gotos, which could keep it where it is");
    else
        an_diagnostics_add(diagnostics, "profile", share < little ? AN_IN_ORDER : AN_LOSS,
                           "%s %s %.1f%% of it, which gain nothing where %s not moved",
                           traits->computed_goto_names,
                           traits->computed_gotos == 1 ? "has" : "have", 100 * share,
                           traits->computed_gotos == 1 ? "it is" : "they are");
}

static void judge_process(struct doctor_report *report, int32_t pid)
{
    report->has_process = true;
    an_target_process_look(pid, &report->process);
    an_target_process_judge(&report->process, &report->machine, &report->process_diagnostics);
}

static void examine(struct doctor_report *report, const struct option_parser *parser)
{
    an_machine_look(&report->machine);
    an_machine_judge(&report->machine, &report->machine_diagnostics);
    doctor_find_tools(&report->tools);
    doctor_judge_tools(&report->tools, &report->tool_diagnostics);
    if (report->pid >= 0)
        judge_process(report, report->pid);
    if (report->process.binary[0]) { /* the file that runs, even if another has its name now */
        snprintf(report->running, sizeof report->running, "/proc/%d/exe", report->process.living);
        report->binaries[report->binary_count++] =
            (struct doctor_binary){report->running, report->process.binary, .is_running = true};
    }
    for (size_t i = 0; i < parser->operand_count; i++)
        report->binaries[report->binary_count++] =
            (struct doctor_binary){parser->operands[i], parser->operands[i], .is_running = false};
    for (size_t i = 0; i < report->binary_count; i++)
        judge_binary(&report->binaries[i]);
    for (size_t i = 0; report->profile && i < report->binary_count; i++)
        if (report->binaries[i].fitness.is_known)
            judge_profile(&report->binaries[i], report->profile);
}

static int act(void *values, const struct option_parser *parser)
{
    struct doctor_report *report = values;
    report->binaries = calloc(parser->operand_count + 1, sizeof *report->binaries);
    if (!report->binaries) {
        say_error("out of memory");
        return EXIT_FAILED;
    }
    examine(report, parser);
    (report->json ? doctor_print_json : doctor_print_text)(report);
    int status = doctor_all_fit(report) ? EXIT_DONE : EXIT_FAILED;
    free(report->binaries);
    return status;
}

static int run(const struct command *command, int argc, char **argv)
{
    static struct doctor_report report;
    report = (struct doctor_report){.pid = -1};
    return option_run(command, argc, argv, &report, NULL, act);
}

const struct command command_doctor = {
    .name = "doctor",
    .operands = "[BINARY]...",
    .summary = "check the machine for recording, and binaries for llvm-bolt",
    .description =
        "Shows how this user can record programs on this machine, which tools are installed, and "
        "whether binaries were built so that llvm-bolt can give them a new layout; if not, which "
        "compiler options are missing. Permissions are tested on a child process of anneal. A "
        "process named with -p is only looked at, never stopped.\n\n"
        "A warning means a loss: llvm-bolt can do less, or recordings are less reliable. A "
        "problem means that something does not work.\n\n"
        "The exit status is 1 if a binary or the process has a problem, and 0 otherwise. What "
        "the machine lacks does not count.",
    .options = options,
    .rules = rules,
    .examples = "anneal doctor\n"
                "    check this machine and its tools\n"
                "anneal doctor ./server\n"
                "    check this binary, too\n"
                "anneal doctor -p $(pidof server)\n"
                "    check whether this process can be recorded, and its binary\n"
                "anneal doctor -q --strict ./server || exit 1\n"
                "    stop a script unless all is well\n"
                "anneal doctor --json ./server | jq -r '.binaries[0].flags'\n"
                "    print the compiler options that are missing\n",
    .see_also = "anneal-aggregate(1), anneal-bat(1), ptrace(2), perf_event_open(2)",
    .run = run,
};
