/*
 * What gcov's JSON says of a line and of a function. Members have gcov's order, so that the bytes are the same: up to
 * gcov 12 that of a hash table, from 13 on one for people. 14 tells what blocks, calls and conditions a line has, too, and
 * 15 how many prime paths a function has.
 */
#ifndef AN_GCOV_JSON_MEMBERS_H
#define AN_GCOV_JSON_MEMBERS_H

#include "gcov/json_write.h"

/* `function`: what it is in; NULL: none. Lines without code are none. */
void an_gcov_put_line(struct an_gcov_writer *writer, const struct an_coverage_line *line,
                      const char *function);
void an_gcov_put_function(struct an_gcov_writer *writer,
                          const struct an_coverage_function *function);

#endif
