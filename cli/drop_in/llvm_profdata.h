/* What the commands of the llvm-profdata personality share. */
#ifndef AN_CLI_DROP_IN_LLVM_PROFDATA_H
#define AN_CLI_DROP_IN_LLVM_PROFDATA_H

/* The answer to --version: LLVM's, whose release the personality is, and anneal's own. */
void llvm_profdata_version(void);

#endif
