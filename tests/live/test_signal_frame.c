/*
 * Frames of signals, tried on a process of our own: it keeps known values in all its registers and in
 * the 128 bytes below its stack, and looks at one word until that changes. Meanwhile it is stopped, a
 * frame is put on its stack, everything is overwritten, and it returns through the frame.
 */
#include "live/signal_frame.h"

#include <elf.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/test.h"

enum { SHARED = 0x10000000, LANES = 32 };

struct shared { /* at SHARED */
    volatile uint32_t stop, is_ready;
    uint64_t red_zone[16];      /* 8: as it was in the end */
    uint8_t vectors[16][LANES]; /* 136: what is loaded */
    uint8_t ended[16][LANES];   /* 648: as they were in the end */
    uint64_t general[16];       /* 1160 */
    uint64_t mask;              /* 1288: of signals */
    uint64_t alternative;       /* 1296: the stack */
};

void spin(void);
extern const uint8_t return_here[], restore_here[];

/* clang-format off */
__asm__(
    ".text\n.globl spin\n.type spin, @function\n"
    "spin:\n"
    "push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
    ".set i, 0\n.rept 16\n"
    "movabs $0x1111222233330000 + i, %rax; mov %rax, -128 + 8 * i(%rsp)\n"
    ".set i, i + 1\n.endr\n"
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "vmovdqu 0x10000000 + 136 + 32 * \\n, %ymm\\n\n.endr\n"
    "movabs $0x0123456789abcd00, %rax\n"
    ".irp r, rbx,rcx,rdx,rsi,rdi,rbp,r8,r9,r10,r11,r12,r13,r14,r15\n"
    "inc %rax; mov %rax, %\\r\n.endr\n"
    "std; stc\n"
    "movl $1, 0x10000000 + 4\n"
    "1: cmpl $0, 0x10000000\n"
    "je 1b\n"
    "mov %rax, 0x10000000 + 1160\n"
    ".set i, 1\n.irp r, rbx,rcx,rdx,rsi,rdi,rbp,r8,r9,r10,r11,r12,r13,r14,r15\n"
    "mov %\\r, 0x10000000 + 1160 + 8 * i\n.set i, i + 1\n.endr\n"
    "pushfq; pop %rax\n" /* below the stack: the first word of the red zone */
    "mov %rax, 0x10000000 + 1160 + 120\n"
    "cld\n"
    ".set i, 0\n.rept 15\n"
    "mov -128 + 8 * i(%rsp), %rax; mov %rax, 0x10000000 + 8 + 8 * i\n"
    ".set i, i + 1\n.endr\n"
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "vmovdqu %ymm\\n, 0x10000000 + 648 + 32 * \\n\n.endr\n"
    "vzeroupper\n"
    "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
    "ret\n.size spin, . - spin\n"
    ".globl return_here\nreturn_here: ret\n"
    ".globl restore_here\nrestore_here: mov $15, %rax; syscall\n");
/* clang-format on */

static void sleep_for(long milliseconds)
{
    const struct timespec time = {0, milliseconds * 1000000};
    nanosleep(&time, NULL);
}

static void be_child(struct shared *shared)
{
    static uint8_t stack[65536];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack}, now;
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    sigaddset(&mask, 40);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaltstack(&alternative, NULL);
    spin();
    sigaltstack(NULL, &now);
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &shared->mask, 8);
    shared->alternative = now.ss_sp == stack && now.ss_size == sizeof stack && !now.ss_flags;
    _exit(0);
}

static struct shared *share(void)
{
    struct shared *shared = mmap((void *)(uintptr_t)SHARED, 4096, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    assert_ptr_equal(shared, (void *)(uintptr_t)SHARED);
    for (unsigned i = 0; i < 16; i++)
        for (unsigned k = 0; k < LANES; k++)
            shared->vectors[i][k] = (uint8_t)(i * 37 + k * 11 + 1);
    return shared;
}

static pid_t start(const struct shared *shared)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail */
        be_child((struct shared *)(uintptr_t)shared);
    }
    for (int i = 0; i < 10000 && !shared->is_ready; i++)
        sleep_for(1);
    assert_int_equal(shared->is_ready, 1);
    return child;
}

static void stop(pid_t child, struct user_regs_struct *registers)
{
    int status;
    assert_int_equal(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), 0);
    assert_int_equal(waitpid(child, &status, __WALL), child);
    check(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP, "status %#x", (unsigned)status);
    assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, registers), 0);
}

static void write_frame(pid_t child, const struct an_signal_frame *frame)
{
    struct iovec here = {(void *)(uintptr_t)frame->bytes, frame->size};
    struct iovec there = {(void *)(uintptr_t)frame->address, frame->size};
    assert_int_equal(process_vm_writev(child, &here, 1, &there, 1, 0), (ssize_t)frame->size);
}

