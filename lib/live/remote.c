/* Calls by threads of the process; see remote.h. */
#include "live/remote.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "live/signal_frame.h"
#include "record/proc.h"
#include "record/tracee.h"

/* ---- pieces of code ---- */

static const uint8_t system_call_code[] = {0x0f, 0x05, 0xc3};

/* The address of some bytes in an executable mapping, or 0. */
static uint64_t find_bytes(const struct an_target *target, const struct an_target_mapping *mapping,
                           const uint8_t *bytes, size_t size)
{
    enum { PIECE = 1 << 20 };
    uint8_t *piece = an_alloc(PIECE, 1);
    uint64_t found = 0;
    for (uint64_t at = mapping->start; piece && !found && at < mapping->end; at += PIECE - 16) {
        size_t length = mapping->end - at < PIECE ? (size_t)(mapping->end - at) : PIECE;
        if (!an_target_read(target, at, piece, length))
            break;
        const uint8_t *here = memmem(piece, length, bytes, size);
        found = here ? at + (uint64_t)(here - piece) : 0;
    }
    free(piece);
    return found;
}

enum an_code an_remote_find(const struct an_target *target, struct an_remote *remote,
                            struct an_error *error)
{
    *remote = (struct an_remote){0};
    for (size_t i = 0; i < target->maps.count; i++) {
        const struct an_target_mapping *mapping = &target->maps.items[i];
        if (!(mapping->flags & AN_MAP_EXECUTE) || strcmp(mapping->path, "[vsyscall]") == 0)
            continue;
        if (!remote->restorer)
            remote->restorer =
                find_bytes(target, mapping, an_restorer_code, sizeof an_restorer_code);
        if (!remote->system_call)
            remote->system_call =
                find_bytes(target, mapping, system_call_code, sizeof system_call_code);
    }
    if (remote->restorer && remote->system_call)
        return AN_OK;
    return an_fail(error, AN_UNSUPPORTED,
                   "process %d has no code that returns from a system call or signal handler",
                   target->pid);
}

bool an_remote_is_restorer(const struct an_target *target, uint64_t address)
{
    uint8_t bytes[AN_RESTORER_SIZE];
    return an_target_read(target, address, bytes, sizeof bytes) &&
           memcmp(bytes, an_restorer_code, sizeof bytes) == 0;
}

/* ---- which thread ---- */

/*
 * How well a thread suits, the lowest number first. From a frame like that of a signal, a call that the
 * kernel would resume by a note of its own (nanosleep, or poll with a timeout: signal(7)) starts from
 * the beginning; where that makes a difference such a thread is the last choice.
 */
enum rank { WAITS, RUNS, WAITS_FOR_LOCK, WAITS_FOR_TIME, UNFIT };

struct candidate {
    int32_t tid;
    enum rank rank;
};

struct candidates {
    AN_VECTOR(struct candidate);
    int32_t pid;
};

static enum rank rank_of_call(long number, const unsigned long long arguments[6])
{
    switch (number) {
    case SYS_futex: {
        long operation = (long)(arguments[1] & FUTEX_CMD_MASK);
        bool is_relative = operation == FUTEX_WAIT && arguments[3];
        return is_relative ? WAITS_FOR_TIME : WAITS_FOR_LOCK;
    }
    case SYS_poll:
        return (int)arguments[2] < 0 ? WAITS : WAITS_FOR_TIME;
    case SYS_clock_nanosleep:
        return arguments[1] & TIMER_ABSTIME ? WAITS : WAITS_FOR_TIME;
    case SYS_nanosleep:
    case SYS_restart_syscall:
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_select:
        return WAITS_FOR_TIME;
    case SYS_vfork:
    case SYS_execve:
        return UNFIT;
    default:
        return WAITS;
    }
}

static void add_candidate(void *context, int32_t tid)
{
    struct candidates *candidates = context;
    struct an_buffer text;
    char name[64];
    unsigned long long arguments[6];
    long number;
    snprintf(name, sizeof name, "task/%d/syscall", tid);
    if (!an_proc_text(candidates->pid, name, &text))
        return;
    struct candidate candidate = {tid, RUNS};
    if (sscanf((char *)text.data, "%ld %llx %llx %llx %llx %llx %llx", &number, &arguments[0],
               &arguments[1], &arguments[2], &arguments[3], &arguments[4], &arguments[5]) == 7 &&
        number >= 0)
        candidate.rank = rank_of_call(number, arguments);
    an_buffer_free(&text);
    struct candidate *to = candidate.rank == UNFIT ? NULL : an_vector_push(candidates);
    if (to)
        *to = candidate;
}

static int by_rank(const void *one, const void *other)
{
    const struct candidate *a = one, *b = other;
    return a->rank != b->rank ? (a->rank < b->rank ? -1 : 1) : a->tid - b->tid;
}

/* ---- one call ---- */

struct call {
    const struct an_remote *remote;
    const struct an_target *target;
    uint64_t function; /* 0: a system call */
    long number;
    uint64_t arguments[6];
    unsigned path_argument; /* which argument is the path, if there is one */
    const char *path;
    int64_t result;
    struct an_signal_frame frame;
};

