/*
 * What gcov's JSON says of a line and of a function. Members have gcov's order, so that the bytes are the same: up to
 * gcov 12 that of a hash table, from 13 on one for people. 14 tells what blocks, calls and conditions a line has, too, and
 * 15 how many prime paths a function has.
 */
#ifndef AN_GCOV_JSON_MEMBERS_H
#define AN_GCOV_JSON_MEMBERS_H

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

/* `function`: what it is in; NULL: none. Lines without code are none. */
void an_gcov_put_line(struct an_gcov_writer *writer, const struct an_coverage_line *line,
                      const char *function);
/* From 15 on: how many prime paths there are, and those that were not taken (json_paths.c). */
void an_gcov_put_prime_paths(struct an_gcov_writer *writer,
                             const struct an_coverage_function *function);
void an_gcov_put_function(struct an_gcov_writer *writer,
                          const struct an_coverage_function *function);

#endif
