/* What clang says of a profile while it compiles with it. */
#ifndef AN_CLI_CC_CLANG_H
#define AN_CLI_CC_CLANG_H

#include "fdo/llvm.h"
#include "fdo/record.h"

struct cc_clang {
    struct {
        AN_VECTOR(char *);
    } absent, stale; /* functions: not in the profile; with another hash than in the profile */
    struct {
        AN_VECTOR(uint64_t);
    } hashes; /* of the stale ones, as they are now */
    unsigned long swallowed;
};

/*
 * Takes a line that clang printed: those on functions without a profile, which are asked for to be counted
 * (-pgo-warn-missing-function), are kept from the user, who gets all others.
 */
void cc_clang_line(void *context, char *text, size_t size);

struct cc_clang_unit {
    const struct an_fdo_unit *unit;
    const char *functions; /* a file that defines the unit's functions, or "" */
    bool has_siblings;     /* clang spoke of several units, each of which has such a file */
    /* NULL: the file has them as they were when clang looked for their profiles; what was inlined before is gone. */
    const struct an_fdo_llvm_functions *trained;
    const struct an_fdo_store *store;
    const char *profile; /* of all programs together */
};

/*
 * Adds what became of the unit's functions to a record. Those that clang said nothing about had a profile; false when
 * none of them had.
 */
bool cc_clang_outcome(const struct cc_clang *clang, struct an_fdo_draft *draft,
                      const struct cc_clang_unit *unit);

void cc_clang_free(struct cc_clang *clang);

#endif
