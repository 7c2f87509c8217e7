/*
 * One way to walk bytes that came from a file, and one way to produce them.
 *
 * A cursor reads numbers in the file's byte order and never leaves its bounds: a read that does
 * not fit returns 0 and sets `short_read`, so a group of fields needs one check at its end.
 */
#ifndef AN_BASE_BYTES_H
#define AN_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct an_bytes {
    const uint8_t *data;
    size_t size;
};

/* Unaligned loads in the machine's order; the project supports little-endian hosts' files and
 * big-endian ones alike by swapping where the two differ. */
static inline uint16_t an_load16(const void *from)
{
    uint16_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline uint32_t an_load32(const void *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline uint64_t an_load64(const void *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define AN_HOST_BIG 1
#else
#define AN_HOST_BIG 0
#endif

static inline uint16_t an_get16(const void *from, bool big)
{
    uint16_t value = an_load16(from);
    return big == AN_HOST_BIG ? value : __builtin_bswap16(value);
}

static inline uint32_t an_get32(const void *from, bool big)
{
    uint32_t value = an_load32(from);
    return big == AN_HOST_BIG ? value : __builtin_bswap32(value);
}

static inline uint64_t an_get64(const void *from, bool big)
{
    uint64_t value = an_load64(from);
    return big == AN_HOST_BIG ? value : __builtin_bswap64(value);
}

struct an_cursor {
    struct an_bytes bytes;
    size_t at; /* never beyond bytes.size */
    bool big;  /* byte order of the numbers */
    bool short_read;
};

static inline struct an_cursor an_cursor_at(struct an_bytes bytes, size_t at, bool big)
{
    bool outside = at > bytes.size;
    return (struct an_cursor){bytes, outside ? bytes.size : at, big, outside};
}

static inline size_t an_cursor_left(const struct an_cursor *cursor)
{
    return cursor->bytes.size - cursor->at;
}

/* size bytes at the cursor, or NULL with short_read set. */
static inline const uint8_t *an_cursor_take(struct an_cursor *cursor, size_t size)
{
    if (size > an_cursor_left(cursor)) {
        cursor->short_read = true;
        return NULL;
    }
    const uint8_t *here = cursor->bytes.data + cursor->at;
    cursor->at += size;
    return here;
}

static inline uint8_t an_cursor_u8(struct an_cursor *cursor)
{
    const uint8_t *here = an_cursor_take(cursor, 1);
    return here ? *here : 0;
}

static inline uint16_t an_cursor_u16(struct an_cursor *cursor)
{
    const uint8_t *here = an_cursor_take(cursor, 2);
    return here ? an_get16(here, cursor->big) : 0;
}

static inline uint32_t an_cursor_u32(struct an_cursor *cursor)
{
    const uint8_t *here = an_cursor_take(cursor, 4);
    return here ? an_get32(here, cursor->big) : 0;
}

static inline uint64_t an_cursor_u64(struct an_cursor *cursor)
{
    const uint8_t *here = an_cursor_take(cursor, 8);
    return here ? an_get64(here, cursor->big) : 0;
}

/* A length of 64 bits and as many bytes, padded to a multiple of 8 if `padded`. NULL with
 * short_read set when they do not fit. */
static inline const uint8_t *an_cursor_block(struct an_cursor *cursor, bool padded, uint64_t *size)
{
    *size = an_cursor_u64(cursor);
    uint64_t padding = padded ? -*size & 7 : 0;
    if (cursor->short_read || *size > an_cursor_left(cursor) ||
        padding > an_cursor_left(cursor) - *size) {
        cursor->short_read = true;
        return NULL;
    }
    const uint8_t *here = an_cursor_take(cursor, (size_t)*size);
    an_cursor_take(cursor, (size_t)padding);
    return here;
}

/* ULEB128 (DWARF 5, 7.6) of at most 64 bits; sets short_read when it is longer or cut. */
uint64_t an_cursor_uleb128(struct an_cursor *cursor);

/* SLEB128 likewise. */
int64_t an_cursor_sleb128(struct an_cursor *cursor);

/*
 * A growing output. When memory runs out `failed` is set, further writes do nothing, and the
 * content must not be used: check once, before handing it on.
 */
struct an_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed;
};

void an_buffer_free(struct an_buffer *buffer);

/* Makes room for `size` more bytes and returns where to put them (counted as written), or NULL. */
uint8_t *an_buffer_extend(struct an_buffer *buffer, size_t size);

/* Makes room for `wanted` bytes in all; false when memory runs out. */
bool an_buffer_reserve(struct an_buffer *buffer, size_t wanted);

/*
 * So much will probably be written in all: room for it is made at once, in large pages where the system has
 * them, which spares page faults. Nothing is lost when there is no such memory, or too much was expected.
 */
void an_buffer_expect(struct an_buffer *buffer, size_t wanted);

/* Gives back the room that was not needed. */
void an_buffer_trim(struct an_buffer *buffer);

void an_buffer_put(struct an_buffer *buffer, const void *bytes, size_t size);
void an_buffer_print(struct an_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void an_buffer_decimal(struct an_buffer *buffer, uint64_t value, char after);
void an_buffer_uleb128(struct an_buffer *buffer, uint64_t value);

/* Little-endian numbers: every format written here that has a fixed order has this one. */
static inline void an_buffer_le(struct an_buffer *buffer, uint64_t value, size_t size)
{
    uint8_t *to = an_buffer_extend(buffer, size);
    if (to)
        for (size_t i = 0; i < size; i++)
            to[i] = (uint8_t)(value >> (8 * i));
}

static inline void an_buffer_le64(struct an_buffer *buffer, uint64_t value)
{
    an_buffer_le(buffer, value, 8);
}

/* Overwrites 8 bytes that were written before. */
void an_buffer_patch_le64(struct an_buffer *buffer, size_t at, uint64_t value);

#endif
