/* The version of the llvm-profdata personality. */
#include "llvm_profdata_version.h"

#include <stdio.h>

#include <anneal/version.h>

void llvm_profdata_version(void)
{
    printf("LLVM version 19.1.7 (anneal %s)\n", an_version());
}