enum { SYSTEM_CALL_LENGTH = 2, ROOM = 16384, PATH_ROOM = 4608, KERNEL_RESTARTS = 512 };

/* The state from which the thread goes on as if nothing had been: in a system call that the stop has
 * interrupted, from before the call. */
static void undo_interruption(struct user_regs_struct *registers)
{
    int64_t result = (int64_t)registers->rax;
    if ((int64_t)registers->orig_rax < 0)
        return;
    if (result <= -KERNEL_RESTARTS && result >= -(KERNEL_RESTARTS + 4)) {
        registers->rax = registers->orig_rax;
        registers->rip -= SYSTEM_CALL_LENGTH;
    }
    registers->orig_rax = (unsigned long long)-1;
}

/* Whether a thread that executes is at a place where it holds no lock of a library. */
static bool is_in_program(const struct an_target *target, uint64_t address)
{
    size_t count;
    const struct an_elf_segment *segments = an_elf_segments(target->elf, &count);
    const struct an_elf_section *text = an_elf_section(target->elf, ".text");
    (void)segments;
    return text && address - target->bias >= text->address &&
           address - target->bias < text->address + text->size;
}

/* What is there now, not what was when the process was opened: it may run another program since. */
static bool has_code(int32_t tid, uint64_t address, const uint8_t *code, size_t size)
{
    uint8_t bytes[16];
    struct iovec here = {bytes, size}, there = {(void *)(uintptr_t)address, size};
    return process_vm_readv(tid, &here, 1, &there, 1, 0) == (ssize_t)size &&
           memcmp(bytes, code, size) == 0;
}

static bool has_pieces(const struct call *call, int32_t tid)
{
    const struct an_remote *remote = call->remote;
    return has_code(tid, remote->restorer, an_restorer_code, sizeof an_restorer_code) &&
           has_code(tid, remote->system_call, system_call_code, sizeof system_call_code) &&
           an_target_is_there(call->target);
}

static bool suits(const struct call *call, const struct user_regs_struct *registers)
{
    bool is_in_call = (int64_t)registers->orig_rax >= 0;
    const struct an_target_mapping *stack = an_target_mapping_at(call->target, registers->rsp);
    bool has_room = stack && (stack->flags & AN_MAP_WRITE) && registers->rsp - stack->start > ROOM;
    return has_room && (registers->cs & 0xff) == 0x33 &&
           (!call->function || is_in_call || is_in_program(call->target, registers->rip));
}

static bool write_stack(struct call *call)
{
    const struct an_signal_frame *frame = &call->frame;
    if (call->path) {
        uint64_t where = frame->address - PATH_ROOM;
        call->arguments[call->path_argument] = where;
        if (!an_target_write(call->target, where, call->path, strlen(call->path) + 1))
            return false;
    }
    return an_target_write(call->target, frame->address, frame->bytes, frame->size);
}

static void set_call(const struct call *call, struct user_regs_struct *registers)
{
    registers->rsp = call->frame.address;
    registers->rip = call->function ? call->function : call->remote->system_call;
    registers->rax = (unsigned long long)call->number;
    registers->rdi = call->arguments[0];
    registers->rsi = call->arguments[1];
    registers->rdx = call->arguments[2];
    registers->r10 = call->arguments[3];
    registers->r8 = call->arguments[4];
    registers->r9 = call->arguments[5];
    registers->rcx = call->arguments[3];
    registers->orig_rax = (unsigned long long)-1;
    registers->eflags &= ~(unsigned long long)0x400; /* the direction is upwards for functions */
}

enum progress { GOES_ON, HAS_RETURNED, HAS_FAILED };

/* What a stop of the thread means. */
static enum progress follow(struct call *call, int32_t tid, int status)
{
    struct __ptrace_syscall_info info = {0};
    int signal;
    enum an_tracee_event event = an_tracee_event(tid, status, &signal);
    if (event == AN_EVENT_STOP)
        return GOES_ON;
    if (event != AN_EVENT_SYSCALL ||
        ptrace(PTRACE_GET_SYSCALL_INFO, tid, (void *)sizeof info, &info) <= 0)
        return HAS_FAILED;
    if (info.op == PTRACE_SYSCALL_INFO_EXIT && !call->function &&
        info.instruction_pointer == call->remote->system_call + SYSTEM_CALL_LENGTH)
        call->result = info.exit.rval;
    bool is_back = info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_rt_sigreturn &&
                   info.stack_pointer == call->frame.address + 8;
    return is_back ? HAS_RETURNED : GOES_ON;
}

