/*
 * Memory of its own for each hart, as each core of an Octeon has it: .data, .bss, heap and stack are at the same
 * virtual addresses, with different memory behind them, so that each hart counts for itself without knowing of
 * the others. Text, constants and .shared are common.
 *
 *     virtual                       physical
 *     00000000..3fffffff  ────────► the same                        devices
 *     80000000..801fffff  ────────► the same                        text, constants, .shared
 *     80200000..803fffff  ────────► 80200000 + hart · 200000        what is the hart's own
 *
 * Two tables do for this (RISC-V Privileged Architecture, "Sv39"): an entry of the first stands for 1 GiB, one of
 * the second for 2 MiB.
 */
#include "map.h"

enum { ENTRIES = 512, SV39 = 8 };
enum { VALID = 1, READ = 2, WRITE = 4, EXECUTE = 8, ACCESSED = 64, DIRTY = 128 };
enum { DATA = VALID | READ | WRITE | ACCESSED | DIRTY, CODE = DATA | EXECUTE };

/* Not filled with anything by the start code, which runs after this. */
static __attribute__((section(".tables"), aligned(4096))) uint64_t tables[HARTS][2][ENTRIES];

static uint64_t entry(uint64_t address, unsigned flags)
{
    return address >> 12 << 10 | flags;
}

uint64_t board_map(uint64_t hart)
{
    uint64_t *root = tables[hart][0], *leaves = tables[hart][1];
    for (unsigned i = 0; i < ENTRIES; i++)
        root[i] = leaves[i] = 0;
    root[0] = entry(0, DATA);
    root[MEMORY >> 30] = entry((uintptr_t)leaves, VALID);
    leaves[0] = entry(MEMORY, CODE);
    leaves[1] = entry(PRIVATE + hart * PRIVATE_SIZE, DATA);
    return (uint64_t)SV39 << 60 | (uintptr_t)root >> 12;
}
