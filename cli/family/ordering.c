/* See ordering.h. */
#include "ordering.h"

#include "base/error.h"
#include "cli/core/command.h"
#include "cli/core/ledger_view.h"
#include "cli/core/output.h"

bool ordering_took(enum an_code code, struct an_error *error, const char *path)
{
    if (code == AN_OK)
        return true;
    if (!error->file[0])
        an_error_in(error, path);
    report_error(error);
    return false;
}

bool ordering_merge_failed(const struct an_ledger *ledger, const struct an_error *error)
{
    if (ledger && ledger->rejected) {
        ledger_complain(ledger);
        say_error("%zu of %zu inputs rejected", ledger->rejected, ledger->count);
    } else {
        report_error(error);
    }
    return false;
}
