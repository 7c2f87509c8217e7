/* See bitcode.h. */
#include "fdo/bitcode.h"

#include <string.h>

enum {
    WORD = 4,
    NAMES = 23,
    SYMBOLS = 25,
    SYMBOL_SIZE = 6 * WORD,
    UNDEFINED = 1 << 3,
    FORMAT_SPECIFIC = 1 << 11, /* LLVM's own */
    EXECUTABLE = 1 << 13,
};

/* What is there of `size` bytes. */
static struct an_bytes part(struct an_bytes bytes, uint64_t offset, uint64_t size)
{
    if (offset > bytes.size)
        return (struct an_bytes){0};
    uint64_t left = bytes.size - offset;
    return (struct an_bytes){bytes.data + offset, size < left ? size : left};
}

static uint32_t word_at(struct an_bytes bytes, size_t index)
{
    return an_get32(bytes.data + index * WORD, false);
}

/* Bits, from the lowest of the first byte on; zeros behind the end. */
struct bits {
    struct an_bytes bytes;
    size_t at;
};

static uint32_t take_bits(struct bits *bits, unsigned count)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++, bits->at++)
        if (bits->at / 8 < bits->bytes.size)
            value |= (uint32_t)(bits->bytes.data[bits->at / 8] >> bits->at % 8 & 1) << i;
    return value;
}

/* Groups of `width` bits, the lowest first; the highest bit of each says that another one follows. */
static uint64_t take_variable(struct bits *bits, unsigned width)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 32; shift += width - 1) {
        uint32_t group = take_bits(bits, width), more = 1u << (width - 1);
        value |= (uint64_t)(group & (more - 1)) << shift;
        if (!(group & more))
            break;
    }
    return value;
}

static void go_to_word(struct bits *bits)
{
    bits->at = (bits->at + 31) / 32 * 32;
}

/* The bytes that are all that a block has. */
static struct an_bytes blob_in(struct an_bytes block, unsigned width)
{
    enum { DEFINE = 2, FIRST_DEFINED = 4, BLOB = 5 };
    struct bits bits = {block, 0};
    if (take_bits(&bits, width) != DEFINE || take_variable(&bits, 5) != 2 || /* operands */
        !take_bits(&bits, 1) || take_variable(&bits, 8) != 1 ||              /* the record's code */
        take_bits(&bits, 1) || take_bits(&bits, 3) != BLOB ||
        take_bits(&bits, width) != FIRST_DEFINED)
        return (struct an_bytes){0};
    uint64_t size = take_variable(&bits, 6);
    go_to_word(&bits);
    return part(block, bits.at / 8, size);
}

/* Of several tables, which bitcode that was put together has, the last one counts. */
static void find(struct an_bytes bytes, struct an_bytes *names, struct an_bytes *symbols)
{
    for (size_t at = WORD; at + 2 * WORD <= bytes.size;) {
        struct bits head = {part(bytes, at, WORD), 0};
        bool is_block = take_bits(&head, 2) == 1;
        uint64_t number = take_variable(&head, 8), width = take_variable(&head, 4);
        uint64_t size = (uint64_t)word_at(part(bytes, at, 2 * WORD), 1) * WORD;
        struct an_bytes block = part(bytes, at + 2 * WORD, size);
        if (!is_block || block.size != size)
            return;
        if (number == NAMES)
            *names = blob_in(block, (unsigned)width);
        if (number == SYMBOLS)
            *symbols = blob_in(block, (unsigned)width);
        at += 2 * WORD + size;
    }
}

static bool is_bitcode(struct an_bytes bytes)
{
    return bytes.size >= WORD && memcmp(bytes.data, "BC\xC0\xDE", WORD) == 0;
}

bool an_fdo_bitcode_functions(struct an_bytes bytes, an_fdo_bitcode_function *take, void *context)
{
    enum { OFFSET = 7, COUNT = 8, HEADER = 9 }; /* words */
    struct an_bytes names = {0}, symbols = {0};
    if (!is_bitcode(bytes))
        return false;
    find(bytes, &names, &symbols);
    if (symbols.size < (size_t)HEADER * WORD)
        return false;
    uint64_t size = (uint64_t)word_at(symbols, COUNT) * SYMBOL_SIZE;
    struct an_bytes table = part(symbols, word_at(symbols, OFFSET), size);
    if (table.size != size)
        return false;
    for (size_t i = 0; i < size / WORD; i += SYMBOL_SIZE / WORD) {
        uint32_t flags = word_at(table, i + 5), length = word_at(table, i + 3);
        struct an_bytes name = part(names, word_at(table, i + 2), length);
        if (!(flags & EXECUTABLE) || flags & (UNDEFINED | FORMAT_SPECIFIC) || !length)
            continue;
        if (name.size != length)
            return false;
        take(context, (const char *)name.data, length);
    }
    return true;
}
