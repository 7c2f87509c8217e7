/* Profiles that a board has sent compressed become what they were; see judge.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "console/judge.h"

enum { HEADER = 10, TRAILER = 8, SIZE = 4 }; /* bytes; the size is the trailer's end (RFC 1952) */

static bool ends_in(const char *name, size_t length, const char *ending)
{
    size_t size = strlen(ending);
    return length >= size && memcmp(name + length - size, ending, size) == 0;
}

/* NAME.gcda3.gz, NAME.profraw3.gz: what a board's runtime sends; other files of that ending are what their senders want. */
static bool is_compressed_profile(const struct an_console_file *file)
{
    static const uint8_t magic[] = {0x1f, 0x8b, 8};
    size_t length = strlen(file->name);
    if (!ends_in(file->name, length, ".gz") || file->size < HEADER + TRAILER ||
        memcmp(file->bytes, magic, sizeof magic) != 0)
        return false;
    length -= sizeof ".gz" - 1;
    while (length && isdigit((unsigned char)file->name[length - 1]))
        length--;
    return ends_in(file->name, length, ".gcda") || ends_in(file->name, length, ".profraw");
}

/* What the trailer says of the size, if so much can come out of so little: deflate makes 1,032 bytes of one at most. */
static size_t size_of(const struct an_console_file *file)
{
    const uint8_t *end = (const uint8_t *)file->bytes + file->size - SIZE;
    size_t size = an_get32(end, false);
    return size / 1032 <= file->size ? size : 0;
}

/* The whole content into as much room; false: it is damaged. */
static bool inflate_into(const struct an_console_file *file, uint8_t *to, size_t size)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)file->bytes,
                       .avail_in = (uInt)file->size,
                       .next_out = to,
                       .avail_out = (uInt)size};
    if (file->size > UINT32_MAX || inflateInit2(&stream, MAX_WBITS + 16) != Z_OK)
        return false;
    bool is_whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0 &&
                    stream.total_out == size;
    inflateEnd(&stream);
    return is_whole;
}

static bool expand(struct an_found *found)
{
    struct an_console_file *file = &found->file;
    size_t size = size_of(file), length = strlen(file->name) - (sizeof ".gz" - 1);
    uint8_t *bytes = malloc(size + 1);
    char *name = an_arena_copy(&found->texts->arena, file->name, length);
    if (!bytes || !name) {
        free(bytes);
        return false;
    }
    if (!size || !inflate_into(file, bytes, size)) {
        free(bytes);
        an_found_blame(found, 0, "its compressed content is damaged");
        return true;
    }
    free(found->bytes);
    found->bytes = bytes;
    file->bytes = bytes;
    file->size = size;
    file->name = name;
    file->status = AN_CONSOLE_VERIFIED;
    file->proof = AN_CONSOLE_GZIP;
    return true;
}

bool an_judge_compressed(struct an_console *console)
{
    for (size_t i = 0; i < console->count; i++) {
        struct an_found *found = &console->items[i];
        if (found->file.form == AN_CONSOLE_UUENCODE && found->file.status != AN_CONSOLE_DAMAGED &&
            is_compressed_profile(&found->file) && !expand(found))
            return false;
    }
    return true;
}
