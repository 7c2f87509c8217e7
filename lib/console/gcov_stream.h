/* Streams of libgcov in logs (gcc/stream.h): their files, and what cannot be taken apart any more. */
#ifndef AN_CONSOLE_GCOV_STREAM_H
#define AN_CONSOLE_GCOV_STREAM_H

#include "console/found.h"

struct an_gcov_stream {
    enum an_console_form form;
    struct an_prefix prefix;
    uint64_t first_line, last_line;
};

/*
 * Adds the files of a stream to the list; what cannot be taken apart any more becomes a damaged one.
 * False when memory runs out.
 */
bool an_gcov_stream_split(struct an_console *console, const struct an_gcov_stream *stream,
                          struct an_bytes bytes);

#endif