/* Everything that a call could have changed, and more. */
static void overwrite(pid_t child, const struct an_signal_frame *frame)
{
    static uint8_t vectors[16384];
    struct iovec vector = {vectors, sizeof vectors};
    struct user_regs_struct other;
    uint64_t all = UINT64_MAX;
    assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &other), 0);
    unsigned long long *const words[] = {&other.rax, &other.rbx, &other.rcx, &other.rdx,
                                         &other.rsi, &other.rdi, &other.rbp, &other.r8,
                                         &other.r9,  &other.r10, &other.r11, &other.r12,
                                         &other.r13, &other.r14, &other.r15};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        *words[i] = 0xdeadbeef00000000 + i;
    other.rip = (uintptr_t)return_here;
    other.rsp = frame->address;
    other.eflags &= ~(unsigned long long)0x401;
    assert_int_equal(ptrace(PTRACE_SETREGS, child, NULL, &other), 0);
    assert_int_equal(ptrace(PTRACE_GETREGSET, child, (void *)NT_X86_XSTATE, &vector), 0);
    memset(vectors + 160, 0x5a, 256); /* xmm */
    if (vector.iov_len >= 576 + 256)
        memset(vectors + 576, 0xa5, 256); /* the upper halves of ymm */
    vectors[512] |= vector.iov_len > 576 ? 6 : 2;
    assert_int_equal(ptrace(PTRACE_SETREGSET, child, (void *)NT_X86_XSTATE, &vector), 0);
    assert_int_equal(ptrace(PTRACE_SETSIGMASK, child, (void *)8, &all), 0);
}

static bool is_spinning(const struct user_regs_struct *registers)
{
    return registers->rip >= (uintptr_t)spin && registers->rip < (uintptr_t)return_here;
}

static void check_registers(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
    assert_int_equal(a->rsp, b->rsp);
    assert_int_equal(a->cs, b->cs);
    assert_int_equal(a->ss, b->ss);
    assert_int_equal(a->fs_base, b->fs_base);
    assert_int_equal(a->gs_base, b->gs_base);
    assert_true(is_spinning(b));
}

static void check_ended(const struct shared *shared)
{
    for (unsigned i = 0; i < 15; i++) {
        check(shared->general[i] == 0x0123456789abcd0e - (i ? 14 - i : 0), "register %u: %#llx", i,
              (unsigned long long)shared->general[i]);
        if (i) /* the first was used since */
            check(shared->red_zone[i] == 0x1111222233330000 + i, "%u below the stack: %#llx",
                  128 - 8 * i, (unsigned long long)shared->red_zone[i]);
    }
    assert_int_equal(shared->general[15] & 0x400, 0x400); /* the direction is downwards */
    assert_memory_equal(shared->vectors, shared->ended, sizeof shared->vectors);
    assert_int_equal(shared->mask, (uint64_t)1 << (SIGUSR2 - 1) | (uint64_t)1 << 39);
    assert_int_equal(shared->alternative, 1);
}

static void takes_a_thread_back(void **state)
{
    (void)state;
    if (!__builtin_cpu_supports("avx"))
        skip();
    struct shared *shared = share();
    pid_t child = start(shared);
    int attempts = 0;
    assert_int_equal(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
    for (int round = 0; round < 20; round++) {
        static struct an_signal_frame frame;
        struct user_regs_struct before, after;
        stop(child, &before);
        assert_true(an_signal_frame_make(&frame, child, &before, (uintptr_t)restore_here));
        assert_true(frame.address + frame.size <= before.rsp - 128);
        assert_int_equal(frame.address % 16, 8); /* as behind a call */
        write_frame(child, &frame);
        overwrite(child, &frame);
        assert_int_equal(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
        do { /* it may have to wait for a processor */
            sleep_for(3);
            stop(child, &after);
        } while (!is_spinning(&after) && attempts++ < 2000 &&
                 ptrace(PTRACE_CONT, child, NULL, NULL) == 0);
        check_registers(&before, &after);
        assert_int_equal(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
    }
    shared->stop = 1;
    int status;
    assert_int_equal(waitpid(child, &status, __WALL), child);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", (unsigned)status);
    check_ended(shared);
    munmap(shared, 4096);
}

/* The frame alone does it: nobody has to be there when the thread returns. */
static void works_without_a_tracer(void **state)
{
    (void)state;
    if (!__builtin_cpu_supports("avx"))
        skip();
    struct shared *shared = share();
    pid_t child = start(shared);
    static struct an_signal_frame frame;
    struct user_regs_struct before;
    assert_int_equal(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
    stop(child, &before);
    assert_true(an_signal_frame_make(&frame, child, &before, (uintptr_t)restore_here));
    write_frame(child, &frame);
    overwrite(child, &frame);
    assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
    sleep_for(5);
    shared->stop = 1;
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", (unsigned)status);
    check_ended(shared);
    munmap(shared, 4096);
}

static void knows_what_cannot_be_had(void **state)
{
    (void)state;
    static struct an_signal_frame frame;
    struct user_regs_struct registers = {.rsp = 0x7fff0000};
    assert_false(an_signal_frame_make(&frame, getpid(), &registers, 0)); /* nobody traces it */
    assert_int_equal(sizeof an_restorer_code, AN_RESTORER_SIZE);
    assert_memory_equal(an_restorer_code, restore_here, AN_RESTORER_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_a_thread_back),
        cmocka_unit_test(works_without_a_tracer),
        cmocka_unit_test(knows_what_cannot_be_had),
    };
    return RUN_TESTS(tests);
}
