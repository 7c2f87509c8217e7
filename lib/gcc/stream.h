/*
 * What libgcov prints of a freestanding program (GCC 13 and newer): each object file's name and counters.
 *
 *     'gcfn' │ version │ length │ name, with a final 0      __gcov_filename_to_gcfn()
 *     'gcda' │ ... │ 0                                      __gcov_info_to_gcda()
 *
 * The gcda has no summary. gcov-tool merge-stream puts one of zeros into the file, and so it is done here.
 */
#ifndef AN_GCC_STREAM_H
#define AN_GCC_STREAM_H

#include "gcc/extent.h"

struct an_gcc_part {
    struct an_bytes name; /* without its final 0; empty when there is none */
    struct an_bytes rest; /* of the stream, from the gcda on */
    struct an_gcda_extent extent;
};

/*
 * The next part of a stream that is not at its end. AN_MALFORMED and the like when it cannot be taken apart; name
 * and rest are what they are also then.
 */
enum an_code an_gcc_stream_next(struct an_cursor *cursor, struct an_gcc_part *part,
                                struct an_error *error);

/* The gcda as a file. */
void an_gcc_stream_write(const struct an_gcc_part *part, struct an_buffer *to);

#endif
