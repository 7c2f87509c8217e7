/* The YAML profile of an aggregation, which llvm-bolt makes. */
#include <anneal/yaml.h>
#include <stdlib.h>

#include "aggregating.h"
#include "cli/core/output.h"

int aggregate_write_yaml(const struct aggregate_request *request,
                         const struct an_aggregate *aggregate, const char *output)
{
    const struct an_yaml_make_options options = {
        .size = sizeof options,
        .program = request->bolt,
        .no_branches = request->options.no_branches,
    };
    enum an_aggregate_output form =
        options.no_branches ? AN_AGGREGATE_FDATA : AN_AGGREGATE_PREAGGREGATED;
    void *counts = NULL, *bytes = NULL;
    size_t counts_size, size;
    struct an_error error;
    enum an_code code = an_aggregate_write(aggregate, form, &counts, &counts_size, &error);
    if (code == AN_OK)
        code = an_yaml_make(&options, request->binary, counts, counts_size, &bytes, &size, &error);
    if (code != AN_OK)
        report_error(&error);
    bool done = code == AN_OK && write_result(output, bytes, size, true);
    free(bytes);
    free(counts);
    return done ? EXIT_DONE : EXIT_FAILED;
}
