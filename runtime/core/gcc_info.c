/* See gcc_info.h. */
#include "core/gcc_info.h"

/* 'B22*' is 12.2: the first character counts the tens from A on. */
unsigned an_rt_gcc_any_release(uint32_t version)
{
    unsigned tens = (version >> 24) - 'A', ones = (version >> 16 & 0xff) - '0';
    return tens < 10 && ones < 10 ? 10 * tens + ones : 0;
}

unsigned an_rt_gcc_release(uint32_t version)
{
    unsigned release = an_rt_gcc_any_release(version);
    return release >= AN_RT_GCC_OLDEST && release <= AN_RT_GCC_NEWEST ? release : 0;
}

unsigned an_rt_gcc_kinds(const struct an_rt_gcc_info *info)
{
    unsigned release = an_rt_gcc_release(info->version);
    return release < 14 ? 8 : release == 14 ? 9 : 10;
}

unsigned an_rt_gcc_functions(const struct an_rt_gcc_info *info)
{
    const void *behind = &info->merge[an_rt_gcc_kinds(info)];
    return *(const unsigned *)behind;
}

const struct an_rt_gcc_function *an_rt_gcc_function(const struct an_rt_gcc_info *info,
                                                    unsigned number)
{
    const void *behind = &info->merge[an_rt_gcc_kinds(info) + 1];
    const struct an_rt_gcc_function *const *functions =
        *(const struct an_rt_gcc_function *const *const *)behind;
    const struct an_rt_gcc_function *function = functions[number];
    return function && function->key == info ? function : NULL;
}
