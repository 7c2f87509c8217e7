/* anneal show --memory, and llvm-profdata show --memory: memory profiles as YAML. */
#ifndef AN_CLI_FAMILY_LLVM_MEMORY_H
#define AN_CLI_FAMILY_LLVM_MEMORY_H

#include <anneal/llvm.h>

#include "base/bytes.h"

/*
 * Prints a memory profile, raw (its program is among these) or indexed, in the words of llvm-profdata of a release (0: the
 * newest). Fails without a message.
 */
enum an_code llvm_memory_print(struct an_bytes file, const char *const *programs, size_t count,
                               unsigned release, struct an_error *error);

#endif
