/* Options of llvm-profdata for what anneal does not do; see llvm_refused.h. */
#include "llvm_refused.h"
#include "cli/core/command.h"

static const char *const unsupported_reason[] = {
    "anneal does not support sample profiles (AutoFDO)",
};

bool llvm_option_refused(int id)
{
    if (id < LLVM_REFUSED)
        return false;
    say_error("%s", unsupported_reason[id - LLVM_REFUSED]);
    return true;
}
