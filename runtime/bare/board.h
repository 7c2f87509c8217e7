/*
 * What the runtime asks of a board without an operating system. A board is one short file that has these
 * functions (boards/riscv64-virt/board.c and its neighbours are such files), and, unless the program has them
 * already, start code and a linker script. docs/guides/boards.md shows how to write one.
 *
 * All of them are called with interrupts as they are. None may allocate, print or wait for anything but the
 * console's transmitter.
 */
#ifndef AN_BARE_BOARD_H
#define AN_BARE_BOARD_H

#include <stdbool.h>

/*
 * Puts a variable where all cores see the same one. A board whose cores have data of their own places the
 * section .shared in memory that they have in common; elsewhere it is a part of .data.
 */
#define AN_BOARD_SHARED __attribute__((section(".shared")))

/*
 * Sends one character to the console, waiting as long as the transmitter is busy. Lines end with '\n'; a
 * console that wants a carriage return gets it from here. The core that calls it holds the console.
 */
void an_board_put(char character);

/* The next character that came from the console, 0 to 255; -1: nothing came. Does not wait. */
int an_board_get(void);

/*
 * The number of the core that calls, from 0 on. It is appended to the names of the files, so that no two cores
 * that count for themselves may have the same. Cores that share their data share a number, too: 0.
 */
unsigned an_board_core(void);

/*
 * Takes the console if nobody has it, without waiting; false: somebody has it, this core included. What was
 * written to memory by the core that gave it back has to be visible then (acquire and release in the sense of
 * C11's atomics). A board with one core needs no more than a flag.
 */
bool an_board_try_lock(void);
void an_board_unlock(void);

/*
 * The calling core has ended with this status, 0 being success: it is halted, or reset, or turned off. On a
 * simulator the last core to end also ends that.
 *
 * The core still holds the console, so that no interrupt that looks for Ctrl-C can end it once more. With several
 * cores this gives it to the others, by an_board_unlock(), where no interrupt can come any more.
 */
_Noreturn void an_board_end(int status);

#endif
