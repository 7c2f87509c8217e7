/*
 * Jumps from functions that were not hit into the middle of those that were. Compilers make none,
 * apart from parts of one function (elf/fragments.h); assembly does: in the C library, mempcpy
 * jumps into memmove behind its first instruction.
 */
#ifndef AN_BRANCH_VISITS_H
#define AN_BRANCH_VISITS_H

#include "branch/body.h"

/*
 * Sets visits[index] for each function that body_of does not have and that seems to have such a
 * jump: every byte is taken for an opcode, so that functions are found that have none, but no
 * function is missed. Those found are to be decoded to know for sure.
 */
void an_visits_find(const struct an_flow_program *program, unsigned threads, bool *visits);

#endif
