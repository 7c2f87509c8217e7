/*
 * The start of each hart: in machine mode, all at once, at the same address. Each gets memory of its own at
 * the same virtual addresses (map.c), and goes on in supervisor mode, for machine mode has no virtual memory.
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
        la      t0, trap
        csrw    mtvec, t0
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

        /* Nothing is expected here: the simulation fails. */
        .balign 4
trap:
        li      t0, FINISHER
        li      t1, 1 << 16 | FINISHER_FAIL
        sw      t1, 0(t0)
        j       halt
