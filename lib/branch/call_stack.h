/* The functions that were on a call stack when their code was replaced: a file of names. */
#ifndef AN_BRANCH_CALL_STACK_H
#define AN_BRANCH_CALL_STACK_H

#include "elf/functions.h"

/*
 * Reads the file, one name a line, # begins a comment; a name stands for itself and for all local
 * functions of that name. *on_stack has a flag for each function; the caller frees it.
 */
enum an_code an_call_stack_read(const char *path, const struct an_functions *functions,
                                bool **on_stack, struct an_error *error);

#endif
