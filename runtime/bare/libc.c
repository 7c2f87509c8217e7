/* Where exit() of a libc ends, for programs that have one that leaves this to them (newlib, picolibc). */
#include "bare/bare.h"

_Noreturn void _exit(int status);

__attribute__((weak)) _Noreturn void _exit(int status)
{
    an_bare_exit(status);
}
