/*
 * A name section is a sequence of blocks, zero bytes between them:
 *
 *     +----------------+----------------+---------------------------------+
 *     | uncompressed   | compressed     | names, joined by 0x01,          |
 *     | size (ULEB128) | size (ULEB128) | deflated unless that size is 0  |
 *     +----------------+----------------+---------------------------------+
 *
 * (InstrProf.cpp, readAndDecodeStrings and collectGlobalObjectNameStrings.)
 */
#include "llvm/names.h"

#include <md5.h>
#include <zlib.h>

#include <anneal/llvm.h>

uint64_t an_llvm_name_hash(const char *name, size_t length)
{
    MD5_CTX context;
    uint8_t digest[MD5_DIGEST_LENGTH];
    MD5Init(&context);
    MD5Update(&context, (const uint8_t *)name, length);
    MD5Final(digest, &context);
    return an_get64(digest, false);
}

static bool is_same(const struct an_name *known, const char *name, size_t length)
{
    return known->length == length && memcmp(known->text, name, length) == 0;
}

bool an_symbols_add(struct an_symbols *symbols, const char *name, size_t length)
{
    bool is_new;
    uint64_t *slot = an_map_insert(&symbols->by_hash, an_llvm_name_hash(name, length), &is_new);
    if (!slot)
        return false;
    if (!is_new && is_same(&symbols->names.items[*slot], name, length))
        return true;
    if (is_new) /* two names of one hash: the first keeps it */
        *slot = symbols->names.count;
    struct an_name *place = an_vector_push(&symbols->names);
    if (place)
        *place = (struct an_name){name, length};
    return place != NULL;
}

bool an_symbols_expect(struct an_symbols *symbols, size_t count)
{
    size_t wanted;
    return !__builtin_add_overflow(symbols->names.count, count, &wanted) &&
           an_vector_reserve(&symbols->names, wanted) && an_map_reserve(&symbols->by_hash, wanted);
}

const struct an_name *an_symbols_find(const struct an_symbols *symbols, uint64_t hash)
{
    const uint64_t *index = an_map_find(&symbols->by_hash, hash);
    return index ? &symbols->names.items[*index] : NULL;
}

void an_symbols_free(struct an_symbols *symbols)
{
    an_vector_free(&symbols->names);
    an_map_free(&symbols->by_hash);
    an_arena_free(&symbols->arena);
}

/* ---- reading a section ---- */

struct section {
    uint64_t at; /* of the block that is read, in the file */
    struct an_arena *arena;
    an_name_visit *each;
    void *context;
    struct an_error *error;
};

static enum an_code read_joined(const struct section *section, const char *text, size_t size)
{
    for (;;) {
        const char *end = size ? memchr(text, 1, size) : NULL;
        size_t length = end ? (size_t)(end - text) : size;
        enum an_code code =
            section->each(section->context, text, length, section->at, section->error);
        if (code != AN_OK || !end)
            return code;
        text = end + 1;
        size -= length + 1;
    }
}

/* Deflate shrinks by at most 1032:1, so a larger promise is a lie that must not be allocated. */
static bool believable(uint64_t uncompressed, uint64_t compressed)
{
    return uncompressed / 1032 <= compressed;
}

static enum an_code read_compressed(const struct section *section, struct an_bytes packed,
                                    uint64_t size)
{
    if (size == 0 || !believable(size, packed.size))
        return an_fail_at(section->error, AN_MALFORMED, section->at,
                          "name section claims %llu bytes in %zu compressed bytes",
                          (unsigned long long)size, packed.size);
    char *text = an_arena_alloc(section->arena, size + 1, 1);
    if (!text)
        return an_fail_memory(section->error);
    /* regexec() looks for it under the address sanitizer, in spite of REG_STARTEND */
    text[size] = '\0';
    uLongf got = size;
    int status = uncompress((Bytef *)text, &got, packed.data, packed.size);
    if (status == Z_MEM_ERROR)
        return an_fail_memory(section->error);
    if (status != Z_OK || got != size)
        return an_fail_at(section->error, AN_MALFORMED, section->at,
                          "name section does not decompress to %llu bytes",
                          (unsigned long long)size);
    return read_joined(section, text, size);
}

enum an_code an_names_section_read(struct an_bytes bytes, uint64_t at, struct an_arena *arena,
                                   an_name_visit *each, void *context, struct an_error *error)
{
    struct section section = {.arena = arena, .each = each, .context = context, .error = error};
    struct an_cursor cursor = an_cursor_at(bytes, 0, false);
    while (an_cursor_left(&cursor)) {
        section.at = at + cursor.at;
        uint64_t size = an_cursor_uleb128(&cursor);
        uint64_t packed_size = an_cursor_uleb128(&cursor);
        const uint8_t *content = an_cursor_take(&cursor, packed_size ? packed_size : size);
        if (cursor.short_read || !content)
            return an_fail_at(error, AN_MALFORMED, section.at,
                              "block of names extends beyond the name section");
        enum an_code code =
            packed_size ? read_compressed(&section, (struct an_bytes){content, packed_size}, size)
                        : read_joined(&section, (const char *)content, size);
        if (code != AN_OK)
            return code;
        while (an_cursor_left(&cursor) && bytes.data[cursor.at] == 0)
            cursor.at++;
    }
    return AN_OK;
}

static enum an_code add_symbol(void *context, const char *name, size_t length, uint64_t at,
                               struct an_error *error)
{
    if (length == 0)
        return an_fail_at(error, AN_MALFORMED, at, "empty name in the name section");
    return an_symbols_add(context, name, length) ? AN_OK : an_fail_memory(error);
}

enum an_code an_symbols_read(struct an_symbols *symbols, struct an_bytes section, uint64_t at,
                             struct an_error *error)
{
    return an_names_section_read(section, at, &symbols->arena, add_symbol, symbols, error);
}

/* ---- writing one ---- */

enum an_code an_names_section_write(struct an_buffer *buffer, const struct an_name *names,
                                    size_t count, struct an_error *error)
{
    struct an_buffer joined = {0};
    for (size_t i = 0; i < count; i++) {
        if (i)
            an_buffer_put(&joined, "\1", 1);
        an_buffer_put(&joined, names[i].text, names[i].length);
    }
    uLong bound = compressBound(joined.size);
    uint8_t *packed = joined.failed ? NULL : an_alloc(bound, 1);
    if (packed && compress2(packed, &bound, joined.data, joined.size, Z_BEST_COMPRESSION) == Z_OK) {
        an_buffer_uleb128(buffer, joined.size);
        an_buffer_uleb128(buffer, bound);
        an_buffer_put(buffer, packed, bound);
    } else {
        buffer->failed = true;
    }
    free(packed);
    an_buffer_free(&joined);
    return buffer->failed ? an_fail_memory(error) : AN_OK;
}
