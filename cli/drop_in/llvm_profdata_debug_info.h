/* llvm-profdata show --debug-info. */
#ifndef AN_CLI_DROP_IN_LLVM_PROFDATA_DEBUG_INFO_H
#define AN_CLI_DROP_IN_LLVM_PROFDATA_DEBUG_INFO_H

#include <stdbool.h>

struct debug_info_show {
    bool names, sizes;
    const char *output; /* NULL: standard output */
};

/* Prints what the file tells. Returns the exit status. */
int llvm_profdata_debug_info(const char *path, const struct debug_info_show *show);

#endif
