/* Taking streams of libgcov apart; see gcov_stream.h. */
#include "console/gcov_stream.h"

#include "console/gcda_extent.h"

enum { GCFN_MAGIC = 0x6763666e, MOST_NAME = 4096 };

struct splitter {
    struct an_console *console;
    const struct an_gcov_stream *stream;
};

static struct an_found *add(const struct splitter *splitter, struct an_bytes name,
                            struct an_buffer *bytes)
{
    const struct an_gcov_stream *stream = splitter->stream;
    struct an_found *found =
        an_found_add(splitter->console, (const char *)name.data, name.size, stream->form, bytes);
    if (!found) {
        an_buffer_free(bytes);
        return NULL;
    }
    found->prefix = stream->prefix;
    found->file.core = an_prefix_core(&stream->prefix);
    found->file.first_line = stream->first_line;
    found->file.last_line = stream->last_line;
    return found;
}

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

static void put_summary(struct an_buffer *to, const struct an_gcda_extent *extent)
{
    const uint32_t words[] = {AN_GCC_SUMMARY, 8 / extent->version.unit, 0, 0};
    for (size_t i = 0; i < 4; i++) {
        uint32_t word = extent->big == AN_HOST_BIG ? words[i] : __builtin_bswap32(words[i]);
        an_buffer_put(to, &word, 4);
    }
}

/* The gcda as a file. */
static struct an_buffer copy_gcda(const uint8_t *from, const struct an_gcda_extent *extent)
{
    struct an_buffer copy = {0};
    an_buffer_put(&copy, from, extent->header_size);
    if (!extent->has_summary)
        put_summary(&copy, extent);
    an_buffer_put(&copy, from + extent->header_size, extent->size - extent->header_size);
    return copy;
}

static bool add_rest(const struct splitter *splitter, struct an_bytes name, struct an_bytes rest,
                     const char *what)
{
    struct an_buffer copy = {0};
    an_buffer_put(&copy, rest.data, rest.size);
    struct an_found *found = copy.failed ? NULL : add(splitter, name, &copy);
    if (found)
        an_found_blame(found, 0, "the stream cannot be taken apart from here on: %s", what);
    return found != NULL;
}

bool an_gcov_stream_split(struct an_console *console, const struct an_gcov_stream *stream,
                          struct an_bytes bytes)
{
    const struct splitter splitter = {console, stream};
    struct an_cursor cursor = an_cursor_at(bytes, 0, false);
    while (an_cursor_left(&cursor)) {
        struct an_gcda_extent extent;
        struct an_error error;
        struct an_bytes name = read_name(&cursor);
        struct an_bytes rest = {bytes.data + cursor.at, bytes.size - cursor.at};
        if (!name.size)
            return add_rest(&splitter, name, rest, "no name of a file");
        if (an_gcda_extent_of(&extent, rest, &error) != AN_OK)
            return add_rest(&splitter, name, rest, error.what);
        struct an_buffer copy = copy_gcda(rest.data, &extent);
        struct an_found *found = copy.failed ? NULL : add(&splitter, name, &copy);
        if (!found) {
            an_buffer_free(&copy);
            return false;
        }
        if (!extent.has_end)
            an_found_blame(found, stream->last_line, "the mark at its end is missing");
        an_cursor_take(&cursor, extent.size);
    }
    return true;
}
