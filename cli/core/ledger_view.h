/* The ledger for people (a few lines) and for scripts (JSON). */
#ifndef AN_CLI_CORE_LEDGER_VIEW_H
#define AN_CLI_CORE_LEDGER_VIEW_H

#include <stdbool.h>

#include <anneal/ledger.h>

/* What is wrong with the inputs, on stderr; nothing when all is well. */
void ledger_complain(const struct an_ledger *ledger);

/* The whole ledger as JSON, which may get more members; the caller puts it. */
struct json_object;
struct json_object *ledger_json(const struct an_ledger *ledger);

/* Writes it, whole or not at all; false after a message. path may be "-". */
bool ledger_json_write(struct json_object *json, const char *path);
bool ledger_write(const struct an_ledger *ledger, const char *path);

#endif
