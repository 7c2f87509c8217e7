/*
 * MIPS' Malta board with one core, as QEMU has it (hw/mips/malta.c), big-endian. Kernels run in the segment
 * in which physical memory is seen without translation, and devices in the one beside it, without cache. A tick of the
 * processor's timer looks for Ctrl-C, so that programs need not.
 */
#include <stdint.h>

#include "bare/bare.h"
#include "bare/board.h"

static volatile uint8_t *device(uint32_t address)
{
    return (volatile uint8_t *)(0xffffffffa0000000u + address);
}

/* The first 16550, on the ISA bus, whose ports begin at 0x18000000. */
enum { UART = 0x180003f8, DATA = 0, STATUS = 5, RECEIVED = 1, CAN_SEND = 0x20 };
/* The board's own register that resets it. */
enum { RESET = 0x1f000500, DO_RESET = 0x42 };

static volatile bool is_locked;

void an_board_put(char character)
{
    while (!(device(UART)[STATUS] & CAN_SEND))
        ;
    device(UART)[DATA] = (uint8_t)character;
}

int an_board_get(void)
{
    return device(UART)[STATUS] & RECEIVED ? device(UART)[DATA] : -1;
}

unsigned an_board_core(void)
{
    return 0;
}

bool an_board_try_lock(void)
{
    bool was_locked = is_locked;
    is_locked = true;
    return !was_locked;
}

void an_board_unlock(void)
{
    is_locked = false;
}

/* With -no-reboot, a reset ends QEMU. There is nothing that could tell it a status. */
_Noreturn void an_board_end(int status)
{
    (void)status;
    for (;;)
        *(volatile uint32_t *)device(RESET) = DO_RESET;
}

/* ---- what start.S calls ---- */

void board_tick(void);
_Noreturn void board_fault(void);

/* The timer rings when Count is Compare; setting this also ends the interrupt (MIPS64 PRA, "Compare Register"). */
static void set_timer(void)
{
    enum { TICK = 1000000 };
    uint32_t now;
    __asm__ volatile("mfc0 %0, $9" : "=r"(now));
    __asm__ volatile("mtc0 %0, $11; ehb" : : "r"(now + TICK));
}

void board_tick(void)
{
    set_timer();
    an_bare_poll();
}

void board_fault(void)
{
    an_board_end(1);
}

/* When all that a tick needs has been made. */
__attribute__((constructor)) static void let_interrupts_through(void)
{
    enum { ENABLED = 1, TIMER = 1 << 15 };
    uint32_t status;
    set_timer();
    __asm__ volatile("mfc0 %0, $12" : "=r"(status));
    __asm__ volatile("mtc0 %0, $12; ehb" : : "r"(status | TIMER | ENABLED));
}
