/*
 * MIPS' Malta board with one core, as QEMU has it (hw/mips/malta.c), big-endian. Kernels run in the segment
 * in which physical memory is seen without translation, and devices in the one beside it, without cache.
 */
#include <stdint.h>

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
