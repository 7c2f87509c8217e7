/* Numbers as LLVM's tools and text formats read them. */
#ifndef AN_BASE_LLVM_NUMBER_H
#define AN_BASE_LLVM_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether the whole text is a number that is not above `most`: in that base; or, for base 0, in the one that 0x, 0b, 0o
 * or a 0 in front of it choose, or 10 (StringRef::getAsInteger).
 */
bool an_llvm_number(const char *text, size_t size, unsigned base, uint64_t most, uint64_t *value);

#endif
