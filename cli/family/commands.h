/*
 * What each family of profiles does for the commands.
 *
 *     inputs ──► inputs_family() ──► family_commands() ──► merge(), convert(), show(), diff(), order() ...
 */
#ifndef AN_CLI_FAMILY_COMMANDS_H
#define AN_CLI_FAMILY_COMMANDS_H

#include "diffing.h"
#include "family.h"
#include "merging.h"
#include "ordering.h"
#include "showing.h"

/*
 * Each but those for orders returns the exit status; messages were printed. Options that mean nothing to the family are
 * refused. Recordings have order() only.
 */
struct family_commands {
    const struct family *family;
    int (*merge)(const struct merge_request *request);
    int (*convert)(const struct merge_request *request);                          /* of one input */
    int (*show)(const struct show_request *request, const struct inputs *inputs); /* at least one */
    int (*diff)(const struct diff_request *request);
    bool (*order)(const struct order_request *request, const char *path, struct an_bytes bytes);
    ordering_flatten *flatten; /* for order(); NULL where partial results have no order */
};

const struct family_commands *family_commands(const struct family *family);

#endif
