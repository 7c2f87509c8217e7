/* anneal diff for LLVM's instrumentation profiles. */
#ifndef AN_CLI_FAMILY_LLVM_DIFF_H
#define AN_CLI_FAMILY_LLVM_DIFF_H

#include "diffing.h"

/* Compares two of them. Returns the exit status; messages were printed. */
int llvm_diff(const struct diff_request *request);

#endif
