/* What the version of an LLVM profile that was written cannot hold, told. */
#ifndef AN_CLI_CORE_LLVM_LEFT_OUT_H
#define AN_CLI_CORE_LLVM_LEFT_OUT_H

#include <anneal/llvm.h>

/* A warning for each kind of what was left out; nothing if that is nothing. */
void llvm_tell_left_out(const struct an_llvm_left_out *left_out);

#endif
