/*
 * What a branch profile says about each function, as BOLT counts it: a record belongs to the
 * function that it leaves, or if it comes from no known function, to the one that it reaches.
 */
#ifndef AN_CLI_FAMILY_FDATA_FUNCTIONS_H
#define AN_CLI_FAMILY_FDATA_FUNCTIONS_H

#include <anneal/fdata.h>

#include "base/map.h"

struct fdata_function {
    const char *name; /* as the file has it */
    size_t length;
    size_t records;     /* that belong to it */
    size_t first, last; /* of these, in the profile: index + 1 */
    uint64_t entries;   /* branches to its first byte */
    uint64_t branches;  /* that leave from it, or samples in it; saturating */
    uint64_t mispreds;  /* of these branches */
    uint64_t accesses;  /* to memory */
};

struct fdata_functions {
    struct fdata_function *items;
    size_t count, capacity;
    size_t *next; /* by the index of a record: index + 1 of its function's next one, or 0 */
    struct an_names names;
};

/* Adds up all records of a settled profile; false when memory runs out. */
bool fdata_functions_read(struct fdata_functions *functions,
                          const struct an_fdata_profile *profile);

void fdata_functions_sort_by_name(struct fdata_functions *functions);

/* Those with most branches (or samples) first; of those that have as many, by entries and name. */
void fdata_functions_sort(struct fdata_functions *functions);
void fdata_functions_free(struct fdata_functions *functions);

#endif
