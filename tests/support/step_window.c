/* Stepping a thread; see step_window.h. */
#include "support/step_window.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

enum { PAGE = 4096, CACHED_PAGES = 64, MOST_PARKED = 256, LONGEST_INSTRUCTION = 15 };

/* ---- the code, page by page, read anew for each window since it may change ---- */

struct page {
    uint64_t address; /* 0: none */
    uint8_t bytes[PAGE];
};

static struct page pages[CACHED_PAGES];

static const struct page *page_of(pid_t tid, uint64_t address)
{
    uint64_t start = address / PAGE * PAGE;
    struct page *page = &pages[start / PAGE % CACHED_PAGES];
    if (page->address == start && start)
        return page;
    struct iovec here = {page->bytes, PAGE}, there = {(void *)(uintptr_t)start, PAGE};
    if (process_vm_readv(tid, &here, 1, &there, 1, 0) != PAGE) {
        page->address = 0;
        return NULL;
    }
    page->address = start;
    return page;
}

/* The bytes at an address: as many as an instruction may have, or as there are. */
static size_t read_code(pid_t tid, uint64_t address, uint8_t *bytes)
{
    size_t got = 0;
    while (got < LONGEST_INSTRUCTION) {
        const struct page *page = page_of(tid, address + got);
        size_t at = (address + got) % PAGE, size = PAGE - at;
        if (!page)
            break;
        if (size > LONGEST_INSTRUCTION - got)
            size = LONGEST_INSTRUCTION - got;
        memcpy(bytes + got, page->bytes + at, size);
        got += size;
    }
    return got;
}

/* ---- one step ---- */

enum kind { PLAIN, CONDITIONAL, UNCONDITIONAL };

struct instruction {
    uint64_t next;
    enum kind kind;
    bool repeats;
};

static enum kind kind_of(const ZydisDecodedInstruction *instruction)
{
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        return CONDITIONAL;
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_UNCOND_BR:
        return UNCONDITIONAL;
    default:
        return PLAIN;
    }
}

static bool decode(pid_t tid, uint64_t address, struct instruction *result)
{
    static ZydisDecoder decoder;
    if (!decoder.machine_mode)
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    uint8_t bytes[LONGEST_INSTRUCTION];
    size_t size = read_code(tid, address, bytes);
    ZydisDecodedInstruction instruction;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, size, &instruction)))
        return false;
    result->next = address + instruction.length;
    result->kind = kind_of(&instruction);
    result->repeats = instruction.attributes &
                      (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
    return true;
}

static bool read_register(pid_t tid, size_t offset, uint64_t *value)
{
    errno = 0;
    *value = (uint64_t)ptrace(PTRACE_PEEKUSER, tid, offset, NULL);
    return errno == 0;
}

static bool read_rip(pid_t tid, uint64_t *rip)
{
    return read_register(tid, offsetof(struct user_regs_struct, rip), rip);
}

/* 32-bit code, which the decoder is not set to, runs in another segment. */
static bool runs_wide_code(pid_t tid)
{
    enum { USER_CS_64 = 0x33 };
    uint64_t cs;
    return read_register(tid, offsetof(struct user_regs_struct, cs), &cs) && cs == USER_CS_64;
}

/* A step that was one branch, or none; false when it was something else. */
static bool note_step(struct window *window, uint64_t from, uint64_t to,
                      const struct instruction *instruction)
{
    /* A repeated string instruction, or a system call that will be made again. */
    if (to == from)
        return true;
    if (instruction->kind == PLAIN || (instruction->kind == CONDITIONAL && to == instruction->next))
        return to == instruction->next;
    window->branches[window->count] = (struct perf_branch){from, to, false};
    window->conditional[window->count++] = instruction->kind == CONDITIONAL;
    return true;
}

/* ---- a breakpoint of the processor ---- */

static bool set_debug_register(pid_t tid, unsigned number, uint64_t value)
{
    size_t offset = offsetof(struct user, u_debugreg) + number * sizeof(uint64_t);
    return ptrace(PTRACE_POKEUSER, tid, offset, (void *)(uintptr_t)value) == 0;
}

/* Execution of the instruction at an address stops the thread; 0: no longer. */
static bool set_breakpoint(pid_t tid, uint64_t address)
{
    enum { CONTROL = 7, FIRST_LOCALLY = 1 };
    if (!set_debug_register(tid, CONTROL, 0) || !set_debug_register(tid, 0, address))
        return false;
    return address == 0 || set_debug_register(tid, CONTROL, FIRST_LOCALLY);
}

/* Whether a process that runs to a breakpoint stops there. Some virtual machines take debug registers
 * as they are told, and never look at them. */
static bool try_breakpoint(void)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
            raise(SIGSTOP);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        return false;
    bool fires = set_breakpoint(pid, (uint64_t)(uintptr_t)_exit) &&
                 ptrace(PTRACE_CONT, pid, NULL, NULL) == 0 && waitpid(pid, &status, 0) == pid &&
                 WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return fires;
}

static bool breakpoints_fire(void)
{
    static enum { UNKNOWN, NO, YES } known;
    if (known == UNKNOWN)
        known = try_breakpoint() ? YES : NO;
    return known == YES;
}

/* ---- stops ---- */

static pid_t parked[MOST_PARKED];
static size_t parked_number;
static struct {
    pid_t pid;
    int status;
} ended;

static void note_end(pid_t tid, int status)
{
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
        ended.pid = tid;
        ended.status = status;
    }
}

