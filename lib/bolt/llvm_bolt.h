/* The llvm-bolt of this machine: where it is, and what it says when it fails. */
#ifndef AN_BOLT_LLVM_BOLT_H
#define AN_BOLT_LLVM_BOLT_H

#include "base/bytes.h"

/* The llvm-bolt that is used if none is named: a path, or NULL when there is none. */
const char *an_bolt_program(void);

/* The last line of what it printed that looks like an error or, if none does, the last line. */
void an_bolt_log_error(struct an_bytes log, char *line, size_t size);

#endif
