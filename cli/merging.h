/* What merge, convert and the llvm-profdata personality have in common. */
#ifndef AN_CLI_MERGING_H
#define AN_CLI_MERGING_H

#include "inputs.h"

struct merge_request {
    struct inputs inputs;
    struct an_llvm_merge_options merge;
    struct an_llvm_write_options write;
    const char *output;
    const char *ledger;    /* file for the ledger's JSON, or NULL */
    const char *remapping; /* file with "old new" lines, or NULL */
    const char *keep, *drop; /* regular expressions on function names, or NULL */
    bool quiet;
    bool as_llvm; /* messages and leniency of llvm-profdata */
};

/* Merges and writes. Returns the exit status; messages were printed. */
int merge_run(struct merge_request *request);

/* "any", "all" or "warn"; false after a message. */
bool parse_failure_mode(const char *text, enum an_llvm_failure_mode *mode);

#endif