bool seen_to_end(pid_t pid, int *status)
{
    if (ended.pid != pid)
        return false;
    *status = ended.status;
    ended.pid = 0;
    return true;
}

static bool park(pid_t tid)
{
    if (parked_number == MOST_PARKED)
        return false;
    parked[parked_number++] = tid;
    return true;
}

bool is_parked(pid_t tid)
{
    for (size_t i = 0; i < parked_number; i++)
        if (parked[i] == tid)
            return true;
    return false;
}

static bool is_step_trap(pid_t tid)
{
    siginfo_t info;
    return ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) == 0 &&
           (info.si_code == TRAP_TRACE || info.si_code == TRAP_BRKPT ||
            info.si_code == TRAP_HWBKPT);
}

/* The signal that a stopped thread is about to get; 0 when it stopped for another reason. */
static int signal_of(pid_t tid, int status)
{
    if (status >> 16) /* an event of ptrace */
        return 0;
    return WSTOPSIG(status) == SIGTRAP && is_step_trap(tid) ? 0 : WSTOPSIG(status);
}

/* Waits until the thread stops. */
static enum window_end wait_for_stop(struct window *window, bool interrupted,
                                     const volatile bool *give_up)
{
    int status;
    pid_t got;
    while ((got = waitpid(window->tid, &status, __WALL)) < 0 && errno == EINTR)
        if (*give_up && park(window->tid))
            return WINDOW_PARKED;
    if (got < 0 || !WIFSTOPPED(status)) {
        if (got > 0)
            note_end(got, status);
        return WINDOW_GONE;
    }
    window->signal = signal_of(window->tid, status);
    bool is_event = status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
    return window->signal == 0 && is_event == interrupted ? WINDOW_FULL : WINDOW_DROPPED;
}

/* Lets the thread go on to the next stop, which is that of a step or of a breakpoint. */
static enum window_end go_on(struct window *window, bool to_breakpoint, uint64_t *rip,
                             const volatile bool *give_up)
{
    if (ptrace(to_breakpoint ? PTRACE_CONT : PTRACE_SINGLESTEP, window->tid, NULL, NULL) != 0)
        return WINDOW_GONE;
    enum window_end end = wait_for_stop(window, false, give_up);
    if (end == WINDOW_FULL && !read_rip(window->tid, rip))
        end = WINDOW_GONE;
    return end;
}

/* A string instruction that is repeated a million times need not be stepped a million times. */
static enum window_end pass_repetition(struct window *window, uint64_t next, uint64_t *rip,
                                       const volatile bool *give_up)
{
    if (!breakpoints_fire() || !set_breakpoint(window->tid, next))
        return WINDOW_FULL; /* then step by step */
    enum window_end end = go_on(window, true, rip, give_up);
    if (end != WINDOW_GONE && end != WINDOW_PARKED)
        set_breakpoint(window->tid, 0);
    return end == WINDOW_FULL && *rip != next ? WINDOW_DROPPED : end;
}

static enum window_end step(struct window *window, uint64_t *rip, const volatile bool *give_up)
{
    struct instruction instruction;
    uint64_t from = *rip;
    if (!decode(window->tid, from, &instruction))
        return WINDOW_DROPPED;
    window->steps++;
    enum window_end end = go_on(window, false, rip, give_up);
    if (end == WINDOW_FULL && *rip == from && instruction.repeats)
        end = pass_repetition(window, instruction.next, rip, give_up);
    if (end == WINDOW_FULL && !note_step(window, from, *rip, &instruction))
        end = WINDOW_DROPPED;
    return end;
}

enum window_end window_step(struct window *window, pid_t tid, size_t branches,
                            const volatile bool *give_up)
{
    *window = (struct window){.tid = tid};
    for (size_t i = 0; i < CACHED_PAGES; i++)
        pages[i].address = 0;
    if (branches > MOST_WINDOW_BRANCHES)
        branches = MOST_WINDOW_BRANCHES;
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0 ||
        ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0)
        return WINDOW_GONE;
    enum window_end end = wait_for_stop(window, true, give_up);
    uint64_t rip = 0;
    if (end == WINDOW_FULL && (!read_rip(tid, &rip) || !runs_wide_code(tid)))
        end = WINDOW_DROPPED;
    while (end == WINDOW_FULL && window->count < branches)
        end = *give_up ? WINDOW_DROPPED : step(window, &rip, give_up);
    return end;
}

void window_let_go(const struct window *window)
{
    ptrace(PTRACE_DETACH, window->tid, NULL, (void *)(intptr_t)window->signal);
}

/* True when the thread is no longer traced. */
static bool let_parked_go(pid_t tid, bool now)
{
    int status;
    if (now)
        ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
    pid_t got = waitpid(tid, &status, __WALL | (now ? 0 : WNOHANG));
    if (got == 0 || (got < 0 && errno == EINTR))
        return false;
    if (got > 0 && WIFSTOPPED(status)) {
        set_breakpoint(tid, 0);
        ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)signal_of(tid, status));
    } else if (got > 0) {
        note_end(got, status);
    }
    return true;
}

void parked_let_go(bool all)
{
    size_t kept = 0;
    for (size_t i = 0; i < parked_number; i++) {
        bool gone;
        do
            gone = let_parked_go(parked[i], all);
        while (all && !gone);
        if (!gone)
            parked[kept++] = parked[i];
    }
    parked_number = kept;
}
