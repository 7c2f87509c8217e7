/* What was collected, in the end. */
#include <json-c/json.h>
#include <stdio.h>

#include "cli/core/command.h"
#include "cli/core/output.h"
#include "collect.h"

static bool tell_json(const struct collect_counts *counts)
{
    const struct {
        const char *name;
        uint64_t number;
    } members[] = {
        {"taken", counts->taken},
        {"bytes", counts->bytes},
        {"added", counts->used},
        {"rejected", counts->rejected},
        {"closed", counts->closed},
        {"shipped", counts->shipped},
        {"refused", counts->refused},
        {"busy", counts->busy},
        {"unreadable", counts->unreadable},
        {"other", counts->other},
    };
    struct json_object *json = json_document();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_add_number(json, members[i].name, members[i].number);
    return json_print(stdout, json);
}

bool collect_tell(const struct collect_request *request, const struct collect_counts *counts)
{
    if (!request->quiet) {
        say("%s profile%s taken (%s), %s added, %s rejected; %s partial result%s closed, %s "
            "shipped",
            with_commas(counts->taken), plural(counts->taken), as_size(counts->bytes),
            with_commas(counts->used), with_commas(counts->rejected), with_commas(counts->closed),
            plural(counts->closed), with_commas(counts->shipped));
        if (counts->busy)
            say("%s profile%s left for the next time: others have a lock on it",
                with_commas(counts->busy), plural(counts->busy));
        if (counts->other)
            say("%s file%s left where they are: no profiles", with_commas(counts->other),
                plural(counts->other));
    }
    return !request->json || tell_json(counts);
}
