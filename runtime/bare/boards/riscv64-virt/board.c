/*
 * QEMU's RISC-V machine `virt` with four harts, which have data of their own (map.c). A tick of a timer looks for Ctrl-C
 * (start.S), so that programs need not.
 */
#include "bare/board.h"

#include "map.h"

/* The 16550's registers. */
enum { DATA, STATUS = 5, RECEIVED = 1, CAN_SEND = 0x20 };
static volatile uint8_t *const uart = (volatile uint8_t *)UART;

static AN_BOARD_SHARED unsigned is_locked;
static AN_BOARD_SHARED unsigned ended;
static AN_BOARD_SHARED int worst;

void an_board_put(char character)
{
    while (!(uart[STATUS] & CAN_SEND))
        ;
    uart[DATA] = (uint8_t)character;
}

int an_board_get(void)
{
    return uart[STATUS] & RECEIVED ? uart[DATA] : -1;
}

/* start.S left it there. */
unsigned an_board_core(void)
{
    unsigned long hart;
    __asm__("csrr %0, sscratch" : "=r"(hart));
    return (unsigned)hart;
}

bool an_board_try_lock(void)
{
    return !__atomic_exchange_n(&is_locked, 1, __ATOMIC_ACQUIRE);
}

void an_board_unlock(void)
{
    __atomic_store_n(&is_locked, 0, __ATOMIC_RELEASE);
}

enum { INTERRUPTS = 2 }; /* sstatus.SIE */

_Noreturn void an_board_end(int status)
{
    __asm__ volatile("csrc sstatus, %0" : : "r"(INTERRUPTS));
    an_board_unlock();
    if (status)
        __atomic_store_n(&worst, status, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&ended, 1, __ATOMIC_ACQ_REL) == HARTS)
        *(volatile uint32_t *)FINISHER =
            worst ? (uint32_t)worst << 16 | FINISHER_FAIL : FINISHER_PASS;
    for (;;)
        __asm__ volatile("wfi");
}

/* The ticks of start.S, when all that they need has been made. */
__attribute__((constructor)) static void let_interrupts_through(void)
{
    __asm__ volatile("csrs sstatus, %0" : : "r"(INTERRUPTS));
}
