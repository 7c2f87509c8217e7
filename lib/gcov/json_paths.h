/* What gcov's JSON says of prime paths, from 15 on: how many there are, and those that were not taken, block by block. */
#ifndef AN_GCOV_JSON_PATHS_H
#define AN_GCOV_JSON_PATHS_H

#include "gcov/json_write.h"

void an_gcov_put_prime_paths(struct an_gcov_writer *writer,
                             const struct an_coverage_function *function);

#endif
