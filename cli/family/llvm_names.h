/* Words for what profiles contain, and printing records. */
#ifndef AN_CLI_FAMILY_LLVM_NAMES_H
#define AN_CLI_FAMILY_LLVM_NAMES_H

#include <anneal/llvm.h>

/* What messages call a set of variants: "IR, context-sensitive" and the like, in a static buffer. */
const char *variants_text(unsigned variants);

/* A word for a value kind: "indirect calls", "memory sizes", "virtual tables". */
const char *value_kind_text(enum an_llvm_value_kind kind);

/* Prints a record in the text format. */
void print_record_text(struct an_llvm_reader *reader, const struct an_llvm_record *record);

#endif
