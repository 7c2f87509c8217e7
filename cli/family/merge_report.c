/* What merges of several families say alike; see merging.h. */
#include "merging.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cli/core/ledger_view.h"
#include "cli/core/output.h"

bool merge_refuses_options(const struct merge_request *request, const struct family *family)
{
    const struct {
        bool given;
        const char *name;
        bool is_shared; /* other families than LLVM have it, too */
    } options[] = {
        {!family->has_partials && request->merge.partial, "--partial", true},
        {request->write.sparse, "--sparse", false},
        {request->write.text, "--text", false},
        {request->write.format_version != 0, "--format-version", false},
        {request->compiler != NULL, "--for", false},
        {request->remapping != NULL, "--remapping-file", false},
        {request->merge.keep_vtable_names, "--keep-vtable-symbols", false},
        {request->correlating_count != 0, "--binary-file", false},
        {request->merge.trace_reservoir != 0, "--trace-reservoir-size", false},
        {request->merge.trace_length != 0, "--max-trace-length", false},
        {!family->has_filters && request->keep, "--function", true},
        {!family->has_filters && request->drop, "--exclude-function", true},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given) {
            say_error("%s applies only to %s profiles; the inputs are %s", options[i].name,
                      options[i].is_shared ? "other" : "LLVM", family->plural);
            return true;
        }
    return false;
}

bool merge_has_account(const struct merge_request *request)
{
    return request->ledger || request->json;
}

bool merge_account_json(const struct merge_request *request, struct json_object *json,
                        bool profile_on_stdout)
{
    bool done = !request->ledger || ledger_json_write(json, request->ledger);
    if (request->json)
        done = json_print(profile_on_stdout ? stderr : stdout, json_object_get(json)) && done;
    return done;
}

bool merge_account(const struct merge_request *request, const struct an_ledger *ledger)
{
    if (!merge_has_account(request))
        return true;
    struct json_object *json = ledger_json(ledger);
    bool done = merge_account_json(request, json, strcmp(request->output, "-") == 0);
    json_object_put(json);
    return done;
}

void merge_tell_partials(const struct merge_request *request, const struct an_ledger *ledger)
{
    size_t count = 0;
    for (size_t i = 0; i < ledger->count; i++)
        count += ledger->entries[i].partial != NULL;
    if (ledger->partials && !request->spread)
        say("%s of the inputs came in %s partial result%s", with_commas(count),
            with_commas(ledger->partials), plural(ledger->partials));
}

void merge_tell_ignored(const struct merge_request *request)
{
    if (request->inputs.ignored)
        say("ignored %zu other file%s in the folders, such as %s", request->inputs.ignored,
            plural(request->inputs.ignored), request->inputs.ignored_example);
}

bool merge_has_used(const struct merge_request *request, const struct an_ledger *ledger)
{
    bool is_account = request->merge.partial && request->merge.failure_mode == AN_FAIL_WARN;
    return is_account || has_content(ledger->used, "no input has any profile data");
}

bool merge_report(const struct merge_request *request, const struct an_ledger *ledger,
                  const struct family *family, enum an_code code)
{
    if (!request->quiet || code != AN_OK)
        ledger_complain(ledger);
    if (inputs_are_mixed(ledger, family))
        return false;
    if (code != AN_OK)
        say_error("nothing written: %zu of %zu inputs rejected%s", ledger->rejected, ledger->count,
                  ledger->used ? " (--failure-mode=all merges the others)" : "");
    return code == AN_OK && merge_has_used(request, ledger);
}

bool merge_has_content(const struct merge_request *request, uint64_t number, const char *what)
{
    char why[80];
    snprintf(why, sizeof why, "%s %s%s",
             request->keep || request->drop ? "the filters leave no"
             : request->one_input           ? "the profile has no"
                                            : "no input has a",
             what, request->write.sparse ? " that ran" : "");
    return request->as_llvm || request->merge.partial || has_content(number, why);
}
