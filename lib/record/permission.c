/* Asking for permission; see permission.h. */
#include "record/permission.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "record/target_process.h"

/* The class of the program's file; ELFCLASSNONE when it cannot be told. */
static int class_of(int32_t pid)
{
    char path[64];
    unsigned char ident[EI_NIDENT] = {0};
    snprintf(path, sizeof path, "/proc/%d/exe", an_proc_living(pid));
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return ELFCLASSNONE;
    ssize_t size = read(file, ident, sizeof ident);
    close(file);
    return size == sizeof ident && memcmp(ident, ELFMAG, SELFMAG) == 0 ? ident[EI_CLASS]
                                                                       : ELFCLASSNONE;
}

static enum an_code check_process(const struct an_target_process *target, struct an_error *error)
{
    int32_t pid = target->pid;
    enum an_code code = an_proc_check(pid, error);
    if (code != AN_OK)
        return code;
    if (target->process != pid) {
        an_fail(error, AN_USAGE, "%d is a thread of process %d", pid, target->process);
        return an_error_hint(error, "processes are recorded as a whole: use -p %d",
                             target->process);
    }
    return AN_OK;
}

enum an_code an_permission_check(int32_t pid, bool look_only, struct an_error *error)
{
    struct an_target_process target;
    an_target_process_look(pid, &target);
    enum an_code code = check_process(&target, error);
    if (code != AN_OK)
        return code;
    if (target.trace_error) {
        an_fail(error, AN_SYSTEM, "cannot trace process %d: %s", pid, strerror(target.trace_error));
        return an_error_hint(error,
                             "run anneal as the owner of the process, or as root; 'anneal doctor "
                             "-p %d' shows more",
                             pid);
    }
    if (target.tracer && !look_only) {
        an_fail(error, AN_SYSTEM, "process %d is being traced already, by process %d", pid,
                target.tracer);
        return an_error_hint(error, "a process can have only one debugger at a time: end that one");
    }
    if (class_of(pid) == ELFCLASS32)
        return an_fail(error, AN_UNSUPPORTED, "process %d runs 32-bit code", pid);
    return AN_OK;
}
