/* Taking streams of libgcov apart; see stream.h. */
#include "gcc/stream.h"

#include <anneal/gcc.h>

#include "base/vector.h"

enum { GCFN_MAGIC = 0x6763666e, MOST_NAME = 4096 };

/* The name before a gcda; nothing when there is none. */
static struct an_bytes read_name(struct an_cursor *cursor)
{
    struct an_bytes name = {(const uint8_t *)"", 0};
    bool big;
    if (!an_gcc_recognise(
            (struct an_bytes){cursor->bytes.data + cursor->at, an_cursor_left(cursor)}, GCFN_MAGIC,
            &big))
        return name;
    struct an_cursor ahead = an_cursor_at(cursor->bytes, cursor->at + 8, big);
    uint32_t length = an_cursor_u32(&ahead);
    const uint8_t *text = length && length <= MOST_NAME ? an_cursor_take(&ahead, length) : NULL;
    if (!text || text[length - 1] != '\0' || memchr(text, '\0', length - 1))
        return name;
    *cursor = ahead;
    return (struct an_bytes){text, length - 1};
}

enum an_code an_gcc_stream_next(struct an_cursor *cursor, struct an_gcc_part *part,
                                struct an_error *error)
{
    part->name = read_name(cursor);
    part->rest = (struct an_bytes){cursor->bytes.data + cursor->at, an_cursor_left(cursor)};
    if (!part->name.size)
        return an_fail_at(error, AN_MALFORMED, cursor->at, "no file name");
    size_t at = cursor->at;
    enum an_code code = an_gcda_extent_of(&part->extent, part->rest, error);
    if (code == AN_OK)
        an_cursor_take(cursor, part->extent.size);
    else if (error->offset != AN_NO_OFFSET)
        error->offset += at;
    return code;
}

static void put_summary(struct an_buffer *to, const struct an_gcda_extent *extent)
{
    const uint32_t words[] = {AN_GCC_SUMMARY, 8 / extent->version.unit, 0, 0};
    for (size_t i = 0; i < 4; i++) {
        uint32_t word = extent->big == AN_HOST_BIG ? words[i] : __builtin_bswap32(words[i]);
        an_buffer_put(to, &word, 4);
    }
}

void an_gcc_stream_write(const struct an_gcc_part *part, struct an_buffer *to)
{
    const struct an_gcda_extent *extent = &part->extent;
    an_buffer_put(to, part->rest.data, extent->header_size);
    if (!extent->has_summary)
        put_summary(to, extent);
    an_buffer_put(to, part->rest.data + extent->header_size, extent->size - extent->header_size);
}

/* ---- whole streams ---- */

struct list {
    AN_VECTOR(struct an_gcc_file);
};

static enum an_code take(struct list *list, const struct an_gcc_part *part, struct an_error *error)
{
    struct an_gcc_file *file = an_vector_push(list);
    struct an_buffer copy = {0};
    if (!file)
        return an_fail_memory(error);
    *file = (struct an_gcc_file){.name = an_alloc(part->name.size + 1, 1)};
    an_gcc_stream_write(part, &copy);
    file->bytes = copy.data;
    file->size = copy.size;
    if (!file->name || copy.failed)
        return an_fail_memory(error);
    memcpy(file->name, part->name.data, part->name.size);
    file->name[part->name.size] = '\0';
    return AN_OK;
}

enum an_code an_gcc_stream_read(const void *bytes, size_t size, struct an_gcc_file **files,
                                size_t *count, struct an_error *error)
{
    struct list list = {.count = 0};
    struct an_cursor cursor = an_cursor_at((struct an_bytes){bytes, size}, 0, false);
    struct an_gcc_part part;
    enum an_code code = AN_OK;
    while (code == AN_OK && an_cursor_left(&cursor)) {
        size_t end = cursor.bytes.size;
        code = an_gcc_stream_next(&cursor, &part, error);
        if (code == AN_OK && !part.extent.has_end)
            code = an_fail_at(error, AN_TRUNCATED, end, "the end marker of a file is missing");
        if (code == AN_OK)
            code = take(&list, &part, error);
    }
    if (code != AN_OK) {
        an_gcc_stream_free(list.items, list.count);
        list.items = NULL;
        list.count = 0;
    }
    *files = list.items;
    *count = list.count;
    return code;
}

void an_gcc_stream_free(struct an_gcc_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(files[i].name);
        free(files[i].bytes);
    }
    free(files);
}