/* From the call to its end. */
static enum progress watch(struct call *call, int32_t tid)
{
    enum { LONG = 2000000000, SPIN = 200000 };
    uint64_t deadline = an_tracee_now() + LONG;
    enum progress progress = GOES_ON;
    while (progress == GOES_ON) {
        int status;
        uint64_t now = an_tracee_now();
        if (!an_tracee_to_syscall(tid) || now >= deadline ||
            !an_tracee_wait(tid, deadline - now, SPIN, &status))
            return HAS_FAILED; /* it may still return, by itself */
        progress = follow(call, tid, status);
    }
    int status;
    if (progress == HAS_RETURNED) /* behind rt_sigreturn it is where it was */
        progress = an_tracee_to_syscall(tid) && an_tracee_wait(tid, LONG, SPIN, &status)
                       ? HAS_RETURNED
                       : HAS_FAILED;
    return progress;
}

/* Stops a thread, has it make the call, and lets it go. False: it does not suit, and is as it was. */
static bool try_thread(struct call *call, int32_t tid, enum progress *progress)
{
    enum { PATIENCE = 2000000000 };
    struct user_regs_struct registers;
    sigset_t all;
    int status, signal;
    if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) != 0)
        return false;
    an_tracee_interrupt(tid);
    if (!an_tracee_wait(tid, PATIENCE, 0, &status)) {
        *progress = HAS_FAILED; /* cannot be told to go on; when it stops, it is let go */
        return false;
    }
    enum an_tracee_event event = an_tracee_event(tid, status, &signal);
    if (event == AN_EVENT_END)
        return false;
    bool is_ours = event == AN_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
    if (event == AN_EVENT_STOP)
        an_tracee_mend(tid);
    bool fits = is_ours && an_tracee_registers(tid, &registers) && suits(call, &registers) &&
                has_pieces(call, tid);
    if (fits)
        undo_interruption(&registers);
    fits = fits && an_signal_frame_make(&call->frame, tid, &registers, call->remote->restorer) &&
           write_stack(call);
    struct user_regs_struct changed = registers;
    if (fits) {
        set_call(call, &changed);
        fits = ptrace(PTRACE_SETREGS, tid, NULL, &changed) == 0;
    }
    if (!fits) {
        an_tracee_release(tid, signal);
        return false;
    }
    sigfillset(&all);
    ptrace(PTRACE_SETSIGMASK, tid, (void *)8, &all); /* the frame brings its own one back */
    *progress = watch(call, tid);
    if (*progress == HAS_FAILED && call->function) /* it has crashed, or hangs: back at once */
        ptrace(PTRACE_SETREGS, tid, NULL, &registers);
    an_tracee_release(tid, 0);
    return true;
}

static enum an_code run(struct call *call, struct an_error *error)
{
    enum { ATTEMPTS = 20 };
    static const struct timespec a_while = {0, 5000000};
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/task", call->target->pid);
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++, nanosleep(&a_while, NULL)) {
        struct candidates candidates = {.pid = call->target->pid};
        if (!an_proc_each(folder, add_candidate, &candidates))
            break;
        if (candidates.count)
            qsort(candidates.items, candidates.count, sizeof *candidates.items, by_rank);
        for (size_t i = 0; i < candidates.count; i++) {
            enum progress progress = GOES_ON;
            bool last_choice = candidates.items[i].rank == WAITS_FOR_TIME;
            if (last_choice && attempt < ATTEMPTS / 2)
                continue; /* others may suit at another moment */
            bool tried = try_thread(call, candidates.items[i].tid, &progress);
            if (!tried && progress == GOES_ON)
                continue;
            an_vector_free(&candidates);
            if (tried && progress == HAS_RETURNED)
                return AN_OK;
            return an_fail(error, AN_SYSTEM, "process %d has not made a call that it was told to",
                           call->target->pid);
        }
        an_vector_free(&candidates);
    }
    an_fail(error, AN_SYSTEM, "process %d has no thread that could make a call for anneal",
            call->target->pid);
    return an_error_hint(error, "try again when it does something else");
}

enum an_code an_remote_system_call(const struct an_remote *remote, const struct an_target *target,
                                   long number, const uint64_t arguments[6], int64_t *result,
                                   struct an_error *error)
{
    return an_remote_call_with_path(remote, target, number, arguments, 0, NULL, result, error);
}

enum an_code an_remote_call_with_path(const struct an_remote *remote,
                                      const struct an_target *target, long number,
                                      const uint64_t arguments[6], unsigned which, const char *path,
                                      int64_t *result, struct an_error *error)
{
    struct call *call = an_alloc_zero(1, sizeof *call);
    if (!call)
        return an_fail_memory(error);
    call->remote = remote;
    call->target = target;
    call->number = number;
    memcpy(call->arguments, arguments, sizeof call->arguments);
    call->path_argument = which;
    call->path = path;
    enum an_code code = run(call, error);
    *result = call->result;
    free(call);
    return code;
}

enum an_code an_remote_function(const struct an_remote *remote, const struct an_target *target,
                                uint64_t function, const uint64_t arguments[6],
                                struct an_error *error)
{
    struct call *call = an_alloc_zero(1, sizeof *call);
    if (!call)
        return an_fail_memory(error);
    call->remote = remote;
    call->target = target;
    call->function = function;
    memcpy(call->arguments, arguments, sizeof call->arguments);
    enum an_code code = run(call, error);
    free(call);
    return code;
}
