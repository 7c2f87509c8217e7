/* Where things are on QEMU's `virt` (hw/riscv/virt.c); also read by start.S and board.ld. */
#ifndef AN_BOARD_MAP_H
#define AN_BOARD_MAP_H

#define HARTS 4
#define FINISHER 0x100000 /* ends the simulation: the "test finisher" of SiFive's boards */
#define FINISHER_PASS 0x5555
#define FINISHER_FAIL 0x3333
#define UART 0x10000000      /* a 16550 */
#define TIMER_ENDS 0x2004000 /* the CLINT: when each hart's timer rings, 8 bytes each, */
#define TIMER 0x200bff8      /* and the time, at 10 MHz */
#define TICK 100000          /* 10 ms */
#define TIMER_RINGS 7        /* interrupts, by their numbers */
#define SOFTWARE_RINGS 1
#define MEMORY 0x80000000
#define PRIVATE 0x80200000 /* where each hart sees memory of its own; text is in front of it */
#define PRIVATE_SIZE 0x200000

#ifndef __ASSEMBLER__
#include <stdint.h>

/* Makes the page tables of a hart. Returns what its register satp is to be. */
uint64_t board_map(uint64_t hart);
#endif

#endif
