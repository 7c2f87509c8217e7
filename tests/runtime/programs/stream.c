/* Sends its own profile to its standard output: names, and bytes, of each object. */
#include <gcov.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct gcov_info *const __start_profiles[], *const __stop_profiles[];

#define UNCOUNTED                                                                                  \
    __attribute__((no_profile_instrument_function)) /* they run as the counts are sent */

int part(int (*function)(int), int x);

static int twice(int x)
{
    return 2 * x;
}
static int next(int x)
{
    return x + 1;
}

UNCOUNTED static void name(const char *name, void *argument)
{
    (void)argument;
    printf("%s\n", name);
}

UNCOUNTED static void dump(const void *bytes, unsigned size, void *argument)
{
    (void)argument;
    fwrite(bytes, 1, size, stdout);
}

UNCOUNTED static void *allocate(unsigned size, void *argument)
{
    (void)argument;
    return malloc(size);
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += part(i % 3 ? twice : next, i % 7);
    const struct gcov_info *const *profile = __start_profiles;
    __asm__(""
            : "+r"(profile)); /* it may be that there are none, which the compiler would rule out */
    for (; profile != __stop_profiles; profile++)
        __gcov_info_to_gcda(*profile, name, dump, allocate, NULL);
    return sum == 0;
}
