/*
 * What partial results are of, without adding them up: their accounts. To merge them, give them to the merge of their
 * family, as any other input. docs/formats/partial.md has the format.
 */
#ifndef ANNEAL_PARTIAL_H
#define ANNEAL_PARTIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anneal/error.h>
#include <anneal/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a file begins as a partial result does, of whatever family. */
AN_API bool an_partial_begins(const void *bytes, size_t size);

/* One partial result of a file. */
struct an_partial_account {
    const char *family;       /* "llvm", "fdata" or "gcda" */
    uint64_t bytes;           /* its size in the file */
    struct an_ledger *ledger; /* of the inputs that it was made of */
};

struct an_partial_accounts {
    struct an_partial_account *items; /* in the order of the file */
    size_t count;
};

/*
 * Reads the accounts of all partial results that stand in a file ("-": standard input), one behind the other. The bytes of each
 * are checked by their checksum, but the profiles in them are not decoded. Fails when the file cannot be read, is empty
 * (AN_EMPTY), has something else in it (AN_UNKNOWN), or is damaged; *accounts is empty then. Otherwise it is to be freed with
 * an_partial_accounts_free().
 */
AN_API enum an_code an_partial_accounts_read(const char *path, struct an_partial_accounts *accounts,
                                             struct an_error *error);
AN_API void an_partial_accounts_free(struct an_partial_accounts *accounts);

#ifdef __cplusplus
}
#endif
#endif
