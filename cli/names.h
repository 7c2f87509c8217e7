/* Printing function names and values of readers. */
#ifndef AN_CLI_NAMES_H
#define AN_CLI_NAMES_H

#include <anneal/llvm.h>

/* What messages call a set of variants: "IR, context-sensitive" and the like, in a static buffer. */
const char *variants_text(unsigned variants);

/* A word for a value kind: "indirect calls", "memory sizes", "virtual tables". */
const char *value_kind_text(enum an_llvm_value_kind kind);

#endif
