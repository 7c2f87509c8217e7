/* See sink.h. */
#include "gcov/sink.h"

#include "base/error.h"

enum an_code an_gcov_flush(struct an_buffer *buffer, const struct an_gcov_sink *sink, size_t least,
                           struct an_error *error)
{
    if (buffer->failed)
        return an_fail_memory(error);
    if (buffer->size < least)
        return AN_OK;
    enum an_code code = sink->write(sink->context, buffer->data, buffer->size, error);
    buffer->size = 0;
    return code;
}
