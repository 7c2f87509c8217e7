/* Making ledgers; the public half is anneal/ledger.h. */
#ifndef AN_BASE_LEDGER_H
#define AN_BASE_LEDGER_H

#include <anneal/ledger.h>

/* A ledger of `count` pending entries without paths, or NULL. */
struct an_ledger *an_ledger_new(size_t count);

/* Sets an entry's path (copied); false when memory runs out. */
bool an_ledger_name(struct an_ledger *ledger, size_t index, const char *path, uint64_t weight);

/* Turns an entry into a rejected one; keeps a copy of the error. */
void an_ledger_reject(struct an_ledger_entry *entry, const struct an_error *error);

/* What became of the input at `path` by this code: used, if nothing else is said of it yet, or rejected; the error is told the
 * path. */
void an_ledger_conclude(struct an_ledger_entry *entry, const char *path, enum an_code code,
                        struct an_error *error);

/* Counts, finds repeated and thin inputs. Call once, when all entries have their status. */
enum an_code an_ledger_close(struct an_ledger *ledger, struct an_error *error);

/* What came of a merge as a whole: an error if the inputs that were rejected are one, by that mode. If it was one, the
 * error tells its reason. */
enum an_code an_ledger_judge(const struct an_ledger *ledger, enum an_failure_mode mode,
                             struct an_error *error);

#endif
