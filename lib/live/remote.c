/* Calls by threads of the process; see remote.h. */
#include "live/remote.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/proc.h"
#include "live/signal_frame.h"
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

/* ---- which thread ---- */

/* How well a thread suits, the lowest number first. */
enum rank { WAITS, RUNS, IS_IN_CALL, WAITS_FOR_LOCK, UNFIT };

struct candidate {
    int32_t tid;
    enum rank rank;
};

struct candidates {
    AN_VECTOR(struct candidate);
    int32_t pid;
    size_t good,
        enough; /* so many of the best rank there are; when there are enough, more are not looked at */
};

/* A thread that waits in one of these holds no lock of the C library, or of the unwinder. */
static enum rank rank_of_call(long number)
{
    switch (number) {
    case SYS_read:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_select:
    case SYS_pselect6:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_restart_syscall:
    case SYS_rt_sigtimedwait:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_pause:
        return WAITS;
    case SYS_futex:
        return WAITS_FOR_LOCK;
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_execve:
    case SYS_execveat:
    case SYS_exit:
    case SYS_exit_group:
        return UNFIT;
    default:
        return IS_IN_CALL;
    }
}

/* A thread may have a filter of its own, for which a call that it does not make by itself is deadly. */
static bool is_filtered(int32_t pid, int32_t tid)
{
    struct an_buffer text;
    char name[64];
    snprintf(name, sizeof name, "task/%d/status", tid);
    if (!an_proc_text(pid, name, &text))
        return true;
    bool is_one = an_proc_status_number((const char *)text.data, "\nSeccomp:", 10) != 0;
    an_buffer_free(&text);
    return is_one;
}

