/* What anneal show cannot show of several families; see showing.h. */
#include "showing.h"

#include "family.h"

bool showing_refuses_options(const struct show_request *request, const struct family *family)
{
    const struct {
        bool given;
        const char *name;
    } options[] = {
        {request->values, "--values"},         {request->summary, "--detailed-summary"},
        {request->binary_ids, "--binary-ids"}, {request->traces, "--traces"},
        {request->covered, "--covered"},       {request->cs, "--cs"},
        {request->memory, "--memory"},         {request->text, "--text"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given) {
            say_error("%s applies only to LLVM profiles; this is %s", options[i].name,
                      family->noun);
            return true;
        }
    if (request->gcno)
        say_error("--notes is for GCC profiles (gcda), and this is %s", family->noun);
    return request->gcno;
}
