/* What the parts of "anneal doctor" share. */
#ifndef AN_CLI_DOCTOR_DOCTOR_H
#define AN_CLI_DOCTOR_DOCTOR_H

#include "cli/core/command.h"
#include "elf/fitness.h"
#include "record/target_process.h"

enum { DOCTOR_MOST_TOOLS = 12 };

struct doctor_tools {
    struct doctor_tool {
        const char *name; /* "llvm-bolt", "perf" */
        char path[512];
        char version[48]; /* "" when it does not say */
    } items[DOCTOR_MOST_TOOLS];
    size_t count;
};

struct doctor_binary {
    const char *path; /* to open it by */
    const char *name; /* to speak of it by */
    bool is_running;  /* by the process */
    struct an_fitness fitness;
};

struct doctor_report {
    int32_t pid;         /* that is to be checked; -1: none */
    const char *profile; /* fdata, or NULL */
    bool strict, json, quiet;
    struct an_machine machine;
    struct an_diagnostics machine_diagnostics;
    struct doctor_tools tools;
    struct an_diagnostics tool_diagnostics;
    bool has_process;
    struct an_target_process process;
    char running[32]; /* a path to the binary that it runs */
    struct an_diagnostics process_diagnostics;
    struct doctor_binary *binaries;
    size_t binary_count;
};

/* Looks for llvm-bolt and perf, and asks each for its version. */
void doctor_find_tools(struct doctor_tools *tools);
void doctor_judge_tools(const struct doctor_tools *tools, struct an_diagnostics *diagnostics);

/* Whether diagnostics about a binary or a process let the command succeed. */
bool doctor_is_fit(const struct doctor_report *report, const struct an_diagnostics *diagnostics);

/* Whether all binaries and the process are. */
bool doctor_all_fit(const struct doctor_report *report);

/* Print the report on stdout. */
void doctor_print_text(const struct doctor_report *report);
void doctor_print_json(const struct doctor_report *report);

#endif
