/*
 * Control flow of the functions that a profile hits, so that what lay between two taken branches
 * can be told: the fall-throughs.
 *
 * A branch record says from where and to where. Between the target of one branch and the source of
 * the next, execution ran straight on; every boundary of basic blocks on the way was crossed.
 * Where the blocks begin depends on what else leads there: branches, jump tables, landing pads of
 * exceptions, addresses that data or other functions refer to. llvm-bolt attaches counts to its own
 * blocks, so the blocks found here are meant to be the same ones (its lib/Core/BinaryFunction.cpp:
 * disassemble(), buildCFG(), postProcessIndirectBranches(), and analyzeJumpTable() of
 * BinaryContext.cpp; their results were compared on SQLite and MariaDB, see
 * tests/golden/test_aggregate.sh). Only functions that were hit are decoded.
 *
 *   decode (body.c)  ->  labels: relocations.c, jump_table.c, landing pads  ->  blocks.c  ->  trace
 */
#ifndef AN_BRANCH_FLOW_H
#define AN_BRANCH_FLOW_H

#include "branch/records.h"
#include "elf/functions.h"

struct an_flow;

/*
 * Decodes the functions for which hit[index] is set. The elf and the functions must outlive the
 * result, which the caller frees. Code for a processor that lib/arch does not know: AN_UNSUPPORTED.
 */
enum an_code an_flow_build(struct an_elf *elf, const struct an_functions *functions,
                           const bool *hit, unsigned threads, struct an_flow **out,
                           struct an_error *error);
void an_flow_free(struct an_flow *flow);

/*
 * Counts a run from one address to another of the same function `count` times. `from_outside`: the
 * branch that led to `from` came from another function; if it was a return, the block before it,
 * which ends in the call, counts too. False when the function's blocks do not allow that run.
 */
bool an_flow_count(struct an_flow *flow, size_t function, uint64_t from, uint64_t to,
                   bool from_outside, uint64_t count);

/* Calls each() for every fall-through that was counted: from the last instruction of a block to the
 * block behind it, as offsets in the function. */
void an_flow_each(const struct an_flow *flow,
                  void (*each)(void *context, size_t function, uint64_t from, uint64_t to,
                               uint64_t count),
                  void *context);

/* Adds a record for each of them. False when memory runs out. */
bool an_flow_add_records(const struct an_flow *flow, struct an_records *records);

/* Whether the instruction at the address, which lies in that function, is a return. */
bool an_flow_is_return(const struct an_flow *flow, size_t function, uint64_t address);

#endif
