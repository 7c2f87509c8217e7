/*
 * What leads where in a piece of code, as far as it decides which bytes may be changed.
 *
 * Behind the first instruction of a function five bytes make a jump:
 *
 *     entry                 place    +1       +2       +3       +4       +5
 *     | first instruction   | e9     |          distance                 | the rest, as it was
 *
 * They may be changed while every thread is stopped if none can come to the places between: no branch
 * from anywhere leads there, no address of them is in data, no call ends there, whose return would.
 *
 * The first instruction stays, since the kernel knows it if somebody probes the function (uprobes: perf probe,
 * bpftrace). A probe is an int3 in place of its first byte, the kernel executes a copy of what the file has there and
 * goes on behind it, and puts that one byte back when the probe is removed. None of this may meet a jump.
 */
#ifndef AN_LIVE_REACH_H
#define AN_LIVE_REACH_H

#include "base/vector.h"
#include "bolt/bat.h"
#include "elf/functions.h"

enum { AN_JUMP_SIZE = 5 };

struct an_reach_call { /* a direct call or jump with a distance of 32 bits */
    uint64_t distance; /* where the distance is */
    uint64_t target;
};

struct an_reach {
    uint64_t start, end; /* addresses, as linked */
    uint64_t *leads;     /* a bit for each byte: something leads there */
    uint64_t *returns;   /* a bit for each byte: a call ends before it */
    uint64_t *linked; /* a bit for each byte: the linker has put a distance of four bytes there */
    struct {
        AN_VECTOR(struct an_reach_call);
    } calls;
};

/* Reads all code of the original. The caller frees it, also on failure. */
enum an_code an_reach_of_original(struct an_elf *elf, const struct an_functions *functions,
                                  struct an_reach *reach, struct an_error *error);

/* Reads the new code of a binary that llvm-bolt wrote, between two addresses; calls are left out. */
enum an_code an_reach_of_layout(struct an_elf *elf, const struct an_bat *bat, uint64_t start,
                                uint64_t end, struct an_reach *reach, struct an_error *error);
void an_reach_free(struct an_reach *reach);

/* Something leads to the address. */
void an_reach_lead(struct an_reach *reach, uint64_t address);

/* Somebody may put a breakpoint in place of the instruction there, which does nothing, and remove it, at any time. */
void an_reach_probe(struct an_reach *reach, uint64_t address);

/* Whether the linker has put the distance of a call there: then it is one, and leads to its target. */
bool an_reach_is_linked(const struct an_reach *reach, const struct an_reach_call *call);

/* Why there can be no jump behind the first instruction of a function, or NULL if there can. `first`: the length of
 * that instruction if the new code begins with the same one; else 0. */
const char *an_reach_objection(const struct an_reach *reach, uint64_t entry, uint64_t size,
                               uint8_t first);

#endif
