/* What the runtime uses of this header, for compilers that come without a libc (memory.c). */
#ifndef AN_BARE_STRING_H
#define AN_BARE_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *one, const void *two, size_t size);

#endif
