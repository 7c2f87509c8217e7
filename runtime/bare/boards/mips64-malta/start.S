/*
 * The start of the core, in kernel mode, where QEMU jumps to.
 *
 * Code finds thread-local variables 0x7000 before the address that the register UserLocal has ("ELF Handling For
 * Thread-Local Storage", MIPS). QEMU's Octeon reads as 0 whatever is put there, and so they would be at
 * -0x7000, in the segment kseg3. That has translated addresses: its page leads to the same memory.
 */
        .set    noreorder
        .section .text.start, "ax"
        .globl  _start
_start:
        /* Status: 64-bit addresses and operations in kernel mode, no interrupts, vectors in memory. */
        li      $8, 0x00000080
        mtc0    $8, $12
        ehb
        dla     $29, __stack_end

        dla     $8, __tls_start + 0x7000
        dmtc0   $8, $4, 2               /* UserLocal */

        mtc0    $0, $0                  /* Index: entry 0, */
        mtc0    $0, $5                  /* PageMask: pages of 4 KiB, */
        li      $8, -0x8000
        dmtc0   $8, $10                 /* EntryHi: a pair of them, */
        li      $8, 1
        dmtc0   $8, $2                  /* EntryLo0: nothing behind the even one, */
        dla     $8, __tls_start
        dli     $9, 0x1ffff000
        and     $8, $8, $9
        dsrl    $8, $8, 6
        ori     $8, $8, 3 << 3 | 4 | 2 | 1 /* cached, may be written, valid, global */
        dmtc0   $8, $3                  /* EntryLo1: that memory behind the odd one */
        ehb
        tlbwi
        ehb

        /* Interrupts and faults lead to the vector, from there to board_trap (MIPS64 PRA, "Exception Vector Locations"). */
        dla     $8, vector
        dli     $9, 0xffffffff80000180
        ld      $10, 0($8)
        sd      $10, 0($9)
        ld      $10, 8($8)
        sd      $10, 8($9)
        ld      $10, 16($8)
        sd      $10, 16($9)
        ld      $10, 24($8)
        sd      $10, 24($9)

        dla     $25, an_bare_start
        jr      $25
        nop

        .balign 8
vector:
        lui     $26, %hi(board_trap)
        daddiu  $26, $26, %lo(board_trap)
        jr      $26
        nop
        nop
        nop
        nop
        nop

        /* On the stack of what was interrupted: all registers that a function may change. */
        .set    noat
        .globl  board_trap
board_trap:
        mfc0    $26, $13                /* Cause: */
        andi    $26, $26, 31 << 2       /* its exception code is 0 for interrupts */
        bnez    $26, board_fault
        daddiu  $29, $29, -176
        sd      $1, 0($29)
        sd      $2, 8($29)
        sd      $3, 16($29)
        sd      $4, 24($29)
        sd      $5, 32($29)
        sd      $6, 40($29)
        sd      $7, 48($29)
        sd      $8, 56($29)
        sd      $9, 64($29)
        sd      $10, 72($29)
        sd      $11, 80($29)
        sd      $12, 88($29)
        sd      $13, 96($29)
        sd      $14, 104($29)
        sd      $15, 112($29)
        sd      $24, 120($29)
        sd      $25, 128($29)
        sd      $28, 136($29)
        sd      $31, 144($29)
        mfhi    $8
        sd      $8, 152($29)
        mflo    $8
        sd      $8, 160($29)
        dla     $25, board_tick
        jalr    $25
        nop
        ld      $8, 152($29)
        mthi    $8
        ld      $8, 160($29)
        mtlo    $8
        ld      $1, 0($29)
        ld      $2, 8($29)
        ld      $3, 16($29)
        ld      $4, 24($29)
        ld      $5, 32($29)
        ld      $6, 40($29)
        ld      $7, 48($29)
        ld      $8, 56($29)
        ld      $9, 64($29)
        ld      $10, 72($29)
        ld      $11, 80($29)
        ld      $12, 88($29)
        ld      $13, 96($29)
        ld      $14, 104($29)
        ld      $15, 112($29)
        ld      $24, 120($29)
        ld      $25, 128($29)
        ld      $28, 136($29)
        ld      $31, 144($29)
        daddiu  $29, $29, 176
        eret