static void add_candidate(void *context, int32_t tid)
{
    struct candidates *candidates = context;
    struct an_buffer text;
    char name[64];
    long number;
    snprintf(name, sizeof name, "task/%d/syscall", tid);
    if (candidates->good >= candidates->enough)
        return;
    if (an_proc_is_of_kernel(candidates->pid, tid) || !an_proc_text(candidates->pid, name, &text))
        return;
    struct candidate candidate = {tid, RUNS};
    if (sscanf((char *)text.data, "%ld", &number) == 1 && number >= 0)
        candidate.rank = rank_of_call(number);
    an_buffer_free(&text);
    bool fits = candidate.rank != UNFIT && !is_filtered(candidates->pid, tid);
    struct candidate *to = fits ? an_vector_push(candidates) : NULL;
    if (to)
        *to = candidate;
    candidates->good += to && candidate.rank == WAITS;
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

enum {
    SYSTEM_CALL_LENGTH = 2,
    ROOM = 16384,
    PATH_ROOM = 4608,
    KERNEL_RESTARTS = 512,
    VECTORS_MOST = 16384,
};

/* The state for the frame: in a system call that the stop has interrupted, from before the call. (The
 * kernel resumes some calls by a note of its own, which rt_sigreturn clears; these would return EINTR,
 * and so begin anew. That is for the case that this process is killed.) */
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

/* Whether a thread that executes is at a place where it holds no lock of a library. Of a static program
 * nobody knows. */
static bool is_in_program(const struct an_target *target, uint64_t address)
{
    const struct an_elf_section *text = an_elf_section(target->elf, ".text");
    return an_elf_section(target->elf, ".interp") && text &&
           address - target->bias >= text->address &&
           address - target->bias < text->address + text->size;
}

/* Whether there is room below: on a stack whose end is known, by the guard below it. Others may lie side
 * by side with something else. */
static bool has_room(const struct an_target *target, uint64_t stack)
{
    const struct an_target_mapping *mapping = an_target_mapping_at(target, stack);
    return mapping && (mapping->flags & AN_MAP_WRITE) && stack - mapping->start >= ROOM &&
           an_target_is_stack(target, mapping);
}

/* What is there now, not what was when the process was opened: it may run another program since. */
static bool has_code(int32_t tid, uint64_t address, const uint8_t *code, size_t size)
{
    uint8_t bytes[16];
    struct iovec here = {bytes, size}, there = {(void *)(uintptr_t)address, size};
    return process_vm_readv(tid, &here, 1, &there, 1, 0) == (ssize_t)size &&
           memcmp(bytes, code, size) == 0;
}

/*
 * Whether a stopped thread may be in a restartable sequence (rseq(2)), of a library for instance. One that is
 * preempted there begins it anew; if it were sent elsewhere and back instead, the kernel would not notice, and
 * what the sequence does would be done twice, or lost. The kernel clears the word later than the thread leaves.
 *
 *     struct rseq: cpu_id_start 4, cpu_id 4, rseq_cs 8, ...
 */
static bool is_in_sequence(int32_t tid)
{
    enum { SEQUENCE = 8, GET_CONFIGURATION = 0x420f /* Linux 5.13 */ };
    struct {
        uint64_t address;
        uint32_t size, signature, flags, padding;
    } rseq = {0};
    uint64_t sequence = 0;
    if (ptrace((enum __ptrace_request)GET_CONFIGURATION, tid, sizeof rseq, &rseq) < 0)
        return false; /* an older kernel, which does not tell */
    struct iovec here = {&sequence, sizeof sequence},
                 there = {(void *)(uintptr_t)(rseq.address + SEQUENCE), sizeof sequence};
    return rseq.address &&
           (process_vm_readv(tid, &here, 1, &there, 1, 0) != sizeof sequence || sequence != 0);
}

static bool has_pieces(const struct call *call, int32_t tid)
{
    const struct an_remote *remote = call->remote;
    return has_code(tid, remote->restorer, an_restorer_code, sizeof an_restorer_code) &&
           has_code(tid, remote->system_call, system_call_code, sizeof system_call_code) &&
           an_target_is_there(call->target);
}

static bool suits(const struct call *call, enum rank rank, const struct user_regs_struct *registers)
{
    bool may_hold_lock = rank == IS_IN_CALL || rank == RUNS;
    return has_room(call->target, registers->rsp) && (registers->cs & 0xff) == 0x33 &&
           (!call->function || !may_hold_lock || is_in_program(call->target, registers->rip));
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

enum progress { GOES_ON, HAS_RETURNED, HAS_FAILED, IS_AWAY };

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

/*
 * Waits for the next stop of a thread. One that wants a processor gets it some time, however busy the machine is; one that
 * is in the middle of a system call comes out of it, unless what it waits for hangs; any other should have stopped.
 */
static bool wait_for_stop(const struct call *call, int32_t tid, uint64_t spin, int *status)
{
    enum { A_WHILE = 2000000000, WHILES_RUNNING = 60, WHILES_INSIDE = 10 };
    for (unsigned i = 1;; i++) {
        struct an_proc_stat stat;
        if (an_tracee_wait(tid, A_WHILE, spin, status))
            return true;
        if (!an_proc_stat(call->target->pid, tid, &stat))
            return false;
        unsigned most = stat.state == 'R' ? WHILES_RUNNING : stat.state == 'D' ? WHILES_INSIDE : 1;
        if (i >= most)
            return false;
    }
}

/* From the call until it has returned, to the code behind it. */
static enum progress watch(struct call *call, int32_t tid)
{
    enum { SPIN = 200000 };
    enum progress progress = GOES_ON;
    while (progress == GOES_ON) {
        int status;
        if (!an_tracee_to_syscall(tid) || !wait_for_stop(call, tid, SPIN, &status))
            return IS_AWAY;
        progress = follow(call, tid, status);
    }
    return progress;
}

/* What a thread is: all its registers, and its signal mask. */
struct state {
    struct user_regs_struct registers;
    uint8_t vectors[VECTORS_MOST];
    struct iovec vector;
    uint64_t mask;
};

static bool save(int32_t tid, struct state *state)
{
    state->vector = (struct iovec){state->vectors, sizeof state->vectors};
    return an_tracee_registers(tid, &state->registers) &&
           ptrace(PTRACE_GETREGSET, tid, (void *)NT_X86_XSTATE, &state->vector) == 0 &&
           ptrace(PTRACE_GETSIGMASK, tid, (void *)sizeof state->mask, &state->mask) == 0;
}

/* It stands where rt_sigreturn begins, which is skipped; should this process be killed now, it comes there
 * again. What the kernel would do behind an interrupted call, it does only where a thread goes on from
 * such a stop: so there is one more. */
static void restore(const struct call *call, int32_t tid, const struct state *state)
{
    enum { SPIN = 200000 };
    struct user_regs_struct registers;
    struct iovec vector = state->vector;
    int status = 0;
    if (an_tracee_registers(tid, &registers)) {
        registers.orig_rax = (unsigned long long)-1; /* no system call */
        registers.rip = call->remote->restorer;
        registers.rsp = call->frame.address + 8;
        ptrace(PTRACE_SETREGS, tid, NULL, &registers);
        an_tracee_interrupt(tid);
        an_tracee_continue(tid);
        wait_for_stop(call, tid, SPIN, &status);
    }
    ptrace(PTRACE_SETREGSET, tid, (void *)NT_X86_XSTATE, &vector);
    ptrace(PTRACE_SETREGS, tid, NULL, &state->registers);
    ptrace(PTRACE_SETSIGMASK, tid, (void *)sizeof state->mask, &state->mask);
}

/* Sets the call up. From the moment at which the registers are set, the thread finds back by itself. */
static bool begin_call(struct call *call, int32_t tid, const struct state *state)
{
    struct user_regs_struct registers = state->registers;
    undo_interruption(&registers);
    if (!an_signal_frame_make(&call->frame, tid, &registers, call->remote->restorer) ||
        !write_stack(call))
        return false;
    set_call(call, &registers);
    if (ptrace(PTRACE_SETREGS, tid, NULL, &registers) != 0)
        return false;
    uint64_t all =
        ~(uint64_t)0; /* with the two of pthread_cancel() and setuid() that sigfillset() spares */
    ptrace(PTRACE_SETSIGMASK, tid, (void *)sizeof all, &all);
    return true;
}

/* (A thread that hangs in the call is not in the account: it runs.) */
static void let_go(const struct call *call, int32_t tid, int signal, uint64_t began)
{
    an_tracee_release(tid, signal);
    an_target_add_stop(call->target->calls, an_clock_now() - began);
}

/* Stops a thread, has it make the call, and lets it go. GOES_ON: it does not suit, and is as it was. */
static enum progress try_thread(struct call *call, int32_t tid, enum rank rank)
{
    struct state state;
    int status, signal;
    if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) != 0)
        return GOES_ON;
    an_tracee_interrupt(tid);
    if (!wait_for_stop(call, tid, 0, &status))
        return IS_AWAY; /* it waits in the kernel; when it stops, threads.c lets it go */
    uint64_t began = an_clock_now();
    enum an_tracee_event event = an_tracee_event(tid, status, &signal);
    if (event == AN_EVENT_END)
        return GOES_ON;
    bool is_ours = event == AN_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
    if (event == AN_EVENT_STOP)
        an_tracee_mend(tid);
    if (!is_ours || is_in_sequence(tid) || !save(tid, &state) ||
        !suits(call, rank, &state.registers) || !has_pieces(call, tid) ||
        !begin_call(call, tid, &state)) {
        let_go(call, tid, signal, began);
        return GOES_ON;
    }
    enum progress progress = watch(call, tid);
    if (progress == IS_AWAY) { /* it hangs: it will find back by itself, if it ever returns */
        an_tracee_interrupt(tid);
        return IS_AWAY;
    }
    restore(call, tid, &state);
    let_go(call, tid, 0, began);
    return progress;
}

