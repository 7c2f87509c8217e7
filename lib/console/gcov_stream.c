/* Taking streams of libgcov apart; see gcov_stream.h. */
#include "console/gcov_stream.h"

#include "gcc/stream.h"

struct splitter {
    struct an_console *console;
    const struct an_gcov_stream *stream;
};

static struct an_found *add(const struct splitter *splitter, struct an_bytes name,
                            struct an_buffer *bytes)
{
    const struct an_gcov_stream *stream = splitter->stream;
    struct an_found *found = bytes->failed
                                 ? NULL
                                 : an_found_add(splitter->console, (const char *)name.data,
                                                name.size, stream->form, bytes);
    if (!found) {
        an_buffer_free(bytes);
        return NULL;
    }
    an_found_behind(splitter->console, found, &stream->prefix);
    found->file.first_line = stream->first_line;
    found->file.last_line = stream->last_line;
    return found;
}

static bool add_rest(const struct splitter *splitter, const struct an_gcc_part *part,
                     const char *what)
{
    struct an_buffer copy = {0};
    an_buffer_put(&copy, part->rest.data, part->rest.size);
    struct an_found *found = add(splitter, part->name, &copy);
    if (found)
        an_found_blame(found, 0, "the stream cannot be read from here on: %s", what);
    return found != NULL;
}

bool an_gcov_stream_split(struct an_console *console, const struct an_gcov_stream *stream,
                          struct an_bytes bytes)
{
    const struct splitter splitter = {console, stream};
    struct an_cursor cursor = an_cursor_at(bytes, 0, false);
    while (an_cursor_left(&cursor)) {
        struct an_gcc_part part;
        struct an_error error;
        struct an_buffer copy = {0};
        if (an_gcc_stream_next(&cursor, &part, &error) != AN_OK)
            return add_rest(&splitter, &part, error.what);
        an_gcc_stream_write(&part, &copy);
        struct an_found *found = add(&splitter, part.name, &copy);
        if (!found)
            return false;
        if (!part.extent.has_end)
            an_found_blame(found, stream->last_line, "its end marker is missing");
    }
    return true;
}
