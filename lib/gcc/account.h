/* What ledgers say of gcda files, and how these count several times; for merges of either kind. */
#ifndef AN_GCC_ACCOUNT_H
#define AN_GCC_ACCOUNT_H

#include <anneal/ledger.h>

#include "gcc/gcda.h"

void an_gcc_account(struct an_ledger_entry *entry, unsigned version, uint64_t total,
                    size_t functions);

/* The same of a file that was read. */
void an_gcc_account_for(struct an_ledger_entry *entry, const struct an_gcda *gcda);

/*
 * Makes of a file one that counts as so many equal runs. The bytes are then in the buffer, which may be used again and again, and
 * the entry says what the file itself has; nothing happens for a weight of 1.
 */
enum an_code an_gcc_weigh(struct an_bytes *file, uint64_t weight, struct an_buffer *weighted,
                          struct an_ledger_entry *entry, struct an_error *error);

#endif