/* Tries the threads, best first; those that are found until there are `enough` good ones. */
static enum progress try_some(struct call *call, size_t enough)
{
    struct candidates candidates = {.pid = call->target->pid, .enough = enough};
    enum progress progress = GOES_ON;
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/task", call->target->pid);
    if (!an_proc_each(folder, add_candidate, &candidates))
        progress = HAS_FAILED;
    if (candidates.count)
        qsort(candidates.items, candidates.count, sizeof *candidates.items, by_rank);
    for (size_t i = 0; progress == GOES_ON && i < candidates.count; i++)
        progress = try_thread(call, candidates.items[i].tid, candidates.items[i].rank);
    an_vector_free(&candidates);
    return progress;
}

static enum an_code run(struct call *call, struct an_error *error)
{
    enum { ATTEMPTS = 21, FEW = 16 }; /* of thousands, to look at each would take a second */
    static const struct timespec a_while = {0, 5000000};
    enum progress progress = GOES_ON;
    for (unsigned i = 0; progress == GOES_ON && i < ATTEMPTS; i++) {
        if (i > 1)
            nanosleep(&a_while, NULL);
        progress = try_some(call, i == 0 ? FEW : SIZE_MAX);
    }
    if (progress == HAS_RETURNED)
        return AN_OK;
    if (progress != GOES_ON)
        return an_fail(error, AN_SYSTEM, "process %d did not make a call for anneal",
                       call->target->pid);
    an_fail(error, AN_UNSUPPORTED, "process %d has no thread that could make a call for anneal",
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
