/* Files of partial results; see partial.h. */
#include "partial/partial.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "partial/account.h"

enum {
    HEAD = 56,
    CHECKED = 48, /* of the head */
    VERSION = 1,
    LEVEL = 3,
    /*
     * Nobody's profile shrinks to less than this part; so little memory, for a file of some size, can be asked for by one
     * that only wants to do harm.
     */
    MOST_RATIO = 1000,
    SPARE = 1 << 20,
};

static const char magic[8] = "\x89"
                             "ANPART\n";

bool an_partial_recognise(const void *bytes, size_t size, unsigned *family)
{
    bool is = size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
    if (family)
        *family = is && size >= 16 ? an_get32((const uint8_t *)bytes + 12, false) : 0;
    return is;
}

/* ---- reading ---- */

static uint64_t checksum_of(struct an_bytes head, struct an_bytes frames)
{
    return XXH3_64bits_withSeed(frames.data, frames.size, XXH3_64bits(head.data, head.size));
}

static enum an_code open_frames(struct an_partial *partial, struct an_bytes file,
                                struct an_cursor *cursor, struct an_error *error)
{
    uint64_t account = an_cursor_u64(cursor);
    partial->account.size = an_cursor_u64(cursor);
    uint64_t content = an_cursor_u64(cursor);
    partial->content.size = an_cursor_u64(cursor);
    partial->checksum = an_cursor_u64(cursor);
    size_t left = an_cursor_left(cursor);
    if (account > left || content > left - account) {
        an_fail_at(error, AN_TRUNCATED, partial->at,
                   "partial result ends after %zu bytes, before what its head promises",
                   file.size - partial->at);
        return an_error_hint(error, "was it cut short on its way?");
    }
    partial->account.frame = (struct an_bytes){file.data + cursor->at, (size_t)account};
    partial->content.frame = (struct an_bytes){file.data + cursor->at + account, (size_t)content};
    partial->end = cursor->at + (size_t)(account + content);
    return AN_OK;
}

enum an_code an_partial_open(struct an_partial *partial, struct an_bytes file, size_t at,
                             struct an_error *error)
{
    struct an_cursor cursor = an_cursor_at(file, at, false);
    *partial = (struct an_partial){.at = at};
    const uint8_t *head = an_cursor_take(&cursor, sizeof magic);
    if (!head || memcmp(head, magic, sizeof magic) != 0)
        return an_fail_at(error, AN_UNKNOWN, at, "expected a partial result, found something else");
    uint32_t version = an_cursor_u32(&cursor);
    if (version != VERSION && !cursor.short_read)
        return an_fail_at(error, AN_UNSUPPORTED, at + 8,
                          "partial result of version %u, expected %d", version, VERSION);
    partial->family = an_cursor_u32(&cursor);
    if (file.size - at < HEAD)
        return an_fail_at(error, AN_TRUNCATED, at,
                          "partial result of %zu bytes, expected at least %d", file.size - at,
                          HEAD);
    enum an_code code = open_frames(partial, file, &cursor, error);
    if (code != AN_OK)
        return code;
    struct an_bytes frames = {partial->account.frame.data,
                              partial->account.frame.size + partial->content.frame.size};
    if (checksum_of((struct an_bytes){head, CHECKED}, frames) != partial->checksum)
        return an_fail_at(error, AN_MALFORMED, at,
                          "partial result is damaged: its checksum is not that of its bytes");
    return AN_OK;
}

static enum an_code decompress(struct an_bytes frame, uint64_t size, size_t at,
                               struct an_buffer *buffer, struct an_error *error)
{
    if (size > SPARE && size / MOST_RATIO > frame.size)
        return an_fail_at(error, AN_MALFORMED, at,
                          "partial result claims to make %llu bytes of %zu",
                          (unsigned long long)size, frame.size);
    uint8_t *to = an_buffer_extend(buffer, (size_t)size);
    if (!to && size)
        return an_fail_memory(error);
    size_t made = ZSTD_decompress(to, (size_t)size, frame.data, frame.size);
    if (ZSTD_isError(made))
        return an_fail_at(error, AN_MALFORMED, at, "partial result cannot be decompressed: %s",
                          ZSTD_getErrorName(made));
    if (made != size)
        return an_fail_at(error, AN_MALFORMED, at, "partial result of %zu bytes, expected %llu",
                          made, (unsigned long long)size);
    return AN_OK;
}

enum an_code an_partial_content(const struct an_partial *partial, struct an_buffer *buffer,
                                struct an_error *error)
{
    return decompress(partial->content.frame, partial->content.size, partial->at, buffer, error);
}

enum an_code an_partial_account(const struct an_partial *partial, struct an_ledger **ledger,
                                struct an_error *error)
{
    struct an_buffer buffer = {0};
    *ledger = NULL;
    enum an_code code =
        decompress(partial->account.frame, partial->account.size, partial->at, &buffer, error);
    if (code == AN_OK)
        code = an_account_read((struct an_bytes){buffer.data, buffer.size}, partial->at, ledger,
                               error);
    an_buffer_free(&buffer);
    return code;
}

/* ---- writing ---- */

/* Appends a frame and returns its size, 0 when memory runs out. */
static size_t compress(struct an_bytes from, struct an_buffer *buffer)
{
    size_t most = ZSTD_compressBound(from.size), before = buffer->size;
    uint8_t *to = an_buffer_extend(buffer, most);
    size_t made = to ? ZSTD_compress(to, most, from.data, from.size, LEVEL) : 0;
    if (!to || ZSTD_isError(made))
        return 0;
    buffer->size = before + made;
    return made;
}

enum an_code an_partial_write(enum an_partial_family family, const struct an_ledger *ledger,
                              struct an_bytes content, struct an_buffer *buffer,
                              struct an_error *error)
{
    struct an_buffer account = {0};
    size_t at = buffer->size;
    bool done = an_account_write(ledger, &account) && !account.failed;
    an_buffer_put(buffer, magic, sizeof magic);
    an_buffer_le(buffer, VERSION, 4);
    an_buffer_le(buffer, (uint64_t)family, 4);
    for (size_t i = 16; i < HEAD; i += 8)
        an_buffer_le64(buffer, 0);
    size_t first = 0, second = 0;
    if (done)
        first = compress((struct an_bytes){account.data, account.size}, buffer);
    if (first)
        second = compress(content, buffer);
    if (second && !buffer->failed) {
        const uint64_t sizes[] = {first, account.size, second, content.size};
        for (size_t i = 0; i < 4; i++)
            an_buffer_patch_le64(buffer, at + 16 + 8 * i, sizes[i]);
        struct an_bytes head = {buffer->data + at, CHECKED};
        struct an_bytes frames = {buffer->data + at + HEAD, first + second};
        an_buffer_patch_le64(buffer, at + CHECKED, checksum_of(head, frames));
    }
    an_buffer_free(&account);
    return second && !buffer->failed ? AN_OK : an_fail_memory(error);
}
