/* The ledger for people (a few lines) and for scripts (JSON). */
#ifndef AN_CLI_LEDGER_VIEW_H
#define AN_CLI_LEDGER_VIEW_H

#include <stdbool.h>

#include <anneal/ledger.h>

/* What is wrong with the inputs, on stderr; nothing when all is well. */
void ledger_complain(const struct an_ledger *ledger);

/* The whole ledger as JSON; false after a message. path may be "-". */
bool ledger_write(const struct an_ledger *ledger, const char *path);

/* The same with one member more, which is taken over; NULL when memory ran out. */
struct json_object;
bool ledger_write_with(const struct an_ledger *ledger, const char *path, const char *name,
                       struct json_object *member);

#endif
