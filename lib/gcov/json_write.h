/* What writes gcov's JSON: texts, strings and numbers. */
#ifndef AN_GCOV_JSON_WRITE_H
#define AN_GCOV_JSON_WRITE_H

#include <anneal/gcov.h>

#include "base/bytes.h"

struct an_gcov_writer {
    const struct an_gcov_json_options *options;
    const struct an_coverage_condition *conditions; /* of the source */
    struct an_buffer *to;
    bool is_first; /* of the elements of the present array */
};

void an_gcov_put_text(struct an_gcov_writer *writer, const char *text);
void an_gcov_put_string(struct an_gcov_writer *writer, const char *text);
void an_gcov_put_number(struct an_gcov_writer *writer, const char *before, int64_t number);

#endif
