/* A report on a build in two passes, printed on standard output. */
#ifndef AN_CLI_FDO_VIEW_H
#define AN_CLI_FDO_VIEW_H

#include <stdbool.h>

#include "fdo/report.h"
#include "fdo/store.h"

/* Both end with the programs that ran in training. False after a message. */
bool fdo_print_text(const struct an_fdo_report *report, const struct an_fdo_store *store);
bool fdo_print_json(const struct an_fdo_report *report, const struct an_fdo_store *store);

#endif
