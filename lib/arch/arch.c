/* The instruction sets that are known; see arch.h. */
#include "arch/arch.h"

const struct an_arch *an_arch_of(uint16_t machine)
{
    const struct an_arch *const all[] = {an_arch_x86_64()};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->machine == machine)
            return all[i];
    return NULL;
}
