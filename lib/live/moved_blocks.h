/*
 * Places in the middle of functions at which old and new code do the same, so that a thread can go from one to the other
 * there: the beginnings of blocks. A function that is entered once and never left, such as the main loop of an
 * interpreter, comes to its new code only by these.
 *
 *     original   | entry | ... | head: ... jne head | ...          | handler: ... jmp *table(,%rax,8) | ...
 *                                 |                                    |
 *     new        | entry | ... | head: ... jne head | handler: ... | ...
 *
 * Those that are taken are the ones that a loop comes by again and again: targets of branches that lead backwards and, in a
 * function that jumps to where a register says, whatever stands behind the end of a straight line: the handlers of a
 * switch in a loop, or of an interpreter's jumps to labels. Blocks in the cold part of new code are left alone.
 *
 * What llvm-bolt says of a block (bolt/bat.h) holds for the registers and the stack, too, with the options that are
 * allowed (an_live_refused_option()): it moves blocks, and changes branches and the forms of single instructions.
 */
#ifndef AN_LIVE_MOVED_BLOCKS_H
#define AN_LIVE_MOVED_BLOCKS_H

#include "live/generation.h"

/* Finds those of a generation of which all else is known. The order does not depend on the process: the same two files have
 * the same blocks. AN_SYSTEM when there is no memory. */
enum an_code an_moved_blocks_find(struct an_generation *generation, const struct an_elf *original,
                                  struct an_error *error);

#endif
