/*
 * Where a gcda file ends that stands among other bytes, and whether it is one at all: of those that the
 * library's reader knows it tells the rest; of older ones the records must at least follow one another.
 */
#ifndef AN_GCC_EXTENT_H
#define AN_GCC_EXTENT_H

#include "gcc/format.h"

struct an_gcda_extent {
    size_t size;        /* up to and with the end mark, or what there is */
    bool has_end;       /* there is an end mark */
    bool has_summary;   /* there is a summary */
    size_t header_size; /* where the records begin */
    struct an_gcc_version version;
    bool is_readable; /* the library's reader knows that version */
    bool big;
};

/* AN_OK, or what is wrong and where. */
enum an_code an_gcda_extent_of(struct an_gcda_extent *extent, struct an_bytes bytes,
                               struct an_error *error);

#endif
