/*
 * A Cortex-M3 on Arm's MPS2 board, as application note 385 and QEMU (hw/arm/mps2.c) have it. A tick of the
 * timer looks for Ctrl-C, so that programs need not.
 */
#include <stdint.h>

#include "bare/bare.h"
#include "bare/board.h"
#include "bare/start.h"

/* The CMSDK's UART (Cortex-M System Design Kit, "APB UART"). */
static volatile struct {
    uint32_t data, state, control, interrupts, divider;
} *const uart = (void *)0x40004000;
enum { IS_FULL = 1, RECEIVED = 2, SEND_AND_RECEIVE = 3, SMALLEST_DIVIDER = 16 };

/* The processor's own timer (Armv7-M Architecture Reference Manual, "SysTick"). */
static volatile struct {
    uint32_t control, reload, value;
} *const systick = (void *)0xe000e010;
enum { TICK = 250000, ENABLED_WITH_INTERRUPT = 7 }; /* 10 ms at 25 MHz */

/* In start.S: asks the debugger, or QEMU, for something. */
void board_call_debugger(uint32_t operation, const uint32_t *argument);

static volatile bool is_locked;

void an_board_put(char character)
{
    while (uart->state & IS_FULL)
        ;
    uart->data = (uint8_t)character;
}

int an_board_get(void)
{
    return uart->state & RECEIVED ? (uint8_t)uart->data : -1;
}

unsigned an_board_core(void)
{
    return 0;
}

/* There is one core. An interrupt that comes in between gives back what it takes, or never returns. */
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

/* Ends QEMU by a call to the debugger ("Semihosting for AArch32 and AArch64", SYS_EXIT_EXTENDED). */
_Noreturn void an_board_end(int status)
{
    enum { EXIT = 0x20, APPLICATION_ENDED = 0x20026 };
    const uint32_t reason[2] = {APPLICATION_ENDED, (uint32_t)status};
    board_call_debugger(EXIT, reason);
    for (;;)
        ;
}

/* ---- what the vectors point to ---- */

_Noreturn void board_start(void);
_Noreturn void board_fault(void);
void board_tick(void);

void board_start(void)
{
    uart->divider = SMALLEST_DIVIDER;
    uart->control = SEND_AND_RECEIVE;
    systick->reload = TICK - 1;
    systick->value = 0;
    systick->control = ENABLED_WITH_INTERRUPT;
    an_bare_start();
}

void board_fault(void)
{
    an_board_end(1);
}

void board_tick(void)
{
    an_bare_poll();
}
