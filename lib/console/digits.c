/* Bytes as text; see digits.h. */
#include "console/digits.h"

#include "console/line.h"

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static int base64(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

static int value_of(enum an_digits kind, char c)
{
    if (kind == AN_NIBBLES)
        return c >= 'a' && c <= 'p' ? c - 'a' : -1;
    return kind == AN_HEX ? hex(c) : base64(c);
}

static void add(struct an_digits_reader *reader, unsigned value)
{
    unsigned width = reader->kind == AN_BASE64 ? 6 : 4;
    if (reader->kind == AN_NIBBLES)
        reader->held |= value << reader->bits;
    else
        reader->held = reader->held << width | value;
    reader->bits += width;
    if (reader->bits < 8)
        return;
    reader->bits -= 8;
    uint8_t byte =
        (uint8_t)(reader->kind == AN_NIBBLES ? reader->held : reader->held >> reader->bits);
    an_buffer_put(&reader->bytes, &byte, 1);
    reader->held = reader->kind == AN_NIBBLES ? 0 : reader->held & ((1u << reader->bits) - 1);
}

size_t an_digits_read(struct an_digits_reader *reader, const char *text, size_t size)
{
    size_t i = 0;
    for (; i < size; i++) {
        int value = value_of(reader->kind, text[i]);
        if (value >= 0 && !reader->is_padded)
            add(reader, (unsigned)value);
        else if (text[i] == '=' && reader->kind == AN_BASE64)
            reader->is_padded = true;
        else
            break;
    }
    return i;
}

bool an_digits_only(enum an_digits kind, const char *text, size_t size)
{
    size = an_trimmed(text, size);
    for (size_t i = 0; i < size; i++)
        if (value_of(kind, text[i]) < 0 && (kind != AN_BASE64 || text[i] != '='))
            return false;
    return size > 0;
}

bool an_digits_whole(const struct an_digits_reader *reader)
{
    if (reader->kind == AN_BASE64)
        return reader->held == 0 && (reader->bits == 0 || reader->is_padded);
    return reader->bits == 0;
}
