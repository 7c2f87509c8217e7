/* Coverage as pages to look at, in a folder. */
#include <anneal/report.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/foreign.h"
#include "cli/core/command.h"
#include "cli/core/output.h"
#include "cov.h"
#include "report_folder.h"

/* A page is many times as large, and browsers give up. */
#define MOST_TEXT (64ull << 20)

struct work {
    struct report_folder folder;
    struct an_file text;
    uint64_t size, missing;
};

static bool give_text(void *context, const struct an_coverage_source *source, const void **bytes,
                      size_t *size)
{
    struct work *work = context;
    const struct an_foreign any = {.most = MOST_TEXT, .follows = true};
    struct an_error error; /* a name out of a profile */
    enum an_code code = an_foreign_load(&work->text, source->path, &any, &error);
    *bytes = work->text.bytes.data;
    *size = work->text.bytes.size;
    work->missing += code != AN_OK;
    return code == AN_OK;
}

static enum an_code take_page(void *context, const char *name, const void *bytes, size_t size,
                              struct an_error *error)
{
    struct work *work = context;
    work->size += size;
    return report_folder_put(&work->folder, name, bytes, size, error);
}

time_t cov_time(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    time_t when = epoch ? (time_t)strtoll(epoch, &end, 10) : time(NULL);
    return epoch && (end == epoch || *end) ? time(NULL) : when;
}

static const char *time_of_report(char *text, size_t size)
{
    struct tm parts;
    time_t when = cov_time();
    if (!gmtime_r(&when, &parts) || strftime(text, size, "%Y-%m-%d %H:%M UTC", &parts) == 0)
        return NULL;
    return text;
}

static void tell(const struct cov *cov, const struct work *work)
{
    const char *directory = cov->request->html;
    if (cov->request->quiet)
        return;
    if (work->missing)
        say_warning("%s source%s cannot be read and %s only counts", with_commas(work->missing),
                    plural(work->missing), work->missing == 1 ? "has" : "have");
    say("%s source%s, %s: open %s/index.html", with_commas(cov->source_count),
        plural(cov->source_count), as_size(work->size), directory);
}

static enum an_code make(const struct cov *cov, const struct an_coverage *coverage,
                         struct work *work, struct an_error *error)
{
    char made[64];
    const struct an_report_options options = {
        .size = sizeof options,
        .title = cov->request->title,
        .made = time_of_report(made, sizeof made),
        .text = give_text,
        .page = take_page,
        .progress = cov->request->quiet ? NULL : progress_show,
        .context = work,
    };
    enum an_code code = report_folder_open(&work->folder, cov->request->html, error);
    if (code != AN_OK)
        return code;
    code = an_report_coverage(coverage, &options, error);
    progress_clear();
    if (code == AN_OK)
        return report_folder_commit(&work->folder, error);
    report_folder_abandon(&work->folder);
    return code;
}

bool cov_write_html(const struct cov *cov)
{
    struct an_coverage chosen = {
        .runs = cov->coverage->runs, .totals = cov->totals, .source_count = cov->source_count};
    struct an_coverage_source *sources = calloc(cov->source_count + 1, sizeof *sources);
    struct work work = {.size = 0};
    struct an_error error;
    if (!sources || !make_folders(cov->request->html)) {
        if (!sources)
            say_error("out of memory");
        free(sources);
        return false;
    }
    for (size_t i = 0; i < cov->source_count; i++)
        sources[i] = *cov->sources[i];
    chosen.sources = sources;
    enum an_code code = make(cov, &chosen, &work, &error);
    if (code == AN_OK)
        tell(cov, &work);
    else
        report_error(&error);
    an_file_close(&work.text);
    free(sources);
    return code == AN_OK;
}
