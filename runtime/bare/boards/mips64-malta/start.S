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

        dla     $25, an_bare_start
        jr      $25
        nop
