/*
 * LLVM's bitcode, which objects are with clang's -flto: the functions that it defines. Linkers find them in a table of
 * symbols that stands behind the code, so nothing of the code itself has to be understood.
 * (LLVM's BitCodeFormat.rst; BitcodeWriter.cpp, writeSymtab() and writeStrtab(); Object/IRSymtab.h.)
 *
 *     "BC" C0 DE │ block │ block ...
 *
 *     block       2 bits 1 │ its number: 8 bits, the highest of them 0 │ width of abbreviations: 4 bits, the highest 0 │
 *                 to the next word │ words of contents: 32 bits │ contents
 *     13, 8       who wrote it, a module
 *     23, 25      names, symbols: an abbreviation for bytes, and bytes
 *
 *     symbols     version │ producer: 2 words │ modules, comdats, symbols, ...: offset and count, 2 words each
 *     symbol      name, in the code: offset and size among the names, 2 words │ 2 words each for its two names │ comdat │ flags
 *
 * Numbers are little-endian; words have 32 bits.
 */
#ifndef AN_FDO_BITCODE_H
#define AN_FDO_BITCODE_H

#include <stdbool.h>

#include "base/bytes.h"

/* A name in the bytes, without an end of its own. */
typedef void an_fdo_bitcode_function(void *context, const char *name, size_t length);

/* Calls `take` for each function that is defined. False: this is no bitcode, or has no table of symbols, or a wrong one. */
bool an_fdo_bitcode_functions(struct an_bytes bytes, an_fdo_bitcode_function *take, void *context);

#endif
