/* anneal doctor for people: a line for each diagnostic, and below it what to do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/core/output.h"
#include "cli/core/usage.h"
#include "doctor.h"

enum { TEXT_COLUMN = 28 };

static bool use_colour(void)
{
    const char *no_colour = getenv("NO_COLOR");
    return isatty(fileno(stdout)) && !(no_colour && no_colour[0]);
}

static void print_diagnostic(const struct an_diagnostic *diagnostic)
{
    static const char *const colours[] = {
        [AN_IN_ORDER] = "\033[32m", [AN_LOSS] = "\033[33m", [AN_PROBLEM] = "\033[31m"};
    bool colour = use_colour();
    const char *level = an_level_name(diagnostic->level);
    printf("  %s%s%s%*s %-16s ", colour ? colours[diagnostic->level] : "", level,
           colour ? "\033[0m" : "", 8 - (int)strlen(level), "", diagnostic->about);
    usage_wrap(diagnostic->what, TEXT_COLUMN, TEXT_COLUMN);
    if (diagnostic->remedy[0]) {
        char text[sizeof diagnostic->remedy + 4];
        snprintf(text, sizeof text, "-> %s", diagnostic->remedy);
        printf("%*s", TEXT_COLUMN, "");
        usage_wrap(text, TEXT_COLUMN, TEXT_COLUMN);
    }
}

/* Findings from some level on, under a title; false when there are none. */
static bool print_section(const char *title, const struct an_diagnostics *diagnostics,
                          enum an_level least)
{
    static bool any;
    if (an_diagnostics_worst(diagnostics) < least)
        return false;
    printf("%s%s\n", any ? "\n" : "", as_plain(title));
    any = true;
    for (size_t i = 0; i < diagnostics->count; i++)
        if (diagnostics->items[i].level >= least)
            print_diagnostic(&diagnostics->items[i]);
    return true;
}

/* How to go on with a binary that may be recorded. */
static void print_next(const struct doctor_report *report, const struct doctor_binary *binary)
{
    enum an_elf_kind kind = binary->fitness.traits.kind;
    bool is_program = kind == AN_ELF_FIXED || kind == AN_ELF_PIE;
    if (binary->is_running &&
        an_target_process_method(&report->process, &report->machine) != AN_RECORD_AUTO)
        printf(". Next: anneal record -p %d", report->process.pid);
    else if (!binary->is_running && is_program && report->machine.method != AN_RECORD_AUTO)
        printf(". Next: anneal record -- %s%s ...", strchr(binary->name, '/') ? "" : "./",
               as_plain(binary->name));
}

static void print_verdict(const struct doctor_report *report, const struct doctor_binary *binary)
{
    const struct an_fitness *fitness = &binary->fitness;
    static const char *const verdicts[] = {
        [AN_IN_ORDER] = "fit", [AN_LOSS] = "fit, with limitations", [AN_PROBLEM] = "not fit"};
    static const char *const callers[] = {
        [AN_COMPILER_UNKNOWN] = "the compiler",
        [AN_COMPILER_GCC] = "gcc",
        [AN_COMPILER_CLANG] = "clang",
        [AN_COMPILER_RUST] = "rustc",
    };
    enum an_level worst = an_diagnostics_worst(&fitness->diagnostics);
    printf("  => %s", verdicts[worst]);
    if (fitness->flags[0])
        printf(". Rebuild it with these options for %s:\n       %s",
               callers[fitness->traits.compiler], fitness->flags);
    else if (worst < AN_PROBLEM)
        print_next(report, binary);
    putchar('\n');
}

void doctor_print_text(const struct doctor_report *report)
{
    enum an_level problems = report->quiet ? AN_PROBLEM : AN_IN_ORDER;
    enum an_level failures = report->quiet && report->strict ? AN_LOSS : problems;
    print_section("This machine", &report->machine_diagnostics, problems);
    print_section("Tools", &report->tool_diagnostics, problems);
    if (report->has_process) {
        char title[32];
        snprintf(title, sizeof title, "Process %d", report->process.pid);
        print_section(title, &report->process_diagnostics, failures);
    }
    for (size_t i = 0; i < report->binary_count; i++) {
        const struct doctor_binary *binary = &report->binaries[i];
        if (print_section(binary->name, &binary->fitness.diagnostics, failures))
            print_verdict(report, binary);
    }
}
