/*
 * A process that somebody wants to record: what it is, and whether it may be traced. It is only
 * looked at; nothing of it is stopped.
 */
#ifndef AN_RECORD_TARGET_PROCESS_H
#define AN_RECORD_TARGET_PROCESS_H

#include "record/machine.h"

struct an_target_process {
    int32_t pid;
    int32_t living;  /* a thread of it that has not ended (base/proc.h), or else the same number */
    bool is_there;   /* else nothing more is known */
    int32_t process; /* the same number, unless it is a thread's */
    char name[64];   /* of its first thread */
    char state;      /* 'R', 'S', 'T', 'Z'... */
    bool is_kernel;  /* a thread of the kernel */
    bool has_ended;  /* or is ending: none of its threads executes its program any more */
    uint64_t threads;
    uint32_t user;        /* effective */
    bool is_same_user;    /* all its user and group numbers are ours */
    bool is_hidden;       /* not "dumpable": set-user-id, or by its own wish */
    int32_t tracer;       /* that it has, or 0 */
    char tracer_name[64]; /* "" when not known */
    int look_error;       /* errno when it may not be looked into, as perf events need it; or 0 */
    int trace_error;      /* errno when it may not be traced; or 0 */
    char binary[1024];    /* as it was called when it was started; "" when not known */
    bool is_replaced;     /* there is no such file any more, or another one */
};

void an_target_process_look(int32_t pid, struct an_target_process *target);

/* How it would be recorded on this machine; AN_RECORD_AUTO: it cannot be. */
enum an_record_method an_target_process_method(const struct an_target_process *target,
                                               const struct an_machine *machine);

void an_target_process_judge(const struct an_target_process *target,
                             const struct an_machine *machine, struct an_diagnostics *diagnostics);

#endif
