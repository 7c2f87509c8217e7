/* What all commands of the llvm-profdata personality answer to --version. */
#ifndef AN_CLI_DROP_IN_LLVM_PROFDATA_VERSION_H
#define AN_CLI_DROP_IN_LLVM_PROFDATA_VERSION_H

/* LLVM's version, whose release the personality is, and anneal's own. */
void llvm_profdata_version(void);

#endif
