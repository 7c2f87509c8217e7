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

static inline uint32_t an_rt_load32(const void *from)
{
    uint32_t value;
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
