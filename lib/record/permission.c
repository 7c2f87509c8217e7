/* Asking for permission; see permission.h. */
#include "record/permission.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/proc.h"

/* Opening it takes the same right as ptrace does (ptrace(2), access mode checking). */
static int try_memory(int32_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno;
    close(file);
    return 0;
}

/* Who traces it already; 0: nobody. */
static int32_t tracer_of(int32_t pid)
{
    struct an_buffer text;
    if (!an_proc_text(pid, "status", &text))
        return 0;
    const char *at = strstr((const char *)text.data, "\nTracerPid:");
    int32_t tracer = at ? (int32_t)strtol(at + strlen("\nTracerPid:"), NULL, 10) : 0;
    an_buffer_free(&text);
    return tracer;
}

/* The class of the program's file; ELFCLASSNONE when it cannot be told. */
static int class_of(int32_t pid)
{
    char path[64];
    unsigned char ident[EI_NIDENT] = {0};
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return ELFCLASSNONE;
    ssize_t size = read(file, ident, sizeof ident);
    close(file);
    return size == sizeof ident && memcmp(ident, ELFMAG, SELFMAG) == 0 ? ident[EI_CLASS]
                                                                       : ELFCLASSNONE;
}

static enum an_code refuse(int32_t pid, int why, struct an_error *error)
{
    if (why == ENOENT || why == ESRCH) {
        an_fail(error, AN_USAGE, "there is no process %d", pid);
        return an_error_hint(error, "it may have ended; pgrep finds processes by name");
    }
    an_fail(error, AN_SYSTEM, "process %d may not be traced: %s", pid, strerror(why));
    return an_error_hint(error,
                         "run anneal as the user that the process belongs to, or as root; "
                         "'anneal doctor -p %d' tells more",
                         pid);
}

enum an_code an_permission_check(int32_t pid, struct an_error *error)
{
    int why = try_memory(pid);
    int32_t tracer = tracer_of(pid);
    if (why)
        return refuse(pid, why, error);
    if (tracer) {
        an_fail(error, AN_SYSTEM, "process %d is traced already, by process %d", pid, tracer);
        return an_error_hint(error, "a process has one debugger at a time: end that one");
    }
    if (class_of(pid) == ELFCLASS32)
        return an_fail(error, AN_UNSUPPORTED, "process %d runs 32-bit code", pid);
    return AN_OK;
}
