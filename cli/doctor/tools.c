/*
 * The tools that profiles are made for: which there are, and of which version. They are looked for
 * where a shell would, and where Debian's packages of LLVM keep theirs.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "doctor.h"

enum { MOST_MILLISECONDS = 10000 }; /* that a tool may take to tell its version */

/* ---- asking ---- */

/* Reads up to size - 1 bytes, until the end or the time is over. */
static void read_for_a_while(int file, char *text, size_t size)
{
    size_t used = 0;
    int64_t end = (int64_t)(an_clock_now() / 1000000) + MOST_MILLISECONDS;
    while (used + 1 < size) {
        struct pollfd wanted = {.fd = file, .events = POLLIN};
        int64_t left = end - (int64_t)(an_clock_now() / 1000000);
        int ready = left > 0 ? poll(&wanted, 1, (int)left) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        ssize_t got = ready > 0 ? read(file, text + used, size - 1 - used) : 0;
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    text[used] = '\0';
}

/* What PATH --version prints, or its beginning. */
static void ask_version(const char *path, char *text, size_t size)
{
    int ends[2];
    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR);
        if (dup2(nothing, STDIN_FILENO) >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0 &&
            dup2(nothing, STDERR_FILENO) >= 0)
            execl(path, path, "--version", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (child > 0) {
        read_for_a_while(ends[0], text, size);
        kill(child, SIGKILL); /* whatever it still does is not wanted */
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
}

/* The word behind "version". */
static void find_version(struct doctor_tool *tool)
{
    static const char sign[] = "version ";
    char text[1024];
    ask_version(tool->path, text, sizeof text);
    const char *at = strstr(text, sign);
    if (at)
        snprintf(tool->version, sizeof tool->version, "%.*s",
                 (int)strcspn(at + strlen(sign), " \t\n"), at + strlen(sign));
}

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
    find_version(tool);
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
