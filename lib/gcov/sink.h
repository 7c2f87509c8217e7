/* Handing on what has been written, piece by piece. */
#ifndef AN_GCOV_SINK_H
#define AN_GCOV_SINK_H

#include <anneal/gcov.h>

#include "base/bytes.h"

/* A piece is about as large as this: memory that is used again costs less than a page for all. */
enum { AN_GCOV_PIECE = 1 << 17 };

/* Gives the sink what the buffer has, if it has `least` bytes, and empties it. */
enum an_code an_gcov_flush(struct an_buffer *buffer, const struct an_gcov_sink *sink, size_t least,
                           struct an_error *error);

#endif
