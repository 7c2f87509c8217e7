/*
 * Finding the function, or the virtual table, that an address belongs to: values that are addresses mean
 * something in the process only that saw them, since each has its own load address. In a profile that
 * many processes share they stand as the addresses which the first of them had.
 */
#ifndef AN_RT_LLVM_TARGETS_H
#define AN_RT_LLVM_TARGETS_H

#include "core/llvm_module.h"

/* The records of functions and tables, with the addresses that they have somewhere. */
struct an_rt_addresses {
    const uint8_t *data, *vtables;
};

struct an_rt_targets {
    const struct an_rt_module *module; /* for its layout and numbers */
    struct an_rt_addresses from, to;
    struct an_rt_order {
        uint32_t *records; /* their numbers, by address in `from` */
        size_t count;
    } functions, vtables;
    uint32_t *room; /* that both lie in */
};

/* Prepares to take values over from one place to the other one. False when memory ran out. */
bool an_rt_targets_make(struct an_rt_targets *targets, const struct an_rt_module *module,
                        const struct an_rt_addresses *from, const struct an_rt_addresses *to);
void an_rt_targets_free(struct an_rt_targets *targets);

/* What the value is there; 0, LLVM's word for functions that it does not know, when it is unknown. */
uint64_t an_rt_targets_find(const struct an_rt_targets *targets, unsigned kind, uint64_t value);

#endif
