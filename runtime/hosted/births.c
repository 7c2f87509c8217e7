/*
 * Processes that begin otherwise than by fork, which tells the runtime (pthread_atfork). The linker puts __wrap_NAME in
 * place of NAME when it is told so (anneal rt --ldflags).
 *
 *     daemon        the process that goes ends within the C library, unseen: the counts go on with the one that stays
 *     syscall,      may be a fork: whoever comes back in a process whose memory is a copy (process.h) is a new one
 *     clone
 *
 * The latter two are as the C library has them, instruction by instruction: programs may come back on other stacks than
 * they came on. Where that is not written, they are not wrapped (cli/rt/library.c); then such a process is only noticed when
 * it writes its profile, and what was counted before it began is in it, too, as with the compilers' runtimes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hosted/process.h"

/* Which the linker puts in place of the C library's; the latter two are assembly. */
int __wrap_daemon(int keeps_folder, int keeps_files);
long __wrap_syscall(long number, ...);
int __wrap_clone(int (*run)(void *), void *stack, int flags, void *argument, ...);

/* What the assembly goes on with. */
long an_rt_after_call(void);
long an_rt_failed_call(long negative);
_Noreturn void an_rt_run_clone(int (*run)(void *), void *argument);

/* ---- daemons ---- */

enum { NULL_DEVICE = 1 << 8 | 3, STANDARD_FILES = 3 };

/* 0, or -1 with errno, as in the C library. */
static int detach_files(void)
{
    struct stat is;
    int file = open("/dev/null", O_RDWR);
    if (file < 0)
        return -1;
    if (fstat(file, &is) < 0 || !S_ISCHR(is.st_mode) || is.st_rdev != NULL_DEVICE) {
        close(file);
        errno = ENODEV;
        return -1;
    }
    for (int standard = 0; standard < STANDARD_FILES; standard++)
        dup2(file, standard);
    if (file >= STANDARD_FILES)
        close(file);
    return 0;
}

int __wrap_daemon(int keeps_folder, int keeps_files)
{
    struct an_rt_process *process = an_rt_process_of_all();
    process->hands_over = true;
    pid_t child = fork();
    process->hands_over = false;
    if (child < 0)
        return -1;
    if (child > 0) {
        an_rt_write_all(AN_RT_HANDED_OVER);
        for (;;)
            syscall(SYS_exit_group, 0);
    }
    if (setsid() < 0)
        return -1;
    if (!keeps_folder && chdir("/") < 0)
        errno = 0; /* nor does the C library mind */
    return keeps_files ? 0 : detach_files();
}

/* ---- calls of the system ---- */

#ifdef __x86_64__
/* A call of the system has returned 0. */
long an_rt_after_call(void)
{
    an_rt_look_for_birth();
    return 0;
}

long an_rt_failed_call(long negative)
{
    errno = (int)-negative;
    return -1;
}

/* Without exit handlers, as in the C library; in a process of its own, its counts are written. */
_Noreturn void an_rt_run_clone(int (*run)(void *), void *argument)
{
    bool is_process = an_rt_look_for_birth();
    int status = run(argument);
    if (is_process)
        an_rt_write_all(AN_RT_ENDING);
    for (;;)
        syscall(SYS_exit, status);
}

/* Arguments move up by one, the fourth to the kernel's register; the seventh is on the stack. */
__asm__(".pushsection .text\n"
        ".globl __wrap_syscall\n"
        ".hidden __wrap_syscall\n"
        ".type __wrap_syscall, @function\n"
        "__wrap_syscall:\n"
        "   .cfi_startproc\n"
        "   endbr64\n"
        "   movq %rdi, %rax\n"
        "   movq %rsi, %rdi\n"
        "   movq %rdx, %rsi\n"
        "   movq %rcx, %rdx\n"
        "   movq %r8, %r10\n"
        "   movq %r9, %r8\n"
        "   movq 8(%rsp), %r9\n"
        "   syscall\n"
        "   testq %rax, %rax\n"
        "   je an_rt_after_call\n"
        "   cmpq $-4095, %rax\n"
        "   jae 1f\n"
        "   ret\n"
        "1: movq %rax, %rdi\n"
        "   jmp an_rt_failed_call\n"
        "   .cfi_endproc\n"
        ".size __wrap_syscall, . - __wrap_syscall\n"
        ".popsection\n");

/* The function and its argument wait on the new stack. 56 is clone, 22 EINVAL. */
__asm__(".pushsection .text\n"
        ".globl __wrap_clone\n"
        ".hidden __wrap_clone\n"
        ".type __wrap_clone, @function\n"
        "__wrap_clone:\n"
        "   .cfi_startproc\n"
        "   endbr64\n"
        "   movq $-22, %rax\n"
        "   testq %rdi, %rdi\n"
        "   je 1f\n"
        "   andq $-16, %rsi\n"
        "   je 1f\n"
        "   subq $16, %rsi\n"
        "   movq %rdi, 0(%rsi)\n"
        "   movq %rcx, 8(%rsi)\n"
        "   movq %rdx, %rdi\n"
        "   movq %r8, %rdx\n"
        "   movq %r9, %r8\n"
        "   movq 8(%rsp), %r10\n"
        "   movl $56, %eax\n"
        "   syscall\n"
        "   testq %rax, %rax\n"
        "   je 2f\n"
        "   cmpq $-4095, %rax\n"
        "   jae 1f\n"
        "   ret\n"
        "1: movq %rax, %rdi\n"
        "   jmp an_rt_failed_call\n"
        "2: .cfi_undefined rip\n" /* nobody has called it */
        "   xorl %ebp, %ebp\n"
        "   popq %rdi\n"
        "   popq %rsi\n"
        "   call an_rt_run_clone\n"
        "   hlt\n"
        "   .cfi_endproc\n"
        ".size __wrap_clone, . - __wrap_clone\n"
        ".popsection\n");
#endif
