/* Merging BOLT's profiles, whatever their form is: what fdata and YAML have in common. */
#ifndef AN_CLI_FAMILY_BOLT_MERGING_H
#define AN_CLI_FAMILY_BOLT_MERGING_H

#include "cli/core/output.h"
#include "merge_filters.h"
#include "merging.h"

/* An amount of things that are called so, one of them. */
struct bolt_amount {
    uint64_t number;
    const char *name;
};

/* What a form of profiles has of its own. The profile is its own type. */
struct bolt_form {
    const struct family *family;
    const char *kind;     /* in the line about the result */
    const char *left_out; /* what filters leave out */
    const char *joined;   /* between the amounts that a profile has: "records of functions" */

    /* As an_fdata_merge(). */
    enum an_code (*merge)(const struct merge_request *request, void **profile,
                          struct an_ledger **ledger, struct an_error *error);

    /* Says what a user should know of the inputs; may be NULL. */
    void (*warn)(const void *profile);
    enum an_code (*filter)(void *profile, struct merge_filters *filters, size_t *removed,
                           struct an_error *error);

    /* What it has: of the first, there has to be some. */
    void (*measure)(const void *profile, struct bolt_amount amounts[2]);
    result_source *write;
    enum an_code (*write_partial)(const void *profile, const struct an_ledger *ledger, void **bytes,
                                  size_t *size, struct an_error *error);
    void (*free)(void *profile);
};

/* Merges the inputs of the request and writes the result. Returns the exit status; messages were printed. */
int bolt_merge_run(const struct merge_request *request, const struct bolt_form *form);

#endif
