/*
 * The account of a partial result: its ledger as bytes. Numbers are ULEB128, texts have their length in front.
 *
 *     number of inputs
 *     for each, in the order of digests, then of paths:
 *         16 bytes digest | status | weight | bytes | total count | functions | functions without a name
 *         bytes of a memory profile | version | variants | format | path
 *         if it was rejected:  code | offset + 1, or 0 | what | hint
 *
 * (The statuses are 1 used, 2 rejected, 3 empty; formats 0 unknown, 1 raw, 2 indexed, 3 text, 4 fdata, 5 gcda; codes those
 * of anneal/error.h.)
 */
#ifndef AN_PARTIAL_ACCOUNT_H
#define AN_PARTIAL_ACCOUNT_H

#include <anneal/ledger.h>

#include "base/bytes.h"
#include "base/error.h"

/* Appends a closed ledger, without what was counted already. False when memory runs out. */
bool an_account_write(const struct an_ledger *ledger, struct an_buffer *buffer);

/* A new ledger from checked bytes; `at` is named in errors. */
enum an_code an_account_read(struct an_bytes bytes, size_t at, struct an_ledger **ledger,
                             struct an_error *error);

#endif
