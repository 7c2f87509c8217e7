/* How records of functions are laid out, by version; llvm_module.h draws them. */
#include "core/llvm_module.h"

enum { P = sizeof(void *) };
static const struct an_rt_layout layouts[] = {
    {7, (24 + 3 * P + 7) / 8 * 8, 16 + P, 16 + 2 * P, 16 + 3 * P, 20 + 3 * P, 0, 0, 2},
    {8, (24 + 3 * P + 7) / 8 * 8, 16 + P, 16 + 2 * P, 16 + 3 * P, 20 + 3 * P, 0, 0, 2},
    {9, (28 + 4 * P + 7) / 8 * 8, 16 + 2 * P, 16 + 3 * P, 16 + 4 * P, 20 + 4 * P, 16 + P,
     24 + 4 * P, 2},
    {10, (32 + 4 * P + 7) / 8 * 8, 16 + 2 * P, 16 + 3 * P, 16 + 4 * P, 20 + 4 * P, 16 + P,
     28 + 4 * P, 3},
    {11, (32 + 5 * P + 7) / 8 * 8, 16 + 3 * P, 16 + 4 * P, 16 + 5 * P, 20 + 5 * P, 16 + 2 * P,
     28 + 5 * P, 3},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

const struct an_rt_layout *an_rt_layout(unsigned version)
{
    for (size_t i = 0; i < LAYOUTS; i++)
        if (layouts[i].version == version)
            return &layouts[i];
    return NULL;
}
