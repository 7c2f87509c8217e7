/* Merging LLVM's instrumentation profiles for the commands merge, convert and llvm-profdata merge. */
#ifndef AN_CLI_FAMILY_LLVM_MERGING_H
#define AN_CLI_FAMILY_LLVM_MERGING_H

#include "merging.h"

/* Merges the inputs of the request and writes the result. Returns the exit status; messages were printed. */
int llvm_merge_run(const struct merge_request *request);

/* The same for the one input of anneal convert. */
int llvm_convert_run(const struct merge_request *request);

/* Says as llvm-profdata why a file cannot complete raw profiles. */
struct an_error;
void llvm_tell_binary(const char *path, const struct an_error *error);

#endif
