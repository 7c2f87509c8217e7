/* What became of the modules of a merge: which run lacks which, and which have no control flow (gcno). */
#ifndef AN_CLI_FAMILY_GCC_LEDGER_H
#define AN_CLI_FAMILY_GCC_LEDGER_H

#include <anneal/ledger.h>

#include "gcc_modules.h"

/* Warns of modules that are missing in some of the folders, and says which ones lack a gcno that others
 * have. */
void gcc_ledger_tell(const struct gcc_modules *modules);

/* The ledger as JSON, with an account of the modules; NULL after a message. The caller puts it. */
struct json_object;
struct json_object *gcc_ledger_json(const struct an_ledger *ledger,
                                    const struct gcc_modules *modules);

#endif
