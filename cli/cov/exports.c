/* Coverage as files for other programs: lcov's tracefile, Cobertura's XML. */
#include <anneal/report.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "cov.h"

static bool write_form(const struct an_coverage *coverage, const char *path,
                       enum an_report_form form)
{
    char folder[PATH_MAX];
    struct an_output output;
    struct an_error error;
    const struct an_report_export_options options = {.size = sizeof options,
                                                     .form = form,
                                                     .folder = getcwd(folder, sizeof folder),
                                                     .made = cov_time(),
                                                     .write = write_bytes,
                                                     .context = &output};
    enum an_code code = an_output_open(&output, path, true, &error);
    if (code == AN_OK) {
        code = an_report_export(coverage, &options, &error);
        if (code == AN_OK)
            code = an_output_commit(&output, &error);
        else
            an_output_abandon(&output);
    }
    if (code != AN_OK)
        report_error(&error);
    return code == AN_OK;
}

bool cov_write_exports(const struct cov *cov)
{
    const struct cov_request *request = cov->request;
    struct an_coverage chosen = {.runs = cov->coverage->runs, .source_count = cov->source_count};
    struct an_coverage_source *sources = calloc(cov->source_count + 1, sizeof *sources);
    if (!sources) {
        say_error("out of memory");
        return false;
    }
    for (size_t i = 0; i < cov->source_count; i++)
        sources[i] = *cov->sources[i];
    chosen.sources = sources;
    chosen.totals = cov->totals;
    bool done =
        (!request->lcov || write_form(&chosen, request->lcov, AN_REPORT_LCOV)) &&
        (!request->cobertura || write_form(&chosen, request->cobertura, AN_REPORT_COBERTURA));
    free(sources);
    return done;
}
