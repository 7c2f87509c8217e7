/*
 * What the compiler and the runtime take for granted of a libc, for programs that have none. The linker takes a
 * libc's where there is one.
 */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *one, const void *two, size_t size);

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

#ifdef __arm__
/*
 * clang calls them by these names ("Run-time ABI for the Arm Architecture", "Memory copying, clearing, and
 * setting"); the numbers tell the alignment.
 */
void __aeabi_memcpy(void *to, const void *from, size_t size);
__attribute__((weak)) void __aeabi_memcpy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

void __aeabi_memset(void *to, size_t size, int value);
__attribute__((weak)) void __aeabi_memset(void *to, size_t size, int value)
{
    memset(to, value, size);
}

void __aeabi_memclr(void *to, size_t size);
__attribute__((weak)) void __aeabi_memclr(void *to, size_t size)
{
    memset(to, 0, size);
}

__asm__(".weak __aeabi_memcpy4, __aeabi_memcpy8, __aeabi_memset4, __aeabi_memset8\n"
        ".weak __aeabi_memclr4, __aeabi_memclr8\n"
        ".thumb_set __aeabi_memcpy4, __aeabi_memcpy\n"
        ".thumb_set __aeabi_memcpy8, __aeabi_memcpy\n"
        ".thumb_set __aeabi_memset4, __aeabi_memset\n"
        ".thumb_set __aeabi_memset8, __aeabi_memset\n"
        ".thumb_set __aeabi_memclr4, __aeabi_memclr\n"
        ".thumb_set __aeabi_memclr8, __aeabi_memclr");
#endif
