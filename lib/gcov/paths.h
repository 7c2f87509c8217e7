/* Prime paths of functions in gcov's texts: how many were taken, and which, by numbers of lines or with the lines. */
#ifndef AN_GCOV_PATHS_H
#define AN_GCOV_PATHS_H

#include <anneal/gcov.h>

#include "gcov/source_lines.h"

/* A source whose lines are shown in paths. */
struct an_gcov_path_text {
    const struct an_coverage_source *source;
    struct an_source_lines lines;
};

struct an_gcov_path_writer {
    const struct an_gcov_text_options *options;
    const struct an_coverage_source *source; /* of the function */
    struct an_buffer *to;
    const struct an_gcov_sink *sink;
    struct an_error *error;
    struct {
        AN_VECTOR(struct an_gcov_path_text);
    } texts;
};

/* Tells of a function's paths, if the options and the release do. */
enum an_code an_gcov_put_paths(struct an_gcov_path_writer *writer,
                               const struct an_coverage_function *function);
void an_gcov_path_writer_free(struct an_gcov_path_writer *writer);

#endif
