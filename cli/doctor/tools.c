/*
 * The tools that profiles are made for: which there are, and of which version. They are looked for
 * where a shell would, and where Debian's packages of LLVM keep theirs.
 */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/core/ask_version.h"
#include "doctor.h"

/* ---- looking ---- */

static bool is_known(const struct doctor_tools *tools, const struct stat *info)
{
    struct stat other;
    for (size_t i = 0; i < tools->count; i++)
        if (stat(tools->items[i].path, &other) == 0 && other.st_dev == info->st_dev &&
            other.st_ino == info->st_ino)
            return true;
    return false;
}

static void take(struct doctor_tools *tools, const char *name, const char *path)
{
    struct stat info;
    if (tools->count == DOCTOR_MOST_TOOLS || strlen(path) >= sizeof tools->items[0].path ||
        stat(path, &info) != 0 || !S_ISREG(info.st_mode) || access(path, X_OK) != 0 ||
        is_known(tools, &info))
        return;
    struct doctor_tool *tool = &tools->items[tools->count++];
    tool->name = name;
    snprintf(tool->path, sizeof tool->path, "%s", path);
    ask_version_number(tool->path, tool->version, sizeof tool->version);
}

static void take_all(struct doctor_tools *tools, const char *name, const char *pattern)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        take(tools, name, found.gl_pathv[i]);
    globfree(&found);
}

static void search_path(struct doctor_tools *tools, const char *name, const char *pattern)
{
    const char *path = getenv("PATH");
    for (const char *folder = path ? path : ""; *folder;) {
        char here[PATH_MAX];
        size_t length = strcspn(folder, ":");
        int size = snprintf(here, sizeof here, "%.*s/%s", (int)length, folder, pattern);
        if (length && size < (int)sizeof here)
            take_all(tools, name, here);
        folder += length + (folder[length] == ':');
    }
}

void doctor_find_tools(struct doctor_tools *tools)
{
    *tools = (struct doctor_tools){0};
    search_path(tools, "llvm-bolt", "llvm-bolt");
    search_path(tools, "llvm-bolt", "llvm-bolt-[0-9]*");
    take_all(tools, "llvm-bolt", "/usr/lib/llvm-*/bin/llvm-bolt");
    search_path(tools, "perf", "perf");
}

/* ---- judging ---- */

static bool has(const struct doctor_tools *tools, const char *name)
{
    for (size_t i = 0; i < tools->count; i++)
        if (strcmp(tools->items[i].name, name) == 0)
            return true;
    return false;
}

void doctor_judge_tools(const struct doctor_tools *tools, struct an_diagnostics *diagnostics)
{
    for (size_t i = 0; i < tools->count; i++) {
        const struct doctor_tool *tool = &tools->items[i];
        if (tool->version[0])
            an_diagnostics_add(diagnostics, tool->name, AN_IN_ORDER, "%s, %.150s", tool->version,
                               tool->path);
        else
            an_diagnostics_add(diagnostics, tool->name, AN_LOSS,
                               "%.150s does not print its version", tool->path);
    }
    if (!has(tools, "llvm-bolt")) {
        struct an_diagnostic *diagnostic = an_diagnostics_add(
            diagnostics, "llvm-bolt", AN_LOSS,
            "neither in PATH nor below /usr/lib/llvm-*; required for new layouts");
        an_diagnostic_remedy(diagnostic,
                             "install LLVM's BOLT (Debian 12: apt-get install bolt-19)");
    }
    if (!has(tools, "perf"))
        an_diagnostics_add(diagnostics, "perf", AN_IN_ORDER, "not installed, and not required");
}
