/* Adding all lines of a file to a table, or none. */
#ifndef AN_BOLT_FDATA_SCAN_H
#define AN_BOLT_FDATA_SCAN_H

#include "bolt/fdata_header.h"
#include "bolt/fdata_profile.h"

/* What is used again from file to file. Zero-initialise. */
struct fdata_scanner {
    uint32_t *seen; /* of each owner: the number of the last file that has it */
    size_t seen_capacity;
    uint32_t file; /* number of the current file */
    struct an_buffer key;
};

struct fdata_sums {
    uint64_t total_count; /* of branches or samples, before weighting, saturating */
    size_t functions;
};

void an_fdata_scanner_free(struct fdata_scanner *scanner);

/*
 * Adds the records behind the header, their counts multiplied by weight. The profile must be of the
 * header's kind. A file that is refused leaves no count behind, unless memory ran out.
 */
enum an_code an_fdata_scan(struct fdata_scanner *scanner, struct an_fdata_profile *profile,
                           struct an_bytes file, const struct fdata_header *header, uint64_t weight,
                           struct fdata_sums *sums, struct an_error *error);

#endif
