/*
 * What is counted of a program, from whatever source: branches, and the runs of instructions that
 * followed them. Samples give a tally; a pre-aggregated file gives it too, and runs without the
 * branch before them.
 */
#ifndef AN_BRANCH_COUNTED_H
#define AN_BRANCH_COUNTED_H

#include "base/map.h"
#include "base/vector.h"
#include "branch/tally.h"
#include "elf/elf.h"

struct an_counted_run {
    uint32_t start, end; /* as the tally's addresses */
    bool from_outside;   /* the branch that led to it came from elsewhere, or was a return */
    uint64_t count;
};

struct an_counted {
    struct an_tally tally;
    struct {
        AN_VECTOR(struct an_counted_run);
    } runs;
    uint64_t base;           /* what addresses count from */
    bool places;             /* branches have no targets: they are places of samples */
    struct an_buffer events; /* of a pre-aggregated file: names of what was sampled */
    uint64_t entries;        /* lines of a pre-aggregated file */
    uint64_t foreign;        /* of these, of other binaries */
    uint64_t branch_sum;     /* of all branches' counts, of a pre-aggregated file */
    uint64_t run_sum;        /* likewise of all runs' */

    /* Addresses outside of the binary, if they are kept; the tally has AN_COUNTED_OUTSIDE and their index in place of them. */
    bool keeps_outside;
    struct {
        AN_VECTOR(uint64_t);
    } outside;
    struct an_map outside_index;
};

#define AN_COUNTED_OUTSIDE 0xf0000000u

void an_counted_free(struct an_counted *counted);

/* The address, from the binary's start, as the tally has it: 0 when it does not lie there. */
static inline uint32_t an_counted_relative(const struct an_counted *counted, uint64_t address)
{
    uint64_t offset = address - counted->base;
    return offset < AN_TALLY_NOWHERE ? (uint32_t)offset : 0;
}

static inline uint64_t an_counted_absolute(const struct an_counted *counted, uint32_t address)
{
    bool is_outside = counted->outside.count && address >= AN_COUNTED_OUTSIDE;
    return address && !is_outside ? counted->base + address : 0;
}

/* The address that the counts had, also outside of the binary, if these are kept. */
static inline uint64_t an_counted_original(const struct an_counted *counted, uint32_t address)
{
    return counted->outside.count && address >= AN_COUNTED_OUTSIDE
               ? counted->outside.items[address - AN_COUNTED_OUTSIDE]
               : an_counted_absolute(counted, address);
}

/* Whether a file looks like the pre-aggregated format. Standard input cannot be looked at
 * beforehand: it does not. */
bool an_counted_recognise(const char *path);

/* Adds what a pre-aggregated file has; entries of other builds than `elf` are left out. */
enum an_code an_counted_read(struct an_counted *counted, const char *path, const struct an_elf *elf,
                             struct an_error *error);

/* Appends the pre-aggregated form, in the order of addresses. False when memory runs out. */
bool an_counted_write(const struct an_counted *counted, struct an_buffer *buffer,
                      bool (*same_function)(void *context, uint64_t one, uint64_t other),
                      void *context);

#endif
