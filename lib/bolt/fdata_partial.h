/* Partial results of fdata; writing them is in anneal/fdata.h. */
#ifndef AN_BOLT_FDATA_PARTIAL_H
#define AN_BOLT_FDATA_PARTIAL_H

#include "base/bytes.h"
#include "base/error.h"
#include "bolt/fdata_header.h"

/* The file in a content, which may be empty, and its kind, as a header that has nothing else. `at` is named in errors. */
enum an_code an_fdata_partial_read(struct an_bytes content, size_t at, struct an_bytes *text,
                                   struct fdata_header *header, struct an_error *error);

#endif
