/*
 * Having a thread of the process make a system call, or call a function.
 *
 * A debugger would set the registers, let the thread run into a trap, and put the registers back. If it
 * was killed in between, the thread would be lost. Here the thread finds its way back by itself, as
 * from the handler of a signal: on its stack lies the frame that the kernel would have put there, and
 * the call returns to the code that libraries have for returning from such handlers.
 *
 *     stack, downwards           registers
 *     | ... the thread's own  |  rip: "syscall; ret" somewhere in the process, or a function
 *     | 128 bytes: red zone   |  rsp: the frame
 *     | vector registers      |  rax, rdi, rsi...: the call
 *     | context: registers,   |
 *     |   signal mask         |
 *     | address of the code   |  <- rsp; "ret" goes there: mov $15, %rax; syscall (rt_sigreturn)
 *
 * Whatever happens to this process from then on, the thread makes the call and goes on where it was. As
 * long as this process lives, it does not come to that: when the call has returned, all registers are
 * put back, so that the kernel resumes an interrupted call just as it would have.
 *
 * Source: arch/x86/kernel/signal_64.c and fpu/signal.c of Linux for the frame; rt_sigreturn(2).
 */
#ifndef AN_LIVE_REMOTE_H
#define AN_LIVE_REMOTE_H

#include "live/target.h"

struct an_remote {        /* what the process has for that */
    uint64_t system_call; /* 0f 05 c3 */
    uint64_t restorer;    /* 48 c7 c0 0f 00 00 00 0f 05 */
};

/* Looks for both pieces of code; AN_UNSUPPORTED when there is none of them. */
enum an_code an_remote_find(const struct an_target *target, struct an_remote *remote,
                            struct an_error *error);

/* Makes a system call; *result is what the kernel returned, a negative number for an error. The
 * other threads run on. */
enum an_code an_remote_system_call(const struct an_remote *remote, const struct an_target *target,
                                   long number, const uint64_t arguments[6], int64_t *result,
                                   struct an_error *error);

/* The same with a string, which lies on the thread's stack meanwhile, as the argument `which`. */
enum an_code an_remote_call_with_path(const struct an_remote *remote,
                                      const struct an_target *target, long number,
                                      const uint64_t arguments[6], unsigned which, const char *path,
                                      int64_t *result, struct an_error *error);

/* Calls a function without a result. It runs in a thread that waits in a system call, or executes the
 * program's own code: not within a library, whose locks it may hold. AN_UNSUPPORTED: there is no such
 * thread, and it was not called. */
enum an_code an_remote_function(const struct an_remote *remote, const struct an_target *target,
                                uint64_t function, const uint64_t arguments[6],
                                struct an_error *error);

#endif
