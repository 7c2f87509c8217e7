/*
 * What libgcov prints of a freestanding program (GCC 13 and newer): each object file's name and counters.
 *
 *     'gcfn' │ version │ length │ name, with a final 0      __gcov_filename_to_gcfn()
 *     'gcda' │ ... │ 0                                      __gcov_info_to_gcda()
 *
 * The gcda has no summary. gcov-tool merge-stream puts one of zeros into the file, and so it is done here.
 */
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
