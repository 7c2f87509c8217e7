/* Bounded reading and growing output; see bytes.h. */
#include "base/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

uint64_t an_cursor_uleb128(struct an_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = an_cursor_u8(cursor);
        if (cursor->short_read)
            return 0;
        uint64_t bits = byte & 0x7f;
        if (shift > 63 || (shift == 63 && bits > 1)) {
            cursor->short_read = true;
            return 0;
        }
        value |= bits << shift;
        if (!(byte & 0x80))
            return value;
    }
}

int64_t an_cursor_sleb128(struct an_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = an_cursor_u8(cursor);
        if (cursor->short_read)
            return 0;
        uint64_t bits = byte & 0x7f;
        if (shift > 63 || (shift == 63 && bits != 0 && bits != 0x7f)) {
            cursor->short_read = true;
            return 0;
        }
        value |= bits << shift;
        if (!(byte & 0x80)) {
            if (byte & 0x40 && shift < 57)
                value |= ~UINT64_C(0) << (shift + 7);
            return (int64_t)value;
        }
    }
}

void an_buffer_free(struct an_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct an_buffer){0};
}

/* Makes the capacity this one. */
static bool grow(struct an_buffer *buffer, size_t capacity)
{
    uint8_t *data = an_grow(buffer->data, capacity, 1);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

bool an_buffer_reserve(struct an_buffer *buffer, size_t wanted)
{
    size_t doubled = buffer->capacity > SIZE_MAX / 2 ? SIZE_MAX : 2 * buffer->capacity;
    if (buffer->failed || wanted <= buffer->capacity)
        return !buffer->failed;
    return grow(buffer, wanted > doubled ? wanted : doubled);
}

void an_buffer_expect(struct an_buffer *buffer, size_t wanted)
{
    if (buffer->failed || wanted <= buffer->capacity)
        return;
    uint8_t *data = an_alloc_large(&wanted);
    if (!data)
        return;
    if (buffer->size)
        memcpy(data, buffer->data, buffer->size);
    free(buffer->data);
    buffer->data = data;
    buffer->capacity = wanted;
}

void an_buffer_trim(struct an_buffer *buffer)
{
    uint8_t *data = buffer->size ? an_shrink(buffer->data, buffer->size) : NULL;
    if (!data)
        return;
    buffer->data = data;
    buffer->capacity = buffer->size;
}

uint8_t *an_buffer_extend(struct an_buffer *buffer, size_t size)
{
    if (buffer->failed)
        return NULL;
    if (size > buffer->capacity - buffer->size) {
        size_t needed;
        if (__builtin_add_overflow(buffer->size, size, &needed)) {
            buffer->failed = true;
            return NULL;
        }
        size_t capacity = buffer->capacity ? buffer->capacity : 256;
        while (capacity < needed)
            capacity = capacity > SIZE_MAX / 2 ? needed : capacity * 2;
        if (!grow(buffer, capacity))
            return NULL;
    }
    uint8_t *here = buffer->data + buffer->size;
    buffer->size += size;
    return here;
}

void an_buffer_put(struct an_buffer *buffer, const void *bytes, size_t size)
{
    uint8_t *to = size ? an_buffer_extend(buffer, size) : NULL;
    if (to)
        memcpy(to, bytes, size);
}

void an_buffer_print(struct an_buffer *buffer, const char *format, ...)
{
    char small[256];
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof small) {
        an_buffer_put(buffer, small, (size_t)length);
    } else if (length >= 0) {
        uint8_t *to = an_buffer_extend(buffer, (size_t)length + 1);
        if (to) {
            vsnprintf((char *)to, (size_t)length + 1, format, again);
            buffer->size--; /* the final 0 */
        }
    }
    va_end(again);
}

void an_buffer_decimal(struct an_buffer *buffer, uint64_t value, char after)
{
    char digits[24];
    char *end = digits + sizeof digits;
    char *start = end;
    if (after)
        *--start = after;
    do {
        *--start = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    an_buffer_put(buffer, start, (size_t)(end - start));
}

void an_buffer_uleb128(struct an_buffer *buffer, uint64_t value)
{
    do {
        uint8_t byte = value & 0x7f;
        value >>= 7;
        if (value)
            byte |= 0x80;
        an_buffer_put(buffer, &byte, 1);
    } while (value);
}

void an_buffer_patch_le64(struct an_buffer *buffer, size_t at, uint64_t value)
{
    if (buffer->failed)
        return;
    for (size_t i = 0; i < 8; i++)
        buffer->data[at + i] = (uint8_t)(value >> (8 * i));
}
