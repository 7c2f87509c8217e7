/* Merging fdata for the commands merge and merge-fdata. */
#ifndef AN_CLI_FAMILY_FDATA_MERGING_H
#define AN_CLI_FAMILY_FDATA_MERGING_H

#include "cli/core/output.h"
#include "merging.h"

/* Merges the inputs of the request as fdata and writes the result. Returns the exit status;
 * messages were printed. */
int fdata_merge_run(const struct merge_request *request);

/* anneal convert: there is one format only. Returns the exit status, after a message. */
int fdata_convert_run(const struct merge_request *request);

/* A settled profile, an_fdata_profile's, as a file: for write_pieces(). */
result_source fdata_write;

/* The inputs as the library wants them; free() it. NULL: no memory. */
struct an_fdata_input *fdata_inputs(const struct inputs *inputs);

#endif
