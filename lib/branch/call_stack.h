/*
 * The functions that were on a call stack when their code was replaced. The file has their names,
 * one a line; or it is what Ocolos leaves: a number, and so many addresses where functions begin in
 * the original, all of them little-endian words of 64 bits (upenn-acg/ocolos-public,
 * src/infrastructure.cpp).
 */
#ifndef AN_BRANCH_CALL_STACK_H
#define AN_BRANCH_CALL_STACK_H

#include "elf/functions.h"

/*
 * Reads the file. In text, # begins a comment; a name stands for itself and for all local functions
 * of that name. *on_stack has a flag for each function; the caller frees it.
 */
enum an_code an_call_stack_read(const char *path, const struct an_functions *functions,
                                bool **on_stack, struct an_error *error);

#endif
