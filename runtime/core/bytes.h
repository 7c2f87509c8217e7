/* Numbers in the program's own byte order, wherever they stand. */
#ifndef AN_RT_BYTES_H
#define AN_RT_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint64_t an_rt_load64(const void *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

/*
 * Counters in GCC's files are two words of 32 bits, the lower one first in either byte order (gcov_write_counter in
 * GCC's gcov-io.cc, dump_counter in libgcov-driver.c).
 */
static inline uint64_t an_rt_gcc_word_pair(uint64_t value)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? value << 32 | value >> 32 : value;
}

static inline uint64_t an_rt_load_gcc_counter(const void *from)
{
    return an_rt_gcc_word_pair(an_rt_load64(from));
}

static inline uint32_t an_rt_load32(const void *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* What has the size of a pointer. */
static inline uintptr_t an_rt_load_address(const void *from)
{
    uintptr_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline uint16_t an_rt_load16(const void *from)
{
    uint16_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

#endif
