/* The version of the llvm-profdata personality. */
#include "llvm_profdata_version.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anneal/version.h>

#include "cli/core/command.h"

unsigned llvm_profdata_release(void)
{
    const char *dash = command_is_program ? strrchr(program_name, '-') : NULL;
    unsigned long release =
        dash && isdigit((unsigned char)dash[1]) ? strtoul(dash + 1, NULL, 10) : 0;
    return release < 22 ? 19 : release < 23 ? 22 : 23;
}

/* The last digits are those of the tools that this was compared with. */
void llvm_profdata_version(void)
{
    unsigned release = llvm_profdata_release();
    printf("LLVM version %s (anneal %s)\n",
           release == 19   ? "19.1.7"
           : release == 22 ? "22.1.8"
                           : "23.1.4",
           an_version());
}
