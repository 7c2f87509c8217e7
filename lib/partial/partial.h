/*
 * The files of partial results: what a merge of some inputs leaves for a later merge to go on with.
 *
 *      0  "\x89ANPART\n"
 *      8  u32 version, 1 | u32 family
 *     16  u64 size of the account, compressed | u64 as it was
 *     32  u64 size of the content, compressed | u64 as it was
 *     48  u64 XXH3 of the 48 bytes above and of all that follows
 *     56  the account | the content              a zstd frame each
 *
 * Numbers are little-endian. The account says what was merged, and by whatever name (account.h); it can be read by itself. The
 * content is the family's. Several of these may stand in one file, one behind the other. docs/formats/partial.md has the
 * whole.
 */
#ifndef AN_PARTIAL_PARTIAL_H
#define AN_PARTIAL_PARTIAL_H

#include <anneal/ledger.h>

#include "base/bytes.h"
#include "base/error.h"

enum an_partial_family {
    AN_PARTIAL_LLVM = 1,
    AN_PARTIAL_FDATA = 2,
    AN_PARTIAL_GCC = 3,
};

/* Whether the bytes begin as a partial result does. *family, if not NULL, is 0 where they end too early. */
bool an_partial_recognise(const void *bytes, size_t size, unsigned *family);

/* A partial result inside a file. */
struct an_partial {
    size_t at, end; /* in the file */
    unsigned family;
    uint64_t checksum;
    struct {
        struct an_bytes frame;
        uint64_t size; /* as it claims to be */
    } account, content;
};

/* Reads and checks what begins at `at`; the frames lie in the file then, and are as they were written. */
enum an_code an_partial_open(struct an_partial *partial, struct an_bytes file, size_t at,
                             struct an_error *error);

/* Decompresses the content into a buffer. */
enum an_code an_partial_content(const struct an_partial *partial, struct an_buffer *buffer,
                                struct an_error *error);

/* Decompresses and reads the account: a new ledger, to be freed with an_ledger_free(). */
enum an_code an_partial_account(const struct an_partial *partial, struct an_ledger **ledger,
                                struct an_error *error);

/* Appends a partial result to the buffer. */
enum an_code an_partial_write(enum an_partial_family family, const struct an_ledger *ledger,
                              struct an_bytes content, struct an_buffer *buffer,
                              struct an_error *error);

#endif
