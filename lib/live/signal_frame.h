/*
 * The frame that Linux puts on a stack for the handler of a signal, x86-64:
 *
 *     0     address to return to: code that makes the system call rt_sigreturn
 *     8     flags 8, link 8, alternative stack: address 8, flags 4, unused 4, size 8
 *     48    r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, rflags: 8 each
 *     192   cs, gs, fs, ss: 2 each
 *     200   error, trap, old mask, cr2: 8 each
 *     232   address of the vector registers, a multiple of 64; 64 bytes unused
 *     304   signal mask 8
 *     312   siginfo 128
 *
 * The vector registers are as XSAVE writes them, with some words that the kernel adds: at 464 a
 * magic number 4, the size with the second one 4, the components 8, the size 4; and the second
 * number behind them.
 */
#ifndef AN_LIVE_SIGNAL_FRAME_H
#define AN_LIVE_SIGNAL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

enum {
    AN_FRAME_SIZE = 440,
    AN_FRAME_RSP = 168, /* offsets in the frame */
    AN_FRAME_RIP = 176,
    AN_FRAME_CS = 192,
    AN_RESTORER_SIZE = 9,
};

extern const uint8_t an_restorer_code[AN_RESTORER_SIZE];

struct an_signal_frame {
    uint64_t address; /* of the frame, as it shall be on the stack */
    size_t size;      /* with the vector registers behind it */
    uint8_t bytes[16384];
};

/*
 * Makes the frame that takes a stopped thread back to the state in `registers`. `restorer` is what its
 * first word shall be. False when the vector registers cannot be had, or there are more of them than expected.
 */
bool an_signal_frame_make(struct an_signal_frame *frame, int32_t tid,
                          const struct user_regs_struct *registers, uint64_t restorer);

#endif
