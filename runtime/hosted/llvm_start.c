/* See llvm_start.h. */
#include "hosted/llvm_start.h"

#include "core/llvm_interface.h"
#include "hosted/whole.h"

/* Clang has the linker look for it, and so take this file in. */
static int own;
extern int __llvm_profile_runtime __attribute__((weak, alias("own")));

/* The compiler is not to know what the linker decides. */
static bool is_own(const int *runtime)
{
    __asm__("" : "+r"(runtime));
    return runtime == &own;
}

/* Before the program's own constructors, so that its destructors are counted. */
__attribute__((constructor(101))) static void start(void)
{
    if (is_own(&__llvm_profile_runtime))
        an_rt_llvm_start(!an_rt_is_whole);
}
