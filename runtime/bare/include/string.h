/* For compilers that come without a libc: what the runtime uses of this header (memory.c). */
#ifndef AN_BARE_STRING_H
#define AN_BARE_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *one, const void *two, size_t size);

#endif
