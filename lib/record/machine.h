/*
 * What a machine offers for recording, to this user: by looking, and by trying (trial.h).
 */
#ifndef AN_RECORD_MACHINE_H
#define AN_RECORD_MACHINE_H

#include <anneal/record.h>

#include "base/diagnostics.h"
#include "record/trial.h"

enum { AN_NO_SETTING = -1000 }; /* of a number below /proc/sys that this kernel does not have */

struct an_machine {
    char kernel[80], processor[80]; /* "6.1.0-18-amd64", "x86_64" */
    unsigned processors;            /* that this process may run on */
    uint32_t user;
    bool traces_all;                                /* CAP_SYS_PTRACE */
    bool measures_all;                              /* CAP_PERFMON or CAP_SYS_ADMIN */
    bool is_filtered;                               /* a seccomp filter is in force */
    int paranoid;                                   /* kernel.perf_event_paranoid */
    int ptrace_scope;                               /* kernel.yama.ptrace_scope */
    struct an_trial branch_records, clock, tracing; /* clock: events of the CPU clock */
    bool can_emulate;                               /* code may be made at run time */
    enum an_record_method method; /* that an_record() would choose; AN_RECORD_AUTO: none */
};

/* Takes some milliseconds, since it tries. What cannot be found out counts as not there. */
void an_machine_look(struct an_machine *machine);

void an_machine_judge(const struct an_machine *machine, struct an_diagnostics *diagnostics);

/* Whether threads of another process can be stopped and let go, if that one may be traced. */
bool an_machine_can_trace(const struct an_machine *machine);

#endif
