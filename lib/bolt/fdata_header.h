/*
 * The first lines of an fdata file, and telling whether it is one.
 *
 *     no_lbr cycles:u: instructions:u:     samples, not branches; the events that were sampled
 *     boltedcollection                     recorded on a program that BOLT had optimised
 *
 * Both are optional. llvm-bolt reads them in this order, perf2bolt writes them in the other one;
 * both are accepted.
 */
#ifndef AN_BOLT_FDATA_HEADER_H
#define AN_BOLT_FDATA_HEADER_H

#include <anneal/fdata.h>

#include "base/bytes.h"
#include "base/error.h"

struct fdata_header {
    bool no_lbr, bolted;
    const char *events; /* their names, with blanks between; points into the file */
    size_t events_length;
    size_t size; /* of the header, in bytes: where the records begin */
};

/* AN_UNKNOWN when the file is no fdata. */
enum an_code an_fdata_header_read(struct an_bytes file, struct fdata_header *header,
                                  struct an_error *error);

/* The next event of the list at *at, which is moved behind it; false at the end. */
bool an_fdata_next_event(const char **at, const char *end, struct an_fdata_event *event);

/* The error for a line that cannot be understood: the line at `start` is wrong at `at`. */
enum an_code an_fdata_wrong_line(struct an_bytes file, size_t start, size_t at, const char *wanted,
                                 struct an_error *error);

/* The error for a file whose last line, at `start`, has no newline. */
enum an_code an_fdata_cut_line(struct an_bytes file, size_t start, struct an_error *error);

#endif
