/*
 * The start of each hart: in machine mode, all at once, at the same address. Each gets memory of its own at
 * the same virtual addresses (map.c), and goes on in supervisor mode, for machine mode has no virtual memory.
 *
 * A tick of each hart's timer looks for Ctrl-C, so that programs need not. The timer is machine mode's; it has supervisor mode
 * interrupted, where the hart's own memory is (RISC-V Privileged Architecture, "Supervisor Interrupt Registers").
 */
#include "map.h"

        .section .text.start, "ax"
        .globl  _start
_start:
        csrr    s0, mhartid
        li      t0, HARTS
        bgeu    s0, t0, halt

        /* The stack is at the end of the hart's own memory; here by its physical address. */
        li      sp, PRIVATE
        li      t0, PRIVATE_SIZE
        addi    t1, s0, 1
        mul     t0, t0, t1
        add     sp, sp, t0
        mv      a0, s0
        call    board_map
        csrw    satp, a0
        sfence.vma

        /* Supervisor mode may reach all of the memory, and finds the number of the hart here. */
        csrw    sscratch, s0
        li      t0, -1
        csrw    pmpaddr0, t0
        li      t0, 0x1f
        csrw    pmpcfg0, t0
        la      t0, machine_trap
        csrw    mtvec, t0
        la      t0, tick
        csrw    stvec, t0

        /* What machine_trap has of this hart: two registers, and where its timer is set. */
        la      t0, saved
        slli    t1, s0, 5
        add     t0, t0, t1
        csrw    mscratch, t0
        slli    t1, s0, 3
        li      t2, TIMER_ENDS
        add     t1, t1, t2
        sd      t1, 16(t0)
        li      t2, TICK
        sd      t2, 0(t1)
        li      t0, 1 << SOFTWARE_RINGS
        csrw    mideleg, t0
        csrw    sie, t0                 /* sstatus.SIE, which lets it through, is for board.c */
        li      t0, 1 << TIMER_RINGS
        csrs    mie, t0
        li      t0, 3 << 11             /* mstatus.MPP: from machine mode ... */
        csrc    mstatus, t0
        li      t0, 1 << 11             /* ... to supervisor mode */
        csrs    mstatus, t0
        la      t0, supervisor
        csrw    mepc, t0
        mret

supervisor:
        li      sp, PRIVATE + PRIVATE_SIZE
        la      tp, __tls_start
        tail    an_bare_start

halt:
        wfi
        j       halt

        /* In machine mode, which has no stack: the timer. */
        .balign 4
machine_trap:
        csrrw   t0, mscratch, t0
        sd      t1, 0(t0)
        sd      t2, 8(t0)
        csrr    t1, mcause
        li      t2, 1 << 63 | TIMER_RINGS
        bne     t1, t2, trap
        li      t1, TIMER
        ld      t1, 0(t1)
        li      t2, TICK
        add     t1, t1, t2
        ld      t2, 16(t0)
        sd      t1, 0(t2)
        csrsi   mip, 1 << SOFTWARE_RINGS
        ld      t1, 0(t0)
        ld      t2, 8(t0)
        csrrw   t0, mscratch, t0
        mret

        /* In supervisor mode, on the stack of what was interrupted: all registers that a function may change. */
        .balign 4
tick:
        addi    sp, sp, -128
        sd      ra, 0(sp)
        sd      t0, 8(sp)
        sd      t1, 16(sp)
        sd      t2, 24(sp)
        sd      t3, 32(sp)
        sd      t4, 40(sp)
        sd      t5, 48(sp)
        sd      t6, 56(sp)
        sd      a0, 64(sp)
        sd      a1, 72(sp)
        sd      a2, 80(sp)
        sd      a3, 88(sp)
        sd      a4, 96(sp)
        sd      a5, 104(sp)
        sd      a6, 112(sp)
        sd      a7, 120(sp)
        csrci   sip, 1 << SOFTWARE_RINGS
        call    an_bare_poll
        ld      ra, 0(sp)
        ld      t0, 8(sp)
        ld      t1, 16(sp)
        ld      t2, 24(sp)
        ld      t3, 32(sp)
        ld      t4, 40(sp)
        ld      t5, 48(sp)
        ld      t6, 56(sp)
        ld      a0, 64(sp)
        ld      a1, 72(sp)
        ld      a2, 80(sp)
        ld      a3, 88(sp)
        ld      a4, 96(sp)
        ld      a5, 104(sp)
        ld      a6, 112(sp)
        ld      a7, 120(sp)
        addi    sp, sp, 128
        sret

        /* Nothing is expected here: the simulation fails. */
trap:
        li      t0, FINISHER
        li      t1, 1 << 16 | FINISHER_FAIL
        sw      t1, 0(t0)
        j       halt

        .section .tables, "aw", @nobits
        .balign 8
saved:  .space  32 * HARTS
