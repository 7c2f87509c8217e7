/* What the parts of the llvm-profdata personality share. */
#ifndef AN_CLI_PROFILES_LLVM_REFUSED_H
#define AN_CLI_PROFILES_LLVM_REFUSED_H

#include <stdbool.h>

/* Option ids at and above LLVM_REFUSED ask for something that anneal does not do. */
enum { LLVM_REFUSED = 1000, REFUSED_SAMPLE = 1000 };

/* Prints why an option is refused; false when it is not one of those. */
bool llvm_option_refused(int id);

#endif
