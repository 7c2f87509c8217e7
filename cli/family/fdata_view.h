/* What the parts of anneal show for fdata have in common. */
#ifndef AN_CLI_FAMILY_FDATA_VIEW_H
#define AN_CLI_FAMILY_FDATA_VIEW_H

#include "fdata_functions.h"
#include "showing.h"

struct fdata_view {
    const struct show_request *request;
    const char *path;
    uint64_t bytes;
    const struct an_fdata_profile *profile;
    const struct an_fdata_info *info;
    struct fdata_functions functions;
};

/* A name without its backslashes, terminated; free() the text, which is NULL without memory. */
struct plain_name {
    char *text;
    size_t length;
};
struct plain_name fdata_plain_name(const char *name, size_t length);

/* Was the function asked for, with --all-functions or --function? */
bool fdata_selected(const struct fdata_view *view, const struct fdata_function *function);

/* All of it as one JSON object, on stdout. */
void fdata_print_json(struct fdata_view *view);

#endif
