/* Compilers by name, for options that say who is to read a profile. */
#ifndef AN_CLI_CORE_LLVM_RELEASE_H
#define AN_CLI_CORE_LLVM_RELEASE_H

#include <stdbool.h>

/*
 * The release of LLVM that a compiler has: of clang-22 or llvm-22, which need not be installed; or of a program, by its name
 * or path, which is asked with --version. False after a message that names the option.
 */
bool llvm_release_of(const char *option, const char *compiler, unsigned *release);

#endif
