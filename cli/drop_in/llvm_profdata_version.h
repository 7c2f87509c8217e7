/*
 * The version of the llvm-profdata personality: that of LLVM 19, unless the name of the link says 22 or later, as
 * llvm-profdata-22 does.
 */
#ifndef AN_CLI_DROP_IN_LLVM_PROFDATA_VERSION_H
#define AN_CLI_DROP_IN_LLVM_PROFDATA_VERSION_H

/* 19, 22 or 23. */
unsigned llvm_profdata_release(void);

/* What all commands answer to --version: LLVM's version, whose release the personality is, and anneal's own. */
void llvm_profdata_version(void);

#endif
