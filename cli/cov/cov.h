/* What the parts of anneal cov share. */
#ifndef AN_CLI_COV_COV_H
#define AN_CLI_COV_COV_H

#include <anneal/coverage.h>
#include <anneal/gcov.h>

#include <time.h>

#include "cli/core/command.h"

struct cov_request {
    struct an_gcov_text_options text_options;
    struct option_list include, exclude; /* patterns */
    struct option_list map_texts;        /* OLD=NEW */
    struct an_coverage_map *maps;        /* these, taken apart */
    const char *source_root;
    const char *output, *directory, *ledger;
    const char *html, *title;     /* a report's folder, and what it is called */
    const char *lcov, *cobertura; /* files for other programs */
    bool text, json, functions, missing, quiet;
    unsigned failure_mode; /* enum an_failure_mode */
    double least;          /* percentage of lines; below, the command fails */
    unsigned threads;
};

/* The sources that are wanted, by name. */
struct cov {
    const struct cov_request *request;
    const struct an_coverage *coverage;
    const struct an_coverage_source **sources;
    size_t source_count;
    struct an_coverage_totals totals; /* of these */
};

/* Tables of sources, or of functions, on stdout. */
bool cov_print_sources(const struct cov *cov);
bool cov_print_functions(const struct cov *cov);

/* Sources with counts: on stdout, or in files below a folder; false after a message. */
bool cov_print_texts(const struct cov *cov);
bool cov_write_texts(const struct cov *cov);
bool cov_print_json(const struct cov *cov);

/* A report to look at, in a folder, whole or not at all; false after a message. */
bool cov_write_html(const struct cov *cov);

/* Files for other programs, "-" for stdout; false after a message. */
bool cov_write_exports(const struct cov *cov);

/* When a report is made, which SOURCE_DATE_EPOCH can say: reports of the same profiles are the same then. */
time_t cov_time(void);

/* Takes the texts of maps apart. Returns the exit status: if it is not EXIT_DONE, after a message. Freed in any case. */
int cov_maps_take(struct cov_request *request);
void cov_maps_free(struct cov_request *request);

/* Whether a source is wanted. */
bool cov_takes(const struct cov_request *request, const struct an_coverage_source *source);

#endif
