/* What merges of fdata and gcda say alike; see merging.h. */
#include "merging.h"

#include "ledger_view.h"

bool merge_refuses_options(const struct merge_request *request, enum family family)
{
    const bool is_gcda = family == FAMILY_GCDA;
    const struct {
        bool given;
        const char *name;
    } options[] = {
        {request->write.sparse, "--sparse"},
        {request->write.text, "--text"},
        {request->write.format_version != 0, "--format-version"},
        {request->remapping != NULL, "--remapping-file"},
        {request->merge.keep_vtable_names, "--keep-vtable-symbols"},
        {request->merge.trace_reservoir != 0, "--trace-reservoir-size"},
        {request->merge.trace_length != 0, "--max-trace-length"},
        {is_gcda && request->keep, "--function"},
        {is_gcda && request->drop, "--no-function"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given) {
            say_error("%s applies only to %s", options[i].name,
                      is_gcda ? "other profiles; the inputs are GCC's (gcda)"
                              : "LLVM profiles; the inputs are BOLT profiles (fdata)");
            return true;
        }
    return false;
}

bool merge_report(const struct merge_request *request, const struct an_ledger *ledger,
                  enum family family, enum an_code code)
{
    if (!request->quiet || code != AN_OK)
        ledger_complain(ledger);
    if (inputs_are_mixed(ledger, family))
        return false;
    if (code != AN_OK)
        say_error("nothing written: %zu of %zu inputs rejected%s", ledger->rejected, ledger->count,
                  ledger->used ? " (--failure-mode=all merges the others)" : "");
    else if (ledger->used == 0)
        say_error("nothing written: no input has any profile data");
    return code == AN_OK && ledger->used;
}
