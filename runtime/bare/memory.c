/*
 * What the compiler and the runtime take for granted of a libc, for programs that have none. The linker takes a
 * libc's where there is one.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

__attribute__((weak)) void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    uint8_t *end = to;
    for (const uint8_t *at = from; size; size--)
        *end++ = *at++;
    return to;
}

__attribute__((weak)) void *memset(void *to, int value, size_t size)
{
    for (uint8_t *at = to; size; size--)
        *at++ = (uint8_t)value;
    return to;
}

__attribute__((weak)) int memcmp(const void *one, const void *two, size_t size)
{
    const uint8_t *left = one, *right = two;
    for (; size; size--, left++, right++)
        if (*left != *right)
            return *left < *right ? -1 : 1;
    return 0;
}
